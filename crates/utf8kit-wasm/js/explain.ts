import { type Encoding, type ErrorKind, ERROR_KINDS } from './encoding.js';
import { encodingIndex, library, numbers, PIECE, put } from './library.js';

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

const RECORD = 30;
const BYTES = 12;

/** Explains every item in order; for inputs that a person would look at (at most 256 KiB). */
export function explain(bytes: Uint8Array, encoding: Encoding = 'utf-8'): Explanation[] {
  if (bytes.length > PIECE) throw new RangeError(`explain takes at most ${PIECE} bytes`);
  library.explain(encodingIndex(encoding), put(bytes));
  const all = numbers();
  const or = (number: number) => (number < 0 ? null : number);
  return Array.from({ length: all.length / RECORD }, (_, index) => {
    const record = all.slice(index * RECORD, (index + 1) * RECORD);
    const [offset, len, value, kind, payload, payloadBits, base, lengthClass, next, low, high, lax] = record as
      [number, number, number, number, number, number, number, number, number, number, number, number];
    return {
      offset, len, payload, payloadBits, base, lengthClass,
      codePoint: or(value),
      kind: kind < 0 ? null : ERROR_KINDS[kind]!,
      next: or(next),
      expected: low < 0 ? null : [low, high],
      lax: or(lax),
      bytes: Array.from({ length: len }, (_, byte) => {
        const [value, payload, position] = record.slice(BYTES + 3 * byte) as [number, number, number];
        return { value, payload, position };
      }),
    };
  });
}
