import { type Bytes, bytesOf, PIECE } from './bytes.js';
import { encodingIndex } from './encoding.js';
import { library } from './library.js';
import { type Encoding, ERROR_KINDS, type ErrorKind } from './names.js';

/**
 * A byte of an item. Its lowest `payload` bits are payload; the lowest of them is bit `position` of the item's payload.
 */
export interface ExplainedByte {
  value: number;
  payload: number;
  position: number;
}

/** A code point or an error, bit by bit. */
export interface Explanation {
  /** Where it begins, in bytes. */
  offset: number;
  /** Its length in bytes. */
  len: number;
  /** The code point; `null` for an error. */
  codePoint: number | null;
  /** Why there is none; `null` for a code point. */
  kind: ErrorKind | null;
  /** The combined payload bits. For an error, the bits that are present. */
  payload: number;
  /** The number of payload bits, including those of missing bytes. */
  payloadBits: number;
  /** The number that is added to the payload. */
  base: number;
  /** The number of bytes that the lead byte announces; 0 if it announces none. */
  lengthClass: number;
  /** For an error, the byte that interrupted it, if there is one. */
  next: number | null;
  /** For an error, the range of bytes that would have continued it. */
  expected: [number, number] | null;
  /** For an error, the value that a decoder would read if it trusted only length and markers. */
  lax: number | null;
  bytes: ExplainedByte[];
}

/**
 * The length of an item in numbers, and the start of the numbers of its bytes (RECORD in
 * ../src/library/explanation.rs).
 */
const RECORD = 30;
const BYTES = 12;

/**
 * Explains every item in order, for inputs that people read. Throws a RangeError beyond 256 KiB.
 */
export function explain(source: Bytes, encoding: Encoding = 'utf-8'): Explanation[] {
  const input = bytesOf(source);
  if (input.length > PIECE) throw new RangeError(`explain takes at most ${PIECE} bytes`);
  const index = encodingIndex(encoding);
  const wasm = library.running;
  wasm.call.explain(index, wasm.put(input));
  const all = wasm.numbers();
  const or = (number: number) => (number < 0 ? null : number);
  const items: Explanation[] = [];
  for (let at = 0; at < all.length; at += RECORD) {
    const [offset, len, value, kind, payload, payloadBits, base, lengthClass, next, low, high, lax] = all.subarray(
      at,
      at + BYTES,
    ) as unknown as [number, number, number, number, number, number, number, number, number, number, number, number];
    const bytes: ExplainedByte[] = [];
    for (let byte = at + BYTES; byte < at + BYTES + 3 * len; byte += 3) {
      bytes.push({ value: all[byte]!, payload: all[byte + 1]!, position: all[byte + 2]! });
    }
    items.push({
      offset,
      len,
      payload,
      payloadBits,
      base,
      lengthClass,
      bytes,
      codePoint: or(value),
      kind: kind < 0 ? null : ERROR_KINDS[kind]!,
      next: or(next),
      expected: low < 0 ? null : [low, high],
      lax: or(lax),
    });
  }
  library.rest();
  return items;
}

/** The positions of the items of an input without explanations, for texts that are too long to explain as a whole. */
export interface Outline {
  /** Where each item begins, in bytes, and the end. */
  offsets: Uint32Array;
  /**
   * For each item: 1 for an error, 2 for a code point of two UTF-16 units, 5 for an error that continues what a lax
   * decoder would read as one sequence.
   */
  flags: Uint8Array;
}

/** How many bytes a piece of an outline looks ahead: the longest sequence, in whole code units. */
const AHEAD = 8;

/** Returns where every code point and every error begins. */
export function outline(source: Bytes, encoding: Encoding = 'utf-8'): Outline {
  const bytes = bytesOf(source);
  const index = encodingIndex(encoding);
  const offsets = new Uint32Array(bytes.length + 1);
  const flags = new Uint8Array(bytes.length);
  let count = 0;
  for (let start = 0; start < bytes.length;) {
    const piece = bytes.subarray(start, start + PIECE);
    const last = start + piece.length === bytes.length;
    const wasm = library.running;
    wasm.call.outline(index, wasm.put(piece));
    const all = wasm.numbers();
    let next = bytes.length;
    for (let at = 0; at < all.length; at += 1) {
      const flag = all[at]! % 8;
      const offset = (all[at]! - flag) / 8;
      // The last items may depend on the next bytes. Items of one sequence stay together.
      if (!last && offset >= piece.length - AHEAD && flag !== 5) {
        next = start + offset;
        break;
      }
      offsets[count] = start + offset;
      flags[count] = flag;
      count += 1;
    }
    start = next;
  }
  offsets[count] = bytes.length;
  return { offsets: offsets.slice(0, count + 1), flags: flags.slice(0, count) };
}

/** The description of an error in plain English. */
export interface Description {
  what: string;
  /** The bytes that would have continued the sequence; empty if there are none. */
  expected: string;
  /** The reading of a decoder that trusts only length and markers; empty if there is none. */
  lax: string;
}

/** Describes the error that begins at `offset`. The bytes after it are taken into account. */
export function describe(source: Bytes, offset: number = 0, encoding: Encoding = 'utf-8'): Description {
  const bytes = bytesOf(source).subarray(offset, offset + 2 * AHEAD);
  const index = encodingIndex(encoding);
  const wasm = library.running;
  wasm.call.describe(index, wasm.put(bytes));
  const [what = '', expected = '', lax = ''] = wasm.lines();
  return { what, expected, lax };
}
