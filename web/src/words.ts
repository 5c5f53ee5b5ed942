// Numbers and errors in words.
import type { ErrorKind, Explanation } from 'utf8kit';

export const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');
export const hexes = (bytes: Iterable<number>): string => Array.from(bytes, hex).join(' ');
export const codePoint = (value: number): string => `U+${value.toString(16).toUpperCase().padStart(4, '0')}`;

const grouped = new Intl.NumberFormat('en');
export const number = (value: number): string => grouped.format(value);
export const counted = (value: number, noun: string): string => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;

/** A size for people. */
export function size(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), 4);
  return `${(bytes / 1024 ** power).toFixed(1)} ${['', 'KiB', 'MiB', 'GiB', 'TiB'][power]}`;
}

/** Something to look at for a code point: itself if it shows, a picture of a control, or nothing. */
export function glyph(value: number): string {
  if (value <= 0x20) return String.fromCodePoint(0x2400 + value);
  if (value === 0x7f) return '\u2421';
  if (value > 0x10ffff) return '';
  const text = String.fromCodePoint(value);
  if (/\p{M}/u.test(text)) return `\u25cc${text}`;
  return /[\p{C}\p{Z}]/u.test(text) ? '' : text;
}

/** A code point with its glyph. */
export function shown(value: number): string {
  const text = glyph(value);
  return text && value > 0x20 ? `${codePoint(value)} “${text}”` : codePoint(value);
}

export const KINDS: Record<ErrorKind, string> = {
  overlong: 'overlong form',
  surrogate: 'surrogate',
  too_large: 'value too large',
  truncated: 'truncated sequence',
  unexpected_continuation: 'unexpected continuation byte',
  invalid_byte: 'invalid byte',
};

const REASONS: Record<ErrorKind, string> = {
  overlong: 'A longer form than the value needs. Taking it lets a “/” or a quote slip past whoever looks for its one true byte.',
  surrogate: 'A half of a UTF-16 pair, which this encoding does not write in this way.',
  too_large: 'A value beyond the last that this encoding writes.',
  truncated: 'A sequence begins here, but is not finished.',
  unexpected_continuation: 'A byte that goes on with a sequence, but none has begun.',
  invalid_byte: 'No sequence of this encoding holds this byte here.',
};

/** An error in sentences: what, what was expected, and what a lax decoder would have read. */
export function explanation(item: Explanation): string[] {
  if (item.kind === null) return [];
  const sentences = [REASONS[item.kind]];
  if (item.expected) {
    const found = item.next === null ? 'the end' : hex(item.next);
    const [low, high] = item.expected;
    const range = low === high ? hex(low) : `${hex(low)} to ${hex(high)}`;
    sentences.push(`After ${hexes(item.bytes.map((byte) => byte.value))}, expected ${range}, found ${found}.`);
  }
  if (item.lax !== null) sentences.push(`A lax decoder would have read ${shown(item.lax)}.`);
  return sentences;
}
