// The list of code points and errors, as tiles of one size. Only the tiles in view exist.
import { byId, h } from './dom.ts';
import { codePoint, glyph, hex } from './format.ts';
import type { Item, Model } from './model.ts';
import { kindInEnglish } from './kinds.ts';

const WIDTH = 104;
const HEIGHT = 92;
/** Number of rows in view. */
const ROWS = 3;
/** Number of rows created beyond those in view. */
const BEYOND = 2;
/** The maximum height that browsers draw. */
const TALLEST = 8_000_000;

export interface TileEvents {
  /** Called when an item is under the pointer, or none. */
  point(index: number | null): void;
  /** Called when an item is selected. */
  select(index: number): void;
}

export class Tiles {
  readonly #box = byId('items');
  readonly #sheet = byId('sheet');
  readonly #segmenter = typeof Intl.Segmenter === 'function' ? new Intl.Segmenter() : null;
  #model: Model | null = null;
  #columns = 1;
  #tall = 1;
  #shown = '';
  #selected = 0;
  #typed = '';
  #typedAt = 0;

  constructor(private readonly events: TileEvents) {
    const box = this.#box;
    box.addEventListener('scroll', () => this.#draw(), { passive: true });
    new ResizeObserver(() => this.#layout()).observe(box);
    box.addEventListener('click', (event) => {
      const index = indexOf(event);
      if (index !== null) this.select(index);
    });
    box.addEventListener('pointerover', (event) => events.point(indexOf(event)));
    box.addEventListener('pointerleave', () => events.point(null));
    box.addEventListener('keydown', (event) => this.#key(event));
  }

  show(model: Model, selected: number): void {
    this.#model = model;
    this.#selected = Math.min(selected, Math.max(0, model.length - 1));
    this.#shown = '';
    this.#layout();
  }

  /** Selects an item, and scrolls it into view. */
  select(index: number): void {
    const { length } = this.#model ?? { length: 0 };
    if (length === 0) return;
    this.#selected = Math.max(0, Math.min(length - 1, index));
    const top = (Math.floor(this.#selected / this.#columns) * HEIGHT) / this.#squeeze();
    const { scrollTop, clientHeight } = this.#box;
    if (top < scrollTop) this.#box.scrollTop = top;
    else if (top + HEIGHT > scrollTop + clientHeight) this.#box.scrollTop = top + HEIGHT - clientHeight;
    this.#shown = '';
    this.#draw();
    this.events.select(this.#selected);
  }

  #layout(): void {
    const columns = Math.max(1, Math.floor(this.#box.clientWidth / WIDTH));
    if (columns !== this.#columns) this.#shown = '';
    this.#columns = columns;
    const rows = Math.max(1, Math.ceil((this.#model?.length ?? 0) / columns));
    const tall = Math.min(rows, ROWS);
    // Set only when it changes, to keep a height that the reader chose by dragging.
    if (tall !== this.#tall) this.#box.style.height = `${tall * HEIGHT + 8}px`;
    this.#tall = tall;
    this.#sheet.style.height = `${Math.min(rows * HEIGHT, TALLEST)}px`;
    this.#draw();
  }

  /** Returns how many rows one row of scrolling passes: more than one in a list that is taller than browsers draw. */
  #squeeze(): number {
    const rows = Math.ceil((this.#model?.length ?? 0) / this.#columns);
    const room = Math.ceil(this.#box.clientHeight / HEIGHT);
    return rows * HEIGHT > TALLEST ? (rows - room) / (TALLEST / HEIGHT - room) : 1;
  }

  /** Creates the tiles in view, unless they exist. */
  #draw(): void {
    const model = this.#model;
    if (!model) return;
    const scroll = this.#box.scrollTop;
    const room = Math.ceil(this.#box.clientHeight / HEIGHT);
    const inView = Math.floor((scroll / HEIGHT) * this.#squeeze());
    const firstRow = Math.max(0, inView - BEYOND);
    const first = firstRow * this.#columns;
    const last = Math.min(model.length, (inView + room + BEYOND + 1) * this.#columns);
    const top = (row: number): number => (this.#squeeze() === 1 ? row * HEIGHT : scroll + (row - inView) * HEIGHT);
    const key = `${first} ${last} ${this.#selected} ${this.#squeeze() === 1 ? 0 : scroll}`;
    if (key === this.#shown) return;
    this.#shown = key;
    const brackets = this.#brackets(model, first, last);
    this.#sheet.replaceChildren(
      ...Array.from({ length: last - first }, (_, i) => {
        const index = first + i;
        const one = tile(model.item(index), index === this.#selected, brackets[i]!);
        one.style.left = `${(index % this.#columns) * WIDTH}px`;
        one.style.top = `${top(Math.floor(index / this.#columns))}px`;
        one.setAttribute('aria-setsize', String(model.length));
        return one;
      }),
    );
    this.#box.setAttribute('aria-activedescendant', model.length > 0 ? `item-${this.#selected}` : '');
  }

  /**
   * Returns for each item in view whether its grapheme cluster begins, continues or ends there, to draw brackets over
   * several.
   */
  #brackets(model: Model, first: number, last: number): string[] {
    const none = Array.from({ length: last - first }, () => '');
    if (!this.#segmenter) return none;
    // Clusters are short, so a few code points before and after are enough to find their boundaries.
    const from = Math.max(0, first - 32);
    const starts: number[] = [];
    let text = '';
    for (let index = from; index < Math.min(last + 32, model.length); index += 1) {
      starts.push(text.length);
      const { value } = model.item(index);
      text += value === null || value > 0x10ffff ? '\ufffd' : String.fromCodePoint(value);
    }
    for (const { index, segment } of this.#segmenter.segment(text)) {
      const inside = starts.flatMap((start, at) =>
        start >= index && start < index + segment.length ? [at + from] : [],
      );
      if (inside.length < 2) continue;
      for (const at of inside) {
        if (at < first || at >= last) continue;
        none[at - first] = at === inside[0] ? 'begins' : at === inside.at(-1) ? 'ends' : 'inside';
      }
    }
    return none;
  }

  /** Handles the arrow keys, Home, End, Page Up and Page Down; letters and U+ search. */
  #key(event: KeyboardEvent): void {
    const model = this.#model;
    if (!model || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.#box.clientHeight / HEIGHT)) * this.#columns;
    const steps: Record<string, number> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: this.#columns,
      ArrowUp: -this.#columns,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      this.select(this.#selected + step);
    } else if ([...event.key].length === 1 && event.key !== ' ') {
      event.preventDefault();
      this.#search(model, event.key);
    }
  }

  /** Selects the next code point that matches the typed text, as itself or as its number. */
  #search(model: Model, key: string): void {
    const now = performance.now();
    this.#typed = now - this.#typedAt > 1500 ? key : this.#typed + key;
    this.#typedAt = now;
    const number = /^(?:u\+?)?([0-9a-f]{2,6})$/i.exec(this.#typed);
    const wanted =
      [...this.#typed].length === 1 ? this.#typed.codePointAt(0)! : number ? Number.parseInt(number[1]!, 16) : -1;
    for (let step = 1; step <= Math.min(model.length, 100_000); step += 1) {
      const index = (this.#selected + step) % model.length;
      if (model.item(index).value === wanted) return this.select(index);
    }
  }
}

function indexOf(event: Event): number | null {
  const index = (event.target as HTMLElement).closest<HTMLElement>('.tile')?.dataset.item;
  return index === undefined ? null : Number(index);
}

function tile(item: Item, selected: boolean, bracket: string): HTMLElement {
  const { value, parts, index } = item;
  const bytes = parts.flatMap((part) => part.bytes.map(({ value }) => value));
  const shown = value === null ? { text: '!', invisible: false } : glyph(value);
  const name = value === null ? kindInEnglish(parts[0]!.kind!) : codePoint(value);
  return h(
    'div',
    {
      class: `tile${value === null ? ' error' : ''}${selected ? ' selected' : ''}${bracket ? ` ${bracket}` : ''}`,
      id: `item-${index}`,
      role: 'option',
      'aria-selected': selected,
      'aria-posinset': index + 1,
      'data-item': index,
    },
    h('span', { class: shown.invisible ? 'glyph short' : 'glyph' }, shown.text),
    ' ',
    h('span', { class: 'name' }, name),
    ' ',
    h(
      'span',
      { class: 'hexes' },
      ...bytes.flatMap((byte, at) => [h('i', { class: value === null ? 'wrong' : `c${at}` }, hex(byte)), ' ']),
    ),
  );
}
