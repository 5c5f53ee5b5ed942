import { library, names, numbers, output, put } from './library.js';

/** All encodings, in the library's order; the seven dialects of UTF-8 first. */
export const ENCODINGS = [
  'utf-8', 'utf-8-21bit', 'utf-8-31bit', 'utf-8-offset', 'cesu-8', 'mutf-8', 'wtf-8',
  'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be', 'wtf-16le', 'wtf-16be', 'latin1',
] as const;

/** An encoding of the library. Other spellings of the names are accepted as well. */
export type Encoding = (typeof ENCODINGS)[number];

/** All kinds of errors, in the library's order. */
export const ERROR_KINDS = [
  'overlong', 'surrogate', 'too_large', 'truncated', 'unexpected_continuation', 'invalid_byte',
] as const;

/** Why a span of bytes is not a sequence of its encoding. */
export type ErrorKind = (typeof ERROR_KINDS)[number];

let indices: Map<string, number> | undefined;

/** Returns the library's index of an encoding. */
export function encodingIndex(name: string): number {
  indices ??= new Map(names(1).map((known, index) => [known, index]));
  return indices.get(name) ?? otherSpelling(name);
}

function otherSpelling(name: string): number {
  // The names are ASCII.
  const letters = typeof name === 'string' && name.length <= 64 ? Uint8Array.from(name, (letter) => Math.min(letter.codePointAt(0)!, 255)) : null;
  const index = letters ? library().encoding_named(put(letters)) : -1;
  if (index < 0) throw new RangeError(`unknown encoding: ${String(name)}`);
  return index;
}

/** An error: `len` bytes at `offset`, and why. */
export interface EncodingError {
  offset: number;
  len: number;
  kind: ErrorKind;
}

/** Returns the error from the library's numbers. */
export function lastError(): EncodingError {
  const [offset, len, kind] = numbers();
  return { offset: offset!, len: len!, kind: ERROR_KINDS[kind!]! };
}

/** Thrown by a strict operation for ill-formed input, or a value that the target cannot represent. */
export class ConvertError extends TypeError {
  override readonly name = 'ConvertError';
  readonly error: EncodingError;

  constructor(error: EncodingError) {
    super(`${error.kind} at byte ${error.offset}`);
    this.error = error;
  }
}

/**
 * Returns the bytes of one code point, or `null` if the encoding cannot represent it. Throws a RangeError if the code
 * point is not an integer from 0 to 2^32 - 1.
 */
export function encode(codePoint: number, encoding: Encoding = 'utf-8'): Uint8Array<ArrayBuffer> | null {
  if (!Number.isInteger(codePoint) || codePoint < 0 || codePoint > 0xffff_ffff) {
    throw new RangeError(`not a code point: ${String(codePoint)}`);
  }
  return library().encode(encodingIndex(encoding), codePoint) ? null : output().slice();
}

/** A form of a dialect: a family of sequences by byte ranges. */
export interface Form {
  /** The range of each byte, both ends inclusive. */
  ranges: [number, number][];
  /** The first and the last value. */
  first: number;
  last: number;
  /** The number of code points that it encodes. */
  count: number;
}

/** How many numbers describe a form (FORM in ../src/explained.rs). */
const FORM = 16;

/** Returns the forms of a dialect, from the library's grammar; none for an encoding that is not a dialect of UTF-8. */
export function forms(encoding: Encoding): Form[] {
  library().forms(encodingIndex(encoding));
  const all = Array.from(numbers());
  return Array.from({ length: all.length / FORM }, (_, index) => {
    const [len, first, last, count, ...ends] = all.slice(index * FORM, (index + 1) * FORM);
    const ranges = Array.from({ length: len! }, (_, byte): [number, number] => [ends[2 * byte]!, ends[2 * byte + 1]!]);
    return { ranges, first: first!, last: last!, count: count! };
  });
}
