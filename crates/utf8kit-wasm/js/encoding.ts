import { encodingIndex, encodingNames, kindNames, library, numbers, output } from './library.js';

/** The encodings of the library; other spellings of their names are understood as well. */
export type Encoding =
  | 'utf-8' | 'utf-8-21bit' | 'utf-8-31bit' | 'utf-8-offset' | 'cesu-8' | 'mutf-8' | 'wtf-8'
  | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be' | 'wtf-16le' | 'wtf-16be' | 'latin1';

/** Why a span of bytes is not a sequence of its encoding. */
export type ErrorKind =
  | 'overlong' | 'surrogate' | 'too_large' | 'truncated' | 'unexpected_continuation' | 'invalid_byte';

/** All encodings, the seven dialects of UTF-8 first. */
export const ENCODINGS = encodingNames as readonly Encoding[];

/** All kinds of error. */
export const ERROR_KINDS = kindNames as readonly ErrorKind[];

/** One error: `len` bytes at `offset`, and why. */
export interface EncodingError {
  offset: number;
  len: number;
  kind: ErrorKind;
}

/** The error that stands in the library's numbers. */
export function lastError(): EncodingError {
  const [offset, len, kind] = numbers();
  return { offset: offset!, len: len!, kind: ERROR_KINDS[kind!]! };
}

/** A strict operation met something ill-formed, or a value that the target cannot hold. */
export class ConvertError extends TypeError {
  override readonly name = 'ConvertError';
  readonly error: EncodingError;

  constructor(error: EncodingError) {
    super(`${error.kind} at byte ${error.offset}`);
    this.error = error;
  }
}

/** The bytes of one code point, or `null` if the encoding does not hold it. */
export function encode(codePoint: number, encoding: Encoding = 'utf-8'): Uint8Array<ArrayBuffer> | null {
  return library.encode(encodingIndex(encoding), codePoint) ? null : output().slice();
}

/** A form of a dialect: a family of sequences by byte ranges. */
export interface Form {
  /** The range of each byte, both ends included. */
  ranges: [number, number][];
  /** The first value and the last. */
  first: number;
  last: number;
  /** How many code points it writes. */
  count: number;
}

const FORM = 16;

/** The forms of a dialect, from the library's grammar; none for an encoding that is no dialect of UTF-8. */
export function forms(encoding: Encoding): Form[] {
  library.forms(encodingIndex(encoding));
  const all = numbers();
  return Array.from({ length: all.length / FORM }, (_, index) => {
    const [len, first, last, count, ...ends] = all.slice(index * FORM, (index + 1) * FORM);
    const ranges = Array.from({ length: len! }, (_, byte): [number, number] => [ends[2 * byte]!, ends[2 * byte + 1]!]);
    return { ranges, first: first!, last: last!, count: count! };
  });
}
