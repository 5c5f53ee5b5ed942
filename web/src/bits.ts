// Bits as elements: of bytes, and of the code point they make.
import type { ExplainedByte, Explanation } from 'utf8kit';
import { h } from './dom.ts';
import { hex } from './words.ts';

export const bit = (value: number, place: number): string => String(Math.floor(value / 2 ** place) % 2);

/** What a bit of a byte is for. */
export const isPayload = (byte: ExplainedByte, place: number): boolean => place < byte.payload;

/** The pattern of a byte: `1110xxxx`. */
export function pattern(byte: ExplainedByte): string {
  return Array.from({ length: 8 }, (_, i) => (isPayload(byte, 7 - i) ? 'x' : bit(byte.value, 7 - i))).join('');
}

/** A byte's bits, only to be looked at. */
export function still(byte: ExplainedByte, index: number): HTMLElement {
  const cells = Array.from({ length: 8 }, (_, i) => {
    const place = 7 - i;
    return h('span', { class: isPayload(byte, place) ? `bit c${index}` : 'bit marker' }, bit(byte.value, place));
  });
  return h('span', { class: 'byte-still' }, h('span', { class: 'hex' }, hex(byte.value)), h('span', { class: 'bits', 'aria-hidden': true }, ...cells));
}

/** The code point's own bits in fours, each in the colour of the byte it lies in. */
export function payload(item: Explanation): HTMLElement {
  const owner = (position: number): number =>
    item.bytes.findIndex((byte) => position >= byte.position && position < byte.position + byte.payload);
  const length = Math.max(4, Math.ceil(item.payloadBits / 4) * 4);
  const fours = Array.from({ length: length / 4 }, (_, four) => {
    const cells = Array.from({ length: 4 }, (_, i) => {
      const position = length - 1 - 4 * four - i;
      const index = owner(position);
      const missing = index < 0;
      const shown = missing && position < item.payloadBits ? '?' : bit(item.payload, position);
      return h('span', { class: missing ? 'bit marker' : `bit c${index}`, 'data-position': missing ? null : position }, shown);
    });
    return h('span', { class: 'four' }, ...cells);
  });
  return h('div', { class: 'payload' }, ...fours);
}
