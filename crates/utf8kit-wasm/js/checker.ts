import { type Bytes, bytesOf, pieces } from './bytes.js';
import { type Encoding, type EncodingError, encodingIndex, ERROR_KINDS, type ErrorKind } from './encoding.js';
import { library, numbers, put } from './library.js';
import { Stream } from './stream.js';

/** An error with its line and column, both from 1. Columns count code points, with each error as one. */
export interface PlacedError extends EncodingError {
  line: number;
  column: number;
}

/** The counts of a stream. */
export interface Counts {
  bytes: number;
  /** The number of well-formed code points. */
  codePoints: number;
  errors: number;
  /** The number of line feeds. */
  lines: number;
  kinds: Record<ErrorKind, number>;
}

/** Where errors lie: how many begin in each range of `binWidth` bytes. */
export interface Histogram {
  binWidth: number;
  bins: number[];
}

/** How often a code point occurs, and its length in bytes. */
export interface Occurrence {
  codePoint: number;
  count: number;
  len: number;
}

export interface CheckerOptions {
  encoding?: Encoding;
  /** How many errors to keep in full. Default: 1000. */
  keep?: number;
  /** Whether to count every code point, for `codePoints`. */
  countCodePoints?: boolean;
}

/** Checks a stream of any length in bounded memory. Its findings are available at any time. */
export class Checker extends Stream {
  constructor({ encoding = 'utf-8', keep = 1000, countCodePoints = false }: CheckerOptions = {}) {
    super(library().checker(encodingIndex(encoding), Math.min(keep, 0xffff_ffff), Number(countCodePoints)));
  }

  push(bytes: Bytes): void {
    for (const piece of pieces(bytesOf(bytes))) library().push(this.handle, put(piece));
  }

  finish(): void {
    library().finish(this.handle);
  }

  counts(): Counts {
    const [bytes, codePoints, errors, lines, ...kinds] = this.#findings(0) as unknown as [number, number, number, number, ...number[]];
    const byKind = Object.fromEntries(ERROR_KINDS.map((kind, index) => [kind, kinds[index]]));
    return { bytes, codePoints, errors, lines, kinds: byKind as Record<ErrorKind, number> };
  }

  /** Returns the first errors that are kept. */
  firstErrors(): PlacedError[] {
    const all = this.#findings(1);
    const errors: PlacedError[] = [];
    for (let at = 0; at < all.length; at += 5) {
      errors.push({
        offset: all[at]!, len: all[at + 1]!, kind: ERROR_KINDS[all[at + 2]!]!, line: all[at + 3]! + 1, column: all[at + 4]! + 1,
      });
    }
    return errors;
  }

  histogram(): Histogram {
    const binWidth = this.#findings(0).at(-1)!;
    return { binWidth, bins: Array.from(this.#findings(2)) };
  }

  /** Returns how often each code point occurs, if `countCodePoints` is set. */
  codePoints(): Occurrence[] {
    const all = this.#findings(3);
    const occurrences: Occurrence[] = [];
    for (let at = 0; at < all.length; at += 3) {
      occurrences.push({ codePoint: all[at]!, count: all[at + 1]!, len: all[at + 2]! });
    }
    return occurrences;
  }

  #findings(what: number): Float64Array {
    library().findings(this.handle, what);
    return numbers();
  }
}
