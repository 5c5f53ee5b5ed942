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
  // The shortest way, for short inputs. What is detached has no length; what is not an array, the engine refuses.
  if (encoding === 'utf-8' && (source as Uint8Array).length > 0 && isUtf8 !== undefined) {
    try {
      if (isUtf8(source as Uint8Array)) return null;
    } catch {
      // It is told below what it is, and Deno refuses some of what is an array.
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

/** Counts the code points, with each error as one: those of the repaired text. */
export function count(bytes: Bytes, encoding: Encoding = 'utf-8'): number {
  return closing(new Checker({ encoding, keep: 0 }), (checker) => {
    checker.push(bytes);
    checker.finish();
    const { codePoints, errors } = checker.counts();
    return codePoints + errors;
  });
}

/** How much of a text around a place tells whether it is a boundary: more than any sequence, and whole code units. */
const AROUND = 64;

/** Returns the longest front of some bytes that has at most `size` of them and splits no character: a view. */
export function truncate<B extends Uint8Array>(bytes: B, size: number, encoding: Encoding = 'utf-8'): B {
  const text = bytesOf(bytes);
  const most = countOf('size', size);
  if (most >= text.length) return bytes;
  const start = Math.max(0, most - (most % 4) - AROUND);
  const wasm = library.running;
  const len = wasm.put(text.subarray(start, most + AROUND));
  return bytes.subarray(0, start + wasm.call.floor(encodingIndex(encoding), len, most - start)) as B;
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

  /** Adds a piece. Returns the stream's first error as soon as no further input can change it, else `null`. */
  push(bytes: Bytes): EncodingError | null {
    for (const piece of pieces(bytesOf(bytes))) {
      const error = this.pushRoom(this.#handle.wasm.put(piece));
      if (error) return error;
    }
    return null;
  }

  /**
   * Returns memory where a piece can be written without a copy: write at most its length there, then call `pushRoom`.
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
