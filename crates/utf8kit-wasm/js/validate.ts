import { type Bytes, bytesOf, countOf, PIECE, pieces } from './bytes.js';
import { Checker } from './checker.js';
import { type AnyEncoding, encodingIndex, resolved } from './encoding.js';
import { type EncodingError, errorFrom, type PlacedError } from './error.js';
import { legacyErrors } from './legacy.js';
import { type Exports, isUtf8, library } from './library.js';
import { type Encoding, ENCODINGS } from './names.js';
import { Closeable, closing, Handle } from './handle.js';

/** Returns the first error, or `null` if the bytes are well-formed. */
export function validate(source: Bytes, encoding: AnyEncoding = 'utf-8'): EncodingError | null {
  // The shortest path, for short inputs. A detached input has length zero, and the engine rejects inputs that are not
  // arrays.
  if (encoding === 'utf-8' && (source as Uint8Array).length > 0 && isUtf8 !== undefined) {
    try {
      if (isUtf8(source as Uint8Array)) return null;
    } catch {
      // The code below classifies it, because Deno also rejects some arrays.
    }
  }
  return firstError(source, encoding);
}

function firstError(source: Bytes, encoding: AnyEncoding): EncodingError | null {
  const bytes = bytesOf(source);
  const found = resolved(encoding);
  if (typeof found === 'string') {
    const [first] = legacyErrors(bytes, found, 1);
    return first ? { offset: first.offset, len: first.len, kind: first.kind } : null;
  }
  if (bytes.length <= PIECE) {
    const wasm = library.running;
    return wasm.call.validate(found, wasm.put(bytes)) ? errorFrom(wasm.numbers()) : null;
  }
  return closing(new Validator(ENCODINGS[found]!), (validator) => validator.push(bytes) ?? validator.finish());
}

/**
 * Returns the errors in order, with their lines and columns: the first `limit` of them, or all if that is `Infinity`.
 */
export function errors(source: Bytes, encoding: AnyEncoding = 'utf-8', limit: number = 100_000): PlacedError[] {
  const bytes = bytesOf(source);
  const most = countOf('limit', limit);
  const found = resolved(encoding);
  if (most === 0) return [];
  if (typeof found === 'string') return legacyErrors(bytes, found, most);
  return closing(new Checker({ encoding: ENCODINGS[found]!, keep: most }), (checker) => checker.all(bytes));
}

/** Counts the code points, with each error as one, which is the count of the repaired text. */
export function count(bytes: Bytes, encoding: Encoding = 'utf-8'): number {
  return closing(new Checker({ encoding, keep: 0 }), (checker) => {
    checker.push(bytes);
    checker.finish();
    const { codePoints, errors } = checker.counts();
    return codePoints + errors;
  });
}

/**
 * How much of a text around a position decides whether it is a boundary: more than any sequence, in whole code units.
 */
const AROUND = 64;

/** Returns the longest prefix of at most `size` bytes that splits no character, as a view. */
export function truncate<B extends Uint8Array>(bytes: B, size: number, encoding: Encoding = 'utf-8'): B {
  const text = bytesOf(bytes);
  const most = countOf('size', size);
  if (most >= text.length) return bytes;
  const start = Math.max(0, most - (most % 4) - AROUND);
  const wasm = library.running;
  const len = wasm.put(text.subarray(start, most + AROUND));
  return bytes.subarray(0, start + wasm.call.floor_char_boundary(encodingIndex(encoding), len, most - start)) as B;
}

/** Validates a stream. */
export class Validator extends Closeable {
  readonly #handle: Handle<Exports>;

  constructor(encoding: Encoding = 'utf-8') {
    const index = encodingIndex(encoding);
    const handle = new Handle(library, ({ call }) => call.validator(index));
    super(handle);
    this.#handle = handle;
  }

  /** Adds a piece. Returns the stream's first error as soon as no further input can change it, otherwise `null`. */
  push(bytes: Bytes): EncodingError | null {
    for (const piece of pieces(bytesOf(bytes))) {
      const error = this.pushRoom(this.#handle.wasm.put(piece));
      if (error) return error;
    }
    return null;
  }

  /**
   * Returns memory into which a piece can be written without a copy. Write at most its length, then call `pushRoom`.
   */
  room(): Uint8Array {
    return this.#handle.wasm.input();
  }

  /** Adds the first `length` bytes of `room()` as the next piece. */
  pushRoom(length: number): EncodingError | null {
    const { number, wasm } = this.#handle;
    return wasm.call.push(number, length) ? errorFrom(wasm.numbers()) : null;
  }

  /** Ends the stream. */
  finish(): EncodingError | null {
    const { number, wasm } = this.#handle;
    return wasm.call.finish(number) ? errorFrom(wasm.numbers()) : null;
  }
}
