import { library } from './library.js';

/** Closes a stream that was garbage-collected. */
const forgotten = new FinalizationRegistry((handle: number) => library().close(handle));

/** A stream of the library. */
export class Stream {
  #handle: number | undefined;

  protected constructor(handle: number) {
    this.#handle = handle;
    forgotten.register(this, handle, this);
  }

  protected get handle(): number {
    if (this.#handle === undefined) throw new TypeError('the stream is closed');
    return this.#handle;
  }

  /**
   * Frees the stream's memory; it cannot be used any more. Without a call, this happens some time after garbage
   * collection.
   */
  close(): void {
    if (this.#handle === undefined) return;
    forgotten.unregister(this);
    library().close(this.#handle);
    this.#handle = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
