/// <reference lib="esnext.disposable" preserve="true" />
import type { Output } from './bytes.js';
import type { Instance, Library, Shared } from './library.js';

/**
 * Closes garbage-collected resources, unless their module was restarted. Some configurations of Cloudflare Workers lack
 * the registry.
 */
const forgotten =
  typeof FinalizationRegistry === 'undefined' ? null : new FinalizationRegistry<() => void>((close) => close());

/** An open resource of a module: a stream or a document. */
export class Closeable {
  #close: (() => void) | undefined;

  /** @internal */
  protected constructor(opened: { close: () => void }) {
    this.#close = opened.close;
    forgotten?.register(this, opened.close, this);
  }

  /**
   * Frees the memory. No other method can be called afterwards. Otherwise, memory is freed some time after garbage
   * collection.
   */
  close(): void {
    if (!this.#close) return;
    forgotten?.unregister(this);
    this.#close();
    this.#close = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/**
 * A handle of a running module. It is lost when it is closed, or when the module traps.
 * @internal
 */
export class Handle<E extends Shared> {
  readonly #wasm: Instance<E>;
  readonly #number: number;
  #closed = false;

  /** Opens a handle by a call that returns it. */
  constructor(
    private readonly library: Library<E>,
    open: (wasm: Instance<E>) => number,
  ) {
    this.#wasm = library.running;
    this.#number = open(this.#wasm);
    this.#wasm.open += 1;
  }

  /** Its number. Throws a TypeError if it is closed or lost. */
  get number(): number {
    if (this.#closed || this.#wasm.lost) throw new TypeError('used after it was closed');
    return this.#number;
  }

  get wasm(): Instance<E> {
    return this.#wasm;
  }

  readonly close = (): void => {
    if (this.#closed) return;
    this.#closed = true;
    this.#wasm.open -= 1;
    if (this.#wasm.lost) return;
    try {
      this.#wasm.call.close(this.#number);
    } catch {
      // The module is restarted by the next call.
    }
    this.library.rest();
  };
}

/**
 * A conversion of a stream in one of the modules.
 * @internal
 */
export interface Conversion {
  /** The numbers of processed bytes, of changed places, and of bytes held back. */
  readonly offset: number;
  readonly changes: number;
  readonly pending: number;
  close(): void;
  /** Adds one piece, or ends the stream. */
  advance(piece: Uint8Array | null): void;
  /** Returns the output of the last piece. The next one overwrites it. */
  output(): Output;
  /** Returns that output, which is UTF-16, as a string. */
  utf16(scalar: boolean): string;
}

/**
 * Works with a stream, or a handle, and closes it. (`using` does the same, but not in every browser yet.)
 * @internal
 */
export function closing<S extends { close(): void }, R>(stream: S, work: (stream: S) => R): R {
  try {
    return work(stream);
  } finally {
    stream.close();
  }
}
