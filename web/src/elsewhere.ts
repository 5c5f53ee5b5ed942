// The current character in every dialect and in other encodings, grouped by the bytes that they write.
import {
  convert,
  ConvertError,
  DIALECTS,
  encode,
  type Encoding,
  ENCODINGS,
  explain,
  initLegacy,
  LEGACY,
} from 'utf8kit';
import { still } from './bits.ts';
import { byId, h } from './dom.ts';
import { codePoint, hexes, number } from './format.ts';
import type { Model } from './model.ts';

/** The length of the longest text whose size in other encodings is measured. */
const MEASURED = 4 * 1024 * 1024;

/** Names by the bytes that they write. Encodings that cannot represent the character are under ''. */
function byBytes(names: readonly string[], bytesOf: (name: string) => Uint8Array | null): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const bytes = bytesOf(name);
    const key = bytes ? hexes(bytes) : '';
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return groups;
}

export class Elsewhere {
  readonly #dialects = byId('same');
  readonly #others = byId('others');
  readonly #legacy = byId<HTMLDetailsElement>('legacy');
  readonly #legacyTable = byId('legacy-table');
  #value: number | null = null;
  #sizes: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#legacy.addEventListener('toggle', () => void this.#drawLegacy());
  }

  show(model: Model, value: number | null): void {
    this.#value = value;
    this.#others.hidden = value === null;
    if (value === null) {
      this.#dialects.replaceChildren(
        h('li', { class: 'hint' }, 'An error is not a code point. Choose one in the list to see how others write it.'),
      );
    } else {
      this.#drawDialects(value);
      this.#drawOthers(model, value);
    }
    void this.#drawLegacy();
  }

  #drawDialects(value: number): void {
    const groups = byBytes(DIALECTS, (name) => encode(value, name as Encoding));
    this.#dialects.replaceChildren(
      ...[...groups].map(([bytes, names]) => {
        const item = bytes ? explain(encode(value, names[0] as Encoding)!, names[0] as Encoding)[0]! : null;
        return h(
          'li',
          { class: names.includes('utf-8') ? 'card own' : 'card' },
          h('h3', {}, ...names.map((name) => h('span', { class: 'chip' }, name))),
          item ? still(item) : h('p', { class: 'hint' }, `${codePoint(value)} cannot be written.`),
          item ? h('p', { class: 'hint' }, why(names, item.base, item.len, value)) : null,
        );
      }),
    );
  }

  #drawOthers(model: Model, value: number): void {
    const names = ENCODINGS.filter((name) => !(DIALECTS as readonly string[]).includes(name));
    const groups = byBytes(names, (name) => encode(value, name as Encoding));
    const measured = model.bytes.length <= MEASURED;
    const cells: [HTMLElement, Encoding][] = [];
    this.#others.replaceChildren(
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ...['Encoding', 'Bytes', ...(measured ? ['The whole text'] : [])].map((title) =>
              h('th', { scope: 'col' }, title),
            ),
          ),
        ),
        h(
          'tbody',
          {},
          ...[...groups].map(([bytes, group]) => {
            const size = measured ? h('td', {}, '…') : null;
            if (size) cells.push([size, group[0] as Encoding]);
            return h(
              'tr',
              {},
              h('th', { scope: 'row' }, group.join(', ')),
              h('td', { class: 'mono' }, bytes || 'cannot be written'),
              size,
            );
          }),
        ),
      ),
    );
    this.#measure(model, cells);
  }

  /** Fills in the sizes: at once for a short text, otherwise one at a time after the list is visible. */
  #measure(model: Model, cells: [HTMLElement, Encoding][]): void {
    clearTimeout(this.#sizes);
    const next = (): void => {
      const cell = cells.shift();
      if (!cell) return;
      cell[0].textContent = sizeIn(model, cell[1]);
      if (model.bytes.length < 4096) next();
      else this.#sizes = setTimeout(next, 50);
    };
    if (model.bytes.length < 4096) next();
    else this.#sizes = setTimeout(next, 250);
  }

  /** The legacy encodings are loaded on first use. */
  async #drawLegacy(): Promise<void> {
    const value = this.#value;
    if (!this.#legacy.open) return;
    if (value === null || value > 0x10ffff)
      return this.#legacyTable.replaceChildren(h('p', { class: 'hint' }, 'They write characters of Unicode only.'));
    try {
      await initLegacy();
    } catch {
      return this.#legacyTable.replaceChildren(
        h('p', { class: 'hint' }, 'Their tables could not be loaded. Close this and open it again to retry.'),
      );
    }
    if (this.#value !== value) return;
    const groups = byBytes(LEGACY, (name) => encode(value, name));
    const without = groups.get('') ?? [];
    groups.delete('');
    this.#legacyTable.replaceChildren(
      h(
        'table',
        {},
        h(
          'tbody',
          {},
          ...[...groups].map(([bytes, names]) =>
            h('tr', {}, h('td', { class: 'mono nowrap' }, bytes), h('td', {}, names.join(', '))),
          ),
        ),
      ),
      h('p', { class: 'hint' }, without.length > 0 ? `Not in ${without.join(', ')}.` : 'All of them have it.'),
    );
  }
}

function why(names: string[], base: number, len: number, value: number): string {
  if (names.includes('utf-8')) return 'UTF-8, and every form of it that has no reason to differ.';
  if (len === 6 && base === 0x10000) return 'A surrogate pair, each half in three bytes, as in UTF-16.';
  if (names.includes('utf-8-offset') && base > 0)
    return `Counts from ${codePoint(base)}, where shorter sequences end: nothing can be overlong.`;
  if (names.includes('mutf-8') && value === 0)
    return 'Java writes NUL in two bytes, so that no byte of a string is 00.';
  if (value > 0x10ffff) return 'Above U+10FFFF: only the original forms reach that far.';
  if (value >= 0xd800 && value < 0xe000) return 'A surrogate: no character, but some strings hold one.';
  return 'The same value, the same bytes.';
}

function sizeIn(model: Model, encoding: Encoding): string {
  try {
    return `${number(convert(model.bytes, { from: model.encoding, to: encoding, policy: 'strict' }).length)} bytes`;
  } catch (error) {
    if (error instanceof ConvertError) return 'not all of it';
    throw error;
  }
}
