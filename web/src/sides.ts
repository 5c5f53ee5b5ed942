// The same text in every encoding; one code point in the seven dialects.
import { encode, type Encoding, ENCODINGS, explain, type Explanation, forms } from 'utf8kit';
import { payload, still } from './bits.ts';
import { byId, h } from './dom.ts';
import { LEGACY, legacyBytes } from './legacy.ts';
import { codePoint, counted, glyph, hexes, number } from './words.ts';

/** How many items are shown in bytes; all are counted. */
const SHOWN = 48;

export const DIALECTS: readonly Encoding[] = ENCODINGS.filter((encoding) => forms(encoding).length > 0);

/** The table of encodings and sizes. */
export class Sides {
  readonly #region = byId('sides');

  constructor(private readonly light: (item: number | null) => void) {
    this.#region.addEventListener('pointerover', (event) => {
      const item = (event.target as HTMLElement).closest<HTMLElement>('[data-item]')?.dataset.item;
      this.light(item === undefined ? null : Number(item));
    });
    this.#region.addEventListener('pointerleave', () => this.light(null));
  }

  lit(item: number | null): void {
    for (const one of this.#region.querySelectorAll<HTMLElement>('[data-item]')) {
      one.classList.toggle('lit', one.dataset.item === String(item));
    }
  }

  draw(items: Explanation[], current: Encoding): void {
    const values = items.map((item) => item.codePoint);
    const rows = [
      ...ENCODINGS.map((name) => row(name, values, (value) => encode(value, name))),
      ...LEGACY.map((label) => row(label, values, (value) => (value > 0x10ffff ? null : legacyBytes(String.fromCodePoint(value), label)))),
    ];
    const widest = Math.max(1, ...rows.map((one) => one.size));
    this.#region.replaceChildren(h('table', { class: 'sides' },
      h('thead', {}, h('tr', {}, ...['Encoding', 'Size', 'Bytes'].map((title) => h('th', { scope: 'col' }, title)))),
      h('tbody', {}, ...rows.map(({ name, size, lacking, chunks }) => {
        const bar = h('span', { class: 'bar', 'aria-hidden': true });
        bar.style.setProperty('--part', String(size / widest));
        return h('tr', { class: name === current ? 'current' : null },
          h('th', { scope: 'row' }, name),
          h('td', { class: 'size' }, lacking > 0 ? null : bar, lacking > 0 ? `lacks ${number(lacking)}` : number(size)),
          h('td', { class: 'chunks' }, ...chunks));
      }))));
  }
}

function row(name: string, values: (number | null)[], bytesOf: (value: number) => ArrayLike<number> | null) {
  let [size, lacking] = [0, 0];
  const chunks: HTMLElement[] = [];
  for (const [index, value] of values.entries()) {
    const bytes = value === null ? null : bytesOf(value);
    size += bytes?.length ?? 0;
    if (value !== null && !bytes) lacking += 1;
    if (index >= SHOWN) continue;
    if (bytes) chunks.push(h('span', { class: 'chunk', 'data-item': index }, hexes(Array.from(bytes))));
    else chunks.push(h('span', { class: 'chunk none', 'data-item': index }, value === null ? 'error' : 'none'));
  }
  if (values.length > SHOWN) chunks.push(h('span', { class: 'chunk' }, '…'));
  return { name, size, lacking, chunks };
}

/** One code point in the seven dialects: which bits go where, and why. */
export function drawWhy(value: number | null): void {
  const region = byId('why');
  if (value === null) {
    region.replaceChildren(h('p', { class: 'hint' }, 'An error is no code point. Point at a code point above to see how each dialect writes it.'));
    return;
  }
  const text = glyph(value);
  const ways = DIALECTS.map((dialect) => {
    const bytes = encode(value, dialect);
    const item = bytes ? explain(bytes, dialect)[0] : undefined;
    return h('li', {}, h('h3', {}, dialect), ...(item ? drawn(item, value) : [h('p', { class: 'hint' }, 'does not hold it')]));
  });
  region.replaceChildren(
    h('p', { class: 'hint' }, `${codePoint(value)}${text ? ` ${text}` : ''}, as each dialect writes it. Where two differ, they count from different values, or pair surrogates.`),
    h('ul', { class: 'ways' }, ...ways));
}

function drawn(item: Explanation, value: number): HTMLElement[] {
  const number = (one: number): string => one.toString(16).toUpperCase().padStart(4, '0');
  const sum = item.base > 0
    ? `${number(value)} − ${number(item.base)} = ${number(item.payload)}: ${counted(item.len, 'byte')} ${item.len === 6 ? 'of a pair count' : 'count'} from ${codePoint(item.base)}`
    : `${number(value)} as it is, in ${counted(item.len, 'byte')}`;
  return [h('p', { class: 'sum' }, sum), payload(item), h('div', { class: 'stills' }, ...item.bytes.map(still))];
}
