// Shows the bits of code points and of bytes as elements.
import type { ExplainedByte, Explanation } from 'utf8kit';
import { type Child, h } from './dom.ts';
import { hex } from './format.ts';

export const bit = (value: number, place: number): string => String(Math.floor(value / 2 ** place) % 2);

/** The pattern of a byte: `1110xxxx`. */
export const pattern = (byte: ExplainedByte): string =>
  Array.from({ length: 8 }, (_, i) => (7 - i < byte.payload ? 'x' : bit(byte.value, 7 - i))).join('');

/** Returns the byte that contains a bit of the payload; -1 if none does. */
const owner = (item: Explanation, position: number): number =>
  item.bytes.findIndex((byte) => position >= byte.position && position < byte.position + byte.payload);

function cell(item: Explanation, position: number): HTMLElement {
  const index = owner(item, position);
  if (index < 0) return h('span', { class: 'bit missing' }, '?');
  return h('span', { class: `bit c${index}`, 'data-position': position }, bit(item.payload, position));
}

/**
 * Shows the bits of the payload under its hexadecimal digits. In a dialect, each bit has the same column as in the
 * bytes.
 */
export function digits(item: Explanation, aligned: boolean): HTMLElement {
  const count = Math.max(1, Math.ceil(item.payloadBits / 4));
  const column = (position: number): number => {
    const index = owner(item, position);
    return index < 0 ? 0 : 9 * index + 8 - (position - item.bytes[index]!.position);
  };
  return h(
    'div',
    { class: aligned ? 'digits lane' : 'digits' },
    ...Array.from({ length: count }, (_, i) => {
      const low = 4 * (count - 1 - i);
      const width = Math.min(4, item.payloadBits - low);
      const positions = Array.from({ length: width }, (_, j) => low + width - 1 - j);
      const known = positions.every((position) => owner(item, position) >= 0);
      const digit = h(
        'b',
        {},
        known ? (Math.floor(item.payload / 2 ** low) % 2 ** width).toString(16).toUpperCase() : '?',
      );
      digit.style.gridColumn = `${column(positions[0] ?? 0)} / ${column(low) + 1}`;
      const cells = positions.map((position) => {
        const one = cell(item, position);
        one.style.gridColumn = String(column(position));
        return one;
      });
      return h('span', { class: 'digit' }, digit, h('span', { class: 'bits' }, ...cells));
    }),
  );
}

/** Shows the same bits byte by byte, each at its final position. */
export function split(item: Explanation): HTMLElement {
  return h(
    'div',
    { class: 'byte-row' },
    ...item.bytes.map((byte) =>
      h(
        'span',
        { class: 'bits' },
        ...Array.from({ length: 8 }, (_, i) =>
          7 - i < byte.payload ? cell(item, byte.position + 7 - i) : h('span', { class: 'bit blank' }),
        ),
      ),
    ),
  );
}

/** Shows a byte whose bits can be flipped. */
export function flippable(byte: ExplainedByte, color: number, at: number): HTMLElement {
  return h(
    'span',
    { class: 'bits', role: 'group', 'aria-label': `byte ${hex(byte.value)} at ${at}` },
    ...Array.from({ length: 8 }, (_, i) => {
      const place = 7 - i;
      const carries = place < byte.payload;
      return h(
        'button',
        {
          type: 'button',
          class: carries ? `bit c${color}` : 'bit marker',
          tabindex: -1,
          'data-bit': at * 8 + i,
          'data-position': carries ? byte.position + place : null,
          'aria-label':
            `${bit(byte.value, place)}, ` +
            `${carries ? `payload bit ${byte.position + place}` : 'marker'}, bit ${place} of ${hex(byte.value)}`,
        },
        bit(byte.value, place),
      );
    }),
  );
}

/** Shows read-only bytes. */
export function still(item: Explanation): HTMLElement {
  return h(
    'span',
    { class: 'stills' },
    ...item.bytes.map((byte, index) =>
      h(
        'span',
        { class: 'still' },
        h('b', { class: `c${index}` }, hex(byte.value)),
        h('small', { 'aria-hidden': true }, ...runs(byte, index)),
      ),
    ),
  );
}

function runs(byte: ExplainedByte, index: number): Child[] {
  const all = Array.from({ length: 8 }, (_, i) => bit(byte.value, 7 - i)).join('');
  const markers = 8 - byte.payload;
  return [
    markers > 0 && h('span', { class: 'soft' }, all.slice(0, markers)),
    byte.payload > 0 && h('span', { class: `ink${index}` }, all.slice(markers)),
  ];
}
