import { Checker, type PlacedError } from './checker.js';
import { type Encoding, type EncodingError, lastError } from './encoding.js';
import { encodingIndex, input, library, PIECE, pieces, put, Stream } from './library.js';

/** The first error, or `null`. */
export function validate(bytes: Uint8Array, encoding: Encoding = 'utf-8'): EncodingError | null {
  const index = encodingIndex(encoding);
  if (bytes.length <= PIECE) return library.validate(index, put(bytes)) ? lastError() : null;
  const validator = new Validator(encoding);
  try {
    return validator.push(bytes) ?? validator.finish();
  } finally {
    validator.close();
  }
}

/** All errors in order, with their lines and columns; the first `limit` of them if one is given. */
export function errors(bytes: Uint8Array, encoding: Encoding = 'utf-8', limit = 0xffff_ffff): PlacedError[] {
  const checker = new Checker({ encoding, keep: limit });
  try {
    checker.push(bytes);
    checker.finish();
    return checker.firstErrors();
  } finally {
    checker.close();
  }
}

/** Code points, each error counting as one: those of the repaired text. */
export function count(bytes: Uint8Array, encoding: Encoding = 'utf-8'): number {
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
    super(library.validator(encodingIndex(encoding)));
  }

  /** Takes a piece: the stream's first error as soon as nothing can take it back, else `null`. */
  push(bytes: Uint8Array): EncodingError | null {
    for (const piece of pieces(bytes)) {
      if (library.push(this.handle, put(piece))) return lastError();
    }
    return null;
  }

  /** Where a piece can be written without a copy: read up to its length into it, then call `pushRoom`. */
  room(): Uint8Array {
    return input();
  }

  /** Takes the first `length` bytes of `room()` as the next piece. */
  pushRoom(length: number): EncodingError | null {
    return library.push(this.handle, length) ? lastError() : null;
  }

  /** Ends the stream. */
  finish(): EncodingError | null {
    return library.finish(this.handle) ? lastError() : null;
  }
}
