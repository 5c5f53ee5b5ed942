import { type Bytes, bytesOf, pieces } from './bytes.js';
import { Checker, type PlacedError } from './checker.js';
import { type Encoding, type EncodingError, encodingIndex, lastError } from './encoding.js';
import { input, library, PIECE, put } from './library.js';
import { Stream } from './stream.js';

/** Returns the first error, or `null` if the bytes are well-formed. */
export function validate(source: Bytes, encoding: Encoding = 'utf-8'): EncodingError | null {
  const bytes = bytesOf(source);
  const index = encodingIndex(encoding);
  if (bytes.length <= PIECE) return library().validate(index, put(bytes)) ? lastError() : null;
  const validator = new Validator(encoding);
  try {
    return validator.push(bytes) ?? validator.finish();
  } finally {
    validator.close();
  }
}

/** Returns all errors in order, with their lines and columns; only the first `limit` of them if it is given. */
export function errors(bytes: Bytes, encoding: Encoding = 'utf-8', limit: number = Infinity): PlacedError[] {
  const checker = new Checker({ encoding, keep: limit });
  try {
    checker.push(bytes);
    checker.finish();
    return checker.firstErrors();
  } finally {
    checker.close();
  }
}

/** Counts the code points, with each error as one: those of the repaired text. */
export function count(bytes: Bytes, encoding: Encoding = 'utf-8'): number {
  const checker = new Checker({ encoding, keep: 0 });
  try {
    checker.push(bytes);
    checker.finish();
    const { codePoints, errors } = checker.counts();
    return codePoints + errors;
  } finally {
    checker.close();
  }
}

/** Validates a stream. */
export class Validator extends Stream {
  constructor(encoding: Encoding = 'utf-8') {
    super(library().validator(encodingIndex(encoding)));
  }

  /** Adds a piece. Returns the stream's first error as soon as no further input can change it, else `null`. */
  push(bytes: Bytes): EncodingError | null {
    for (const piece of pieces(bytesOf(bytes))) {
      if (library().push(this.handle, put(piece))) return lastError();
    }
    return null;
  }

  /**
   * Returns memory where a piece can be written without a copy: write at most its length there, then call `pushRoom`.
   */
  room(): Uint8Array {
    return input();
  }

  /** Adds the first `length` bytes of `room()` as the next piece. */
  pushRoom(length: number): EncodingError | null {
    return library().push(this.handle, length) ? lastError() : null;
  }

  /** Ends the stream. */
  finish(): EncodingError | null {
    return library().finish(this.handle) ? lastError() : null;
  }
}
