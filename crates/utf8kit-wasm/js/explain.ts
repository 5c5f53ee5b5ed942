import { type Bytes, bytesOf } from './bytes.js';
import { type Encoding, encodingIndex, ERROR_KINDS, type ErrorKind } from './encoding.js';
import { library, numbers, PIECE, put } from './library.js';

/** A byte of an item. Its lowest `payload` bits are payload, the lowest of them bit `position` of the item's. */
export interface ExplainedByte {
  value: number;
  payload: number;
  position: number;
}

/** A code point or an error, bit by bit. */
export interface Explanation {
  /** Where it begins, in bytes. */
  offset: number;
  /** How many bytes it spans. */
  len: number;
  /** The code point; `null` for an error. */
  codePoint: number | null;
  /** Why there is none; `null` for a code point. */
  kind: ErrorKind | null;
  /** The payload bits gathered. For an error, as far as they go. */
  payload: number;
  /** How many there are, or would be. */
  payloadBits: number;
  /** What the payload counts from. */
  base: number;
  /** How many bytes the lead announces; 0 if none. */
  lengthClass: number;
  /** For an error, the byte that broke it off, if there is one. */
  next: number | null;
  /** For an error, the range that would have let it go on. */
  expected: [number, number] | null;
  /** For an error, what a decoder that trusts length and markers alone would read. */
  lax: number | null;
  bytes: ExplainedByte[];
}

/** How many numbers describe an item, and where those of its bytes begin (RECORD in ../src/explained.rs). */
const RECORD = 30;
const BYTES = 12;

/**
 * Explains every item in order, for inputs that a person would look at: throws a RangeError beyond 256 KiB.
 */
export function explain(source: Bytes, encoding: Encoding = 'utf-8'): Explanation[] {
  const input = bytesOf(source);
  if (input.length > PIECE) throw new RangeError(`explain takes at most ${PIECE} bytes`);
  library().explain(encodingIndex(encoding), put(input));
  const all = numbers();
  const or = (number: number) => (number < 0 ? null : number);
  const items: Explanation[] = [];
  for (let at = 0; at < all.length; at += RECORD) {
    const [offset, len, value, kind, payload, payloadBits, base, lengthClass, next, low, high, lax] = all.subarray(at, at + BYTES) as
      unknown as [number, number, number, number, number, number, number, number, number, number, number, number];
    const bytes: ExplainedByte[] = [];
    for (let byte = at + BYTES; byte < at + BYTES + 3 * len; byte += 3) {
      bytes.push({ value: all[byte]!, payload: all[byte + 1]!, position: all[byte + 2]! });
    }
    items.push({
      offset, len, payload, payloadBits, base, lengthClass, bytes,
      codePoint: or(value),
      kind: kind < 0 ? null : ERROR_KINDS[kind]!,
      next: or(next),
      expected: low < 0 ? null : [low, high],
      lax: or(lax),
    });
  }
  return items;
}
