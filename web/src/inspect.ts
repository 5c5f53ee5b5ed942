// Cards: each code point and each error with its bytes, each byte with its bits, which can be flipped.
import type { Explanation } from 'utf8kit';
import { bit, isPayload, payload } from './bits.ts';
import { byId, h } from './dom.ts';
import { codePoint, counted, explanation, glyph, hex, KINDS } from './words.ts';

/** How many items are drawn unless more are asked for. */
const FEW = 48;

export class Inspector {
  readonly #list = byId<HTMLOListElement>('items');
  readonly #more = byId<HTMLButtonElement>('more');
  #items: Explanation[] = [];
  #limit = FEW;

  constructor(flip: (bit: number) => void, private readonly light: (item: number | null) => void, select: (item: number) => void) {
    const flipped = (event: Event): void => {
      const button = (event.target as HTMLElement).closest<HTMLElement>('button.bit');
      if (!button) return;
      const index = Number(button.dataset.bit);
      flip(index);
      this.#focus(index);
    };
    this.#list.addEventListener('click', flipped);
    this.#list.addEventListener('keydown', (event) => this.#move(event));
    for (const kind of ['pointerover', 'focusin']) this.#list.addEventListener(kind, (event) => {
      this.#lightUp(event.target as HTMLElement);
      const card = (event.target as HTMLElement).closest<HTMLElement>('.item');
      if (card) select(Number(card.dataset.item));
    });
    for (const kind of ['pointerleave', 'focusout']) this.#list.addEventListener(kind, () => this.#lightUp(null));
    this.#more.addEventListener('click', () => {
      this.#limit = Infinity;
      this.draw(this.#items);
    });
  }

  draw(items: Explanation[]): void {
    this.#items = items;
    const shown = items.slice(0, this.#limit);
    this.#list.replaceChildren(...shown.map(card));
    this.#list.querySelector<HTMLElement>('button.bit')?.setAttribute('tabindex', '0');
    this.#more.hidden = shown.length === items.length;
    this.#more.textContent = `Show all ${counted(items.length, 'item')}`;
  }

  /** Lights the cards of an item that is pointed at elsewhere. */
  lit(item: number | null): void {
    for (const one of this.#list.children) one.classList.toggle('lit', one === this.#list.children[item ?? -1]);
  }

  #focus(index: number): void {
    const button = this.#list.querySelector<HTMLElement>(`[data-bit="${index}"]`);
    if (!button) return;
    for (const other of this.#list.querySelectorAll('button.bit[tabindex="0"]')) other.setAttribute('tabindex', '-1');
    button.setAttribute('tabindex', '0');
    button.focus();
  }

  /** The arrow keys go from bit to bit, and from byte to byte. */
  #move(event: KeyboardEvent): void {
    const from = (event.target as HTMLElement).dataset.bit;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 8, ArrowUp: -8 }[event.key];
    if (from === undefined || step === undefined) return;
    event.preventDefault();
    this.#focus(Number(from) + step);
  }

  /** Lights what belongs together: a bit and its place in the code point, or a byte and all of its bits there. */
  #lightUp(target: HTMLElement | null): void {
    for (const one of this.#list.querySelectorAll('.lit')) one.classList.remove('lit');
    const item = target?.closest<HTMLElement>('.item');
    this.light(item ? Number(item.dataset.item) : null);
    if (!target || !item) return;
    const position = target.dataset.position;
    const byte = target.closest<HTMLElement>('.byte');
    const selector = position !== undefined ? `[data-position="${position}"]` : byte ? `.${byte.dataset.color}` : null;
    if (selector) for (const one of item.querySelectorAll(selector)) one.classList.add('lit');
  }
}

function card(item: Explanation, index: number): HTMLElement {
  const wrong = item.kind !== null;
  const title = wrong
    ? [h('span', { class: 'glyph', 'aria-hidden': true }, '!'), h('h3', {}, KINDS[item.kind!])]
    : [h('span', { class: 'glyph' }, glyph(item.codePoint!) || '·'), h('h3', {}, codePoint(item.codePoint!))];
  return h('li', { class: wrong ? 'item error' : 'item', 'data-item': index },
    h('header', {}, ...title, h('span', { class: 'class' }, lengthClass(item))),
    item.payloadBits > 0 ? payload(item) : null,
    item.base > 0 ? h('p', { class: 'base' }, `${item.payload.toString(16).toUpperCase()} + ${item.base.toString(16).toUpperCase()} = ${(item.payload + item.base).toString(16).toUpperCase()}`) : null,
    h('div', { class: 'bytes' }, ...item.bytes.map((_, byte) => byteRow(item, byte)), missing(item)),
    wrong ? h('div', { class: 'words' }, ...explanation(item).map((sentence) => h('p', {}, sentence))) : null,
  );
}

function lengthClass(item: Explanation): string {
  const place = `at ${item.offset}`;
  if (item.kind !== null) return `${counted(item.len, 'byte')} ${place}`;
  return `${item.lengthClass}-byte form, ${place}`;
}

function byteRow(item: Explanation, index: number): HTMLElement {
  const byte = item.bytes[index]!;
  const cells = Array.from({ length: 8 }, (_, i) => {
    const place = 7 - i;
    const carries = isPayload(byte, place);
    const role = carries ? `payload bit ${byte.position + place}` : 'marker';
    return h('button', {
      class: carries ? `bit c${index}` : 'bit marker',
      type: 'button',
      tabindex: -1,
      'data-bit': (item.offset + index) * 8 + i,
      'data-position': carries ? byte.position + place : null,
      'aria-label': `${bit(byte.value, place)}, ${role}, bit ${place} of ${hex(byte.value)}`,
    }, bit(byte.value, place));
  });
  return h('div', { class: 'byte', role: 'group', 'aria-label': `byte ${hex(byte.value)} at ${item.offset + index}`, 'data-color': `c${index}` },
    h('span', { class: 'hex' }, hex(byte.value)), h('span', { class: 'bits' }, ...cells));
}

/** The bytes that a cut off sequence lacks, or the one that broke it off. */
function missing(item: Explanation): HTMLElement | null {
  if (item.kind === null || !item.expected) return null;
  const found = item.next === null ? 'the end' : hex(item.next);
  const [low, high] = item.expected;
  return h('div', { class: 'byte ghost' }, h('span', { class: 'hex' }, `${hex(low)}–${hex(high)}`), h('span', {}, `expected; then ${found}`));
}
