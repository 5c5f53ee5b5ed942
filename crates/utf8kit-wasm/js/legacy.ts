// Legacy encodings and detection: a second module, loaded on first use (see ../../utf8kit-wasm-text).
import { type Bytes, bytesOf, pieces } from './bytes.js';
import { encodingOf } from './labels.js';
import { instantiate, PIECE, platform, type WasmSource } from './library.js';

interface Exports {
  memory: WebAssembly.Memory;
  input(): number;
  output(): number;
  output_len(): number;
  decoder(len: number): number;
  decode(handle: number, len: number, last: number, fatal: number): number;
  encode(len: number, codePoint: number): void;
  detect(len: number): number;
  guess(whole: number): void;
  close(handle: number): void;
}

const FILE = 'utf8kit-text.wasm';

let wasm: Exports | undefined;
let loading: Promise<void> | undefined;

/**
 * Loads the tables of the legacy encodings, and detection. In Node.js, Deno and Bun that happens automatically. In
 * browsers, a `Decoder` of a legacy encoding works without them, through the browser's own TextDecoder, but
 * `encodeLegacy` and `detect` need them.
 */
export function initLegacy(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  if (wasm) return Promise.resolve();
  loading ??= instantiate(source ?? platform.locate(FILE))
    .then((instance) => { wasm = instance.exports as unknown as Exports; })
    .finally(() => { loading = undefined; });
  return loading;
}

function ready(): Exports | undefined {
  if (!wasm && platform.readSync) {
    wasm = new WebAssembly.Instance(platform.readSync(FILE)).exports as unknown as Exports;
  }
  return wasm;
}

function put(wasm: Exports, bytes: Uint8Array): number {
  // Call this first: the module's first call makes its memory grow.
  const at = wasm.input();
  new Uint8Array(wasm.memory.buffer, at, PIECE).set(bytes);
  return bytes.length;
}

const putLabel = (wasm: Exports, label: string): number => put(wasm, new TextEncoder().encode(label));

const forgotten = new FinalizationRegistry((handle: number) => wasm!.close(handle));

/** Decodes a legacy encoding. A fatal decoder throws a TypeError at the first error. */
export interface LegacyDecoder {
  decode(bytes: Uint8Array, last: boolean): string;
  close(): void;
}

export function legacyDecoder(name: string, fatal: boolean): LegacyDecoder {
  const module = ready();
  if (module) return new TableDecoder(module, name, fatal);
  const decoder = new TextDecoder(name, { fatal });
  return { decode: (bytes, last) => decoder.decode(bytes, { stream: !last }), close: () => undefined };
}

class TableDecoder implements LegacyDecoder {
  readonly #handle: number;

  constructor(private readonly wasm: Exports, private readonly name: string, private readonly fatal: boolean) {
    this.#handle = wasm.decoder(putLabel(wasm, name));
    forgotten.register(this, this.#handle, this);
  }

  decode(bytes: Uint8Array, last: boolean): string {
    let text = '';
    for (const piece of pieces(bytes)) text += this.#step(piece, false);
    return last ? text + this.#step(new Uint8Array(), true) : text;
  }

  #step(piece: Uint8Array, last: boolean): string {
    const { wasm } = this;
    const failed = wasm.decode(this.#handle, put(wasm, piece), Number(last), Number(this.fatal));
    if (failed) throw new TypeError(`The encoded data was not valid ${this.name}`);
    const at = wasm.output();
    return platform.utf16(wasm.memory.buffer, at, at + wasm.output_len(), true);
  }

  close(): void {
    forgotten.unregister(this);
    this.wasm.close(this.#handle);
  }
}

/**
 * Returns the bytes of a code point in a legacy encoding, or `null` if it cannot represent it. In browsers, after
 * `initLegacy`.
 */
export function encodeLegacy(codePoint: number, label: string): Uint8Array<ArrayBuffer> | null {
  const module = needed();
  const { name, own } = encodingOf(label);
  if (own) throw new RangeError(`not a legacy encoding: ${label}`);
  module.encode(putLabel(module, name), codePoint);
  const bytes = Uint8Array.from(new Uint16Array(module.memory.buffer, module.output(), module.output_len() / 2));
  return bytes.length > 0 ? bytes : null;
}

/** The best guess at an encoding. */
export interface Guess {
  /** Its name; `null` if the bytes are not text. */
  encoding: string | null;
  confidence: 'certain' | 'likely' | 'possible';
  /** The encoding by which UTF-8 was decoded before it was encoded as UTF-8 again, if so. */
  doubled: string | null;
  /** The encoding of the lines that are not UTF-8, if most of the others are. */
  mixed: string | null;
  /** The evidence, in plain English. */
  evidence: string[];
}

/**
 * Guesses the encoding of bytes, which are the whole input unless `whole` is false. In browsers, after `initLegacy`.
 */
export function detect(source: Bytes, { whole = true }: { whole?: boolean } = {}): Guess {
  const module = needed();
  for (const piece of pieces(bytesOf(source))) if (!module.detect(put(module, piece))) break;
  module.guess(Number(whole));
  const at = module.output();
  const text = platform.utf16(module.memory.buffer, at, at + module.output_len(), true);
  const [encoding, confidence, doubled, mixed, ...evidence] = text.split('\n') as [string, Guess['confidence'], string, string, ...string[]];
  return { encoding: encoding || null, confidence, doubled: doubled || null, mixed: mixed || null, evidence };
}

function needed(): Exports {
  const module = ready();
  if (!module) throw new Error('the legacy encodings are not loaded: await initLegacy() first');
  return module;
}
