import { ERROR_KINDS, type ErrorKind } from './names.js';

/** An error: `len` bytes at `offset`, and its kind. Errors of legacy encodings are `malformed`. */
export interface EncodingError {
  offset: number;
  len: number;
  kind: ErrorKind | 'malformed' | 'unrepresentable';
}

/** An error with its line and column, both from 1. Columns count code points, with each error as one. */
export interface PlacedError extends EncodingError {
  line: number;
  column: number;
}

/**
 * Returns the error from the library's numbers.
 * @internal
 */
export function errorFrom([offset, len, kind]: Float64Array): EncodingError {
  return { offset: offset!, len: len!, kind: ERROR_KINDS[kind!]! };
}

/** Thrown by a strict operation for invalid input, or for a value that the target cannot represent. */
export class ConvertError extends TypeError {
  override readonly name = 'ConvertError';
  readonly error: EncodingError;

  constructor(error: EncodingError) {
    super(`${error.kind} at byte ${error.offset}`);
    this.error = error;
  }
}
