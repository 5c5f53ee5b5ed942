// The source as it was typed or pasted, with its line endings, which a text area converts to LF; and its undo history.
import { byId } from './dom.ts';

export interface Written {
  source: string;
  /** The chosen notation; '' if it follows from the source. */
  notation: string;
}

const KEPT = 200;
/** Sources longer than this many UTF-16 units are shown in part, and the length of that part. */
const LONG = 65_536;
const SHOWN = 2000;
/** Typing within this many milliseconds counts as one change. */
const TOGETHER = 700;

export class Composer {
  readonly #area = byId<HTMLTextAreaElement>('source');
  readonly #notation = byId<HTMLSelectElement>('notation');
  readonly #undo = byId<HTMLButtonElement>('undo');
  readonly #redo = byId<HTMLButtonElement>('redo');
  #source = '';
  #pasted: string | null = null;
  #before: Written[] = [];
  #after: Written[] = [];
  #typedAt = -Infinity;

  constructor(private readonly changed: () => void) {
    this.#area.addEventListener('paste', (event) => this.#paste(event));
    this.#area.addEventListener('input', () => this.#typed());
    this.#notation.addEventListener('focus', () => this.#remember());
    this.#notation.addEventListener('change', () => changed());
    byId('clear').addEventListener('click', () => this.write({ source: '', notation: '' }));
    this.#undo.addEventListener('click', () => this.step(this.#before, this.#after));
    this.#redo.addEventListener('click', () => this.step(this.#after, this.#before));
    addEventListener('keydown', (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const key = event.key.toLowerCase();
      const other = event.target instanceof HTMLInputElement;
      const back = key === 'z' && !event.shiftKey;
      if (other || (!back && key !== 'y' && !(key === 'z' && event.shiftKey))) return;
      event.preventDefault();
      if (back) this.step(this.#before, this.#after);
      else this.step(this.#after, this.#before);
    });
  }

  get written(): Written {
    return { source: this.#source, notation: this.#notation.value };
  }

  /** Replaces the source. This can be undone, unless it is the first one or comes from the address. */
  write(written: Written, undoable = true): void {
    if (undoable) this.#remember();
    this.#typedAt = -Infinity;
    this.#put(written);
    this.changed();
  }

  #put({ source, notation }: Written): void {
    this.#source = source;
    this.#show();
    this.#notation.value = notation;
    this.#buttons();
  }

  /** Shows the source, or only the beginning of a long one, because browsers take long to lay out the rest. */
  #show(): void {
    const long = this.#source.length > LONG;
    const shown = (long ? `${this.#source.slice(0, SHOWN).replace(/[\ud800-\udbff]$/, '')} …` : this.#source).replace(
      /\r\n?/g,
      '\n',
    );
    if (this.#area.value !== shown) this.#area.value = shown;
    this.#area.readOnly = long;
    byId('long').hidden = !long;
  }

  /** Keeps the line endings of pasted text, and handles long text without the text area. */
  #paste(event: ClipboardEvent): void {
    const pasted = event.clipboardData?.getData('text/plain') ?? '';
    this.#pasted = pasted;
    const long = this.#area.readOnly;
    if (!long && this.#source.length + pasted.length <= LONG) return;
    event.preventDefault();
    this.#pasted = null;
    const [from, to] = long
      ? [0, this.#source.length]
      : ([this.#area.selectionStart, this.#area.selectionEnd].map((shown) => place(this.#source, shown)) as [
          number,
          number,
        ]);
    this.write({
      source: this.#source.slice(0, from) + pasted + this.#source.slice(to),
      notation: this.#notation.value,
    });
  }

  #remember(): void {
    const last = this.#before.at(-1);
    const now = this.written;
    if (last && last.source === now.source && last.notation === now.notation) return;
    this.#before.push(now);
    if (this.#before.length > KEPT) this.#before.shift();
    this.#after = [];
    this.#buttons();
  }

  /** Applies typed text to the source. Everything around it is unchanged, including line endings. */
  #typed(): void {
    const now = performance.now();
    if (now - this.#typedAt > TOGETHER) this.#remember();
    this.#typedAt = now;
    this.#after = [];
    this.#source = merged(this.#source, this.#area.value, this.#pasted);
    this.#pasted = null;
    if (this.#source.length > LONG) this.#show();
    this.#buttons();
    this.changed();
  }

  step(from: Written[], to: Written[]): void {
    const next = from.pop();
    if (!next) return;
    to.push(this.written);
    this.#typedAt = -Infinity;
    this.#put(next);
    this.changed();
  }

  #buttons(): void {
    this.#undo.disabled = this.#before.length === 0;
    this.#redo.disabled = this.#after.length === 0;
  }
}

/** Returns the source after a change to the part that the text area shows. */
export function merged(source: string, shown: string, pasted: string | null): string {
  if (!source.includes('\r')) {
    if (!pasted?.includes('\r')) return shown;
    const flat = pasted.replace(/\r\n?/g, '\n');
    if (shown === flat) return pasted;
  }
  const before = source.replace(/\r\n?/g, '\n');
  let start = 0;
  while (start < before.length && start < shown.length && before[start] === shown[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < shown.length - start && before.at(-1 - end) === shown.at(-1 - end))
    end += 1;
  const inserted = shown.slice(start, shown.length - end);
  // If a piece was pasted over one with the same beginning or end, it is found around the difference.
  const flat = pasted?.replace(/\r\n?/g, '\n');
  const at = flat !== undefined && pasted !== flat ? shown.slice(Math.max(0, start - flat.length)).indexOf(flat) : -1;
  if (at >= 0 && flat !== undefined) {
    const from = Math.max(0, start - flat.length) + at;
    const behind = shown.length - from - flat.length;
    if (from <= start && behind <= end)
      return source.slice(0, place(source, from)) + pasted + source.slice(place(source, before.length - behind));
  }
  return source.slice(0, place(source, start)) + inserted + source.slice(place(source, before.length - end));
}

/** Converts an offset in the shown text to one in the source, whose line endings may be longer. */
function place(source: string, shown: number): number {
  let at = 0;
  for (let seen = 0; seen < shown; seen += 1) at += source[at] === '\r' && source[at + 1] === '\n' ? 2 : 1;
  return at;
}
