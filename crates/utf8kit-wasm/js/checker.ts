import { type Encoding, type EncodingError, ERROR_KINDS, type ErrorKind } from './encoding.js';
import { encodingIndex, library, numbers, pieces, put, Stream } from './library.js';

/** An error and its place, line and column from 1; columns count code points, each error as one. */
export interface PlacedError extends EncodingError {
  line: number;
  column: number;
}

/** What a stream is like. */
export interface Counts {
  bytes: number;
  /** Well-formed code points. */
  codePoints: number;
  errors: number;
  /** Line feeds. */
  lines: number;
  kinds: Record<ErrorKind, number>;
}

/** Where errors lie: how many begin in each stretch of `binWidth` bytes. */
export interface Histogram {
  binWidth: number;
  bins: number[];
}

/** How often a code point occurs, and how many bytes it takes. */
export interface Occurrence {
  codePoint: number;
  count: number;
  len: number;
}

export interface CheckerOptions {
  encoding?: Encoding;
  /** How many errors are kept in full. */
  keep?: number;
  /** Whether every code point is counted. */
  census?: boolean;
}

/** Checks a stream of any length in little memory. Its findings may be asked for at any time. */
export class Checker extends Stream {
  constructor({ encoding = 'utf-8', keep = 1000, census = false }: CheckerOptions = {}) {
    super(library.checker(encodingIndex(encoding), keep, Number(census)));
  }

  push(bytes: Uint8Array): void {
    for (const piece of pieces(bytes)) library.push(this.handle, put(piece));
  }

  finish(): void {
    library.finish(this.handle);
  }

  counts(): Counts {
    const [bytes, codePoints, errors, lines, ...kinds] = this.#findings(0) as [number, number, number, number, ...number[]];
    const byKind = Object.fromEntries(ERROR_KINDS.map((kind, index) => [kind, kinds[index]]));
    return { bytes, codePoints, errors, lines, kinds: byKind as Record<ErrorKind, number> };
  }

  firstErrors(): PlacedError[] {
    const all = this.#findings(1);
    return Array.from({ length: all.length / 5 }, (_, index) => {
      const [offset, len, kind, line, column] = all.slice(5 * index) as [number, number, number, number, number];
      return { offset, len, kind: ERROR_KINDS[kind]!, line: line + 1, column: column + 1 };
    });
  }

  histogram(): Histogram {
    return { binWidth: this.#findings(0).at(-1)!, bins: this.#findings(2) };
  }

  census(): Occurrence[] {
    const all = this.#findings(3);
    return Array.from({ length: all.length / 3 }, (_, index) => {
      const [codePoint, count, len] = all.slice(3 * index) as [number, number, number];
      return { codePoint, count, len };
    });
  }

  #findings(what: number): number[] {
    library.findings(this.handle, what);
    return numbers();
  }
}
