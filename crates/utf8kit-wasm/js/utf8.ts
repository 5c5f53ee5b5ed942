// The smallest entry: it validates and decodes UTF-8, with the module inside. No `init` is needed.
import { type Bytes, bytesOf, pieces, unpacked } from './bytes.js';
import type { EncodingError } from './error.js';
import { UTF8 } from './inlined.js';
import { ERROR_KINDS } from './names.js';

export type { Bytes } from './bytes.js';
export type { EncodingError } from './error.js';
export type { ErrorKind } from './names.js';

/** The exports of the module (see ../src/utf8.rs). */
interface Exports {
  memory: WebAssembly.Memory;
  utf8_input(): number;
  utf8_start(): void;
  utf8_push(len: number): number;
  utf8_finish(): number;
  utf8_error(part: number): number;
}

/** The length of the longest piece that the module accepts at once. */
const INPUT = 64 * 1024;

let wasm: Exports | undefined;

function module(): Exports {
  return new WebAssembly.Instance(new WebAssembly.Module(unpacked(UTF8))).exports as unknown as Exports;
}

/** Returns the first error of UTF-8, or `null` if the bytes are well-formed. */
export function validate(source: Bytes): EncodingError | null {
  const bytes = bytesOf(source);
  wasm ??= module();
  wasm.utf8_start();
  const input = new Uint8Array(wasm.memory.buffer, wasm.utf8_input(), INPUT);
  let failed = 0;
  for (const piece of pieces(bytes, INPUT)) {
    input.set(piece);
    failed = wasm.utf8_push(piece.length);
    if (failed) break;
  }
  if (!failed && !wasm.utf8_finish()) return null;
  return { offset: wasm.utf8_error(0), len: wasm.utf8_error(1), kind: ERROR_KINDS[wasm.utf8_error(2)]! };
}

// Taken at load, because a program may replace the global one with `Decoder`.
const Native = TextDecoder;

/** The engine's TextDecoder, only for UTF-8. It also accepts shared memory. */
export class Decoder {
  readonly #native: TextDecoder;

  constructor(label: string = 'utf-8', options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
    this.#native = new Native(label, options);
    if (this.#native.encoding !== 'utf-8')
      throw new RangeError(`utf8kit/utf8 decodes UTF-8 alone, not ${label}: use utf8kit`);
  }

  get encoding(): string {
    return this.#native.encoding;
  }

  get fatal(): boolean {
    return this.#native.fatal;
  }

  get ignoreBOM(): boolean {
    return this.#native.ignoreBOM;
  }

  decode(input?: Bytes, options: { stream?: boolean } = {}): string {
    if (input === undefined) return this.#native.decode(undefined, options);
    const bytes = bytesOf(input);
    return this.#native.decode(
      bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : bytes.slice(),
      options,
    );
  }
}
