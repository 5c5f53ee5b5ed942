import { type Bytes, bytesOf, countOf, pieces } from './bytes.js';
import { encodingIndex } from './encoding.js';
import type { PlacedError } from './error.js';
import { type Exports, library } from './library.js';
import { type Encoding, ERROR_KINDS, type ErrorKind } from './names.js';
import { Closeable, Handle } from './handle.js';

/** The counts of a stream. */
export interface Counts {
  bytes: number;
  /** The number of well-formed code points. */
  codePoints: number;
  errors: number;
  /** The number of places with errors. The errors of one intended sequence are one place. */
  places: number;
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

/** Errors are taken from the module after this many bytes, so that it holds few, however many there are. */
const STEP = 64 * 1024;

/** Checks a stream of any length in bounded memory. Its findings are available at any time. */
export class Checker extends Closeable {
  readonly #handle: Handle<Exports>;
  readonly #keep: number;
  readonly #errors: PlacedError[] = [];

  constructor({ encoding = 'utf-8', keep = 1000, countCodePoints = false }: CheckerOptions = {}) {
    const most = countOf('keep', keep);
    const index = encodingIndex(encoding);
    const handle = new Handle(library, ({ call }) =>
      call.checker(index, Math.min(most, 0xffff_ffff), Number(countCodePoints)),
    );
    super(handle);
    this.#handle = handle;
    this.#keep = most;
  }

  push(bytes: Bytes): void {
    this.#push(bytesOf(bytes));
  }

  finish(): void {
    const { number, wasm } = this.#handle;
    wasm.call.finish(number);
    this.#take();
  }

  /**
   * Returns the first errors of a whole input, up to `keep`, and reads no further.
   * @internal
   */
  all(bytes: Uint8Array): PlacedError[] {
    this.#push(bytes, this.#keep);
    if (this.#errors.length < this.#keep) this.finish();
    return this.#errors;
  }

  /** Adds a piece, or a part of it with at most this many errors. */
  #push(bytes: Uint8Array, enough = Infinity): void {
    for (const piece of pieces(bytes, STEP)) {
      if (this.#errors.length >= enough) return;
      const { number, wasm } = this.#handle;
      wasm.call.push(number, wasm.put(piece));
      this.#take();
    }
  }

  /** Takes the new errors out of the module. */
  #take(): void {
    const { number, wasm } = this.#handle;
    while (this.#errors.length < this.#keep) {
      wasm.call.take_errors(number);
      const all = wasm.numbers();
      if (all.length === 0) return;
      for (let at = 0; at < all.length; at += 5) {
        this.#errors.push({
          offset: all[at]!,
          len: all[at + 1]!,
          kind: ERROR_KINDS[all[at + 2]!]!,
          line: all[at + 3]! + 1,
          column: all[at + 4]! + 1,
        });
      }
    }
  }

  counts(): Counts {
    const [bytes, codePoints, errors, places, lines, ...kinds] = this.#findings(0) as unknown as [
      number,
      number,
      number,
      number,
      number,
      ...number[],
    ];
    const byKind = Object.fromEntries(ERROR_KINDS.map((kind, index) => [kind, kinds[index]]));
    return { bytes, codePoints, errors, places, lines, kinds: byKind as Record<ErrorKind, number> };
  }

  /** Returns the first errors that are kept. */
  firstErrors(): PlacedError[] {
    return this.#errors.slice();
  }

  histogram(): Histogram {
    const binWidth = this.#findings(0).at(-1)!;
    return { binWidth, bins: Array.from(this.#findings(1)) };
  }

  /** Returns how often each code point occurs, if `countCodePoints` is set. */
  codePoints(): Occurrence[] {
    const occurrences: Occurrence[] = [];
    for (let first = 0; ;) {
      const page = this.#findings(2, first);
      if (page.length === 0) return occurrences;
      for (let at = 0; at < page.length; at += 3) {
        occurrences.push({ codePoint: page[at]!, count: page[at + 1]!, len: page[at + 2]! });
      }
      first = occurrences.at(-1)!.codePoint + 1;
    }
  }

  #findings(what: number, first = 0): Float64Array {
    const { number, wasm } = this.#handle;
    wasm.call.findings(number, what, first);
    return wasm.numbers();
  }
}
