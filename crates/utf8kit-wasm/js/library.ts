// The WebAssembly modules: loading and starting them, and the buffers shared with them (see ../src/lib.rs).

import { type Output, PIECE } from './bytes.js';

/**
 * The functions that every module of the package exports.
 * @internal
 */
export interface Shared {
  memory: WebAssembly.Memory;
  input(): number;
  output(): number;
  output_len(): number;
  numbers(): number;
  numbers_len(): number;
  close(handle: number): void;
}

/**
 * The exports of the module of the library.
 * @internal
 */
export interface Exports extends Shared {
  names(of: number): void;
  encoding_named(len: number): number;
  validate(encoding: number, len: number): number;
  has_replacement(len: number): number;
  encode(encoding: number, value: number): number;
  explain(encoding: number, len: number): void;
  outline(encoding: number, len: number): void;
  describe(encoding: number, len: number): void;
  forms(encoding: number): void;
  floor_char_boundary(encoding: number, len: number, at: number): number;
  validator(encoding: number): number;
  checker(encoding: number, keep: number, byCodePoint: number): number;
  replacement(len: number): void;
  converter(from: number, to: number, policy: number): number;
  convert(from: number, to: number, policy: number, len: number): number;
  push(handle: number, len: number): number;
  finish(handle: number): number;
  pending(handle: number): number;
  findings(handle: number, what: number, first: number): void;
  take_errors(handle: number): void;
  index(lineEnds: number): number;
  index_give(handle: number, len: number): void;
  index_edit(handle: number, unit: number, start: number, end: number): number;
  index_ask(handle: number, what: number, units: number, len: number): void;
  index_text(handle: number): void;
}

/** The needed part of a URL: its text. */
interface Address {
  readonly href: string;
}

/** The needed part of a response of `fetch`. */
interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A compiled WebAssembly module. */
export interface WasmModule {
  readonly [Symbol.toStringTag]?: string;
}

/** What `init` accepts: the URL of the module, a response with it, its bytes, or the compiled module itself. */
export type WasmSource = string | Address | Answer | ArrayBufferView | ArrayBufferLike | WasmModule;

/**
 * The differences between Node.js and browsers. Each entry of the package provides one.
 * @internal
 */
export interface Platform {
  /** Returns a module that is part of the entry; `null` if it is not. */
  compiled?(name: string): WebAssembly.Module | null;
  /** Returns the URL of a module of the package; `null` if it must be given. */
  locate(name: string): URL | null;
  /** Decodes UTF-16 code units, little-endian, in memory. `scalar` means that no lone surrogate is among them. */
  utf16(memory: ArrayBufferLike, start: number, end: number, scalar: boolean): string;
  /**
   * The engine's own TextDecoder and TextEncoder, taken at load because a program may replace the global ones with
   * ours.
   */
  readonly Decoder: typeof TextDecoder;
  readonly encoder: TextEncoder;
  /** The lengths up to which the engine is faster: see native.ts. */
  readonly handed: Handed;
  /** Decodes bytes that are ASCII. Returns `null` if they are not, or if this is not faster here. */
  ascii(bytes: Uint8Array): string | null;
  /** Reports whether bytes are well-formed UTF-8, if the engine can do this faster. */
  isUtf8?(bytes: Uint8Array): boolean;
}

/**
 * The lengths in bytes up to which operations are handed over to the engine.
 * @internal
 */
export interface Handed {
  /** Decoding of UTF-8, of input that seems to be ASCII, and of UTF-16. */
  utf8: number;
  ascii: number;
  utf16: number;
  /** The number of UTF-16 units above which it encodes without the module, and checks by itself for lone surrogates. */
  encode: number;
  /** Repair of UTF-8, and of input that seems to be ASCII. */
  repair: number;
  repairAscii: number;
}

/** A module that is valid only with simd128: `(func (result v128) (i8x16.splat (i32.const 0)))`. */
const NEEDS_SIMD128 = Uint8Array.from(
  '0 97 115 109 1 0 0 0 1 5 1 96 0 1 123 3 2 1 0 10 8 1 6 0 65 0 253 15 11'.split(' '),
  Number,
);

const MEBIBYTE = 1024 * 1024;

/** @internal */
export let platform: Platform;

/**
 * The platform's, in a variable of its own, because looking it up would add a tenth to its time.
 * @internal
 */
export let isUtf8: Platform['isUtf8'];

/**
 * Called once, by the entry of the package.
 * @internal
 */
export function setPlatform(chosen: Platform): void {
  platform = chosen;
  isUtf8 = chosen.isUtf8;
}

/** Returns the build for this machine: with simd128 or without. */
const fileName = (): string => (WebAssembly.validate(NEEDS_SIMD128) ? 'utf8kit-simd128.wasm' : 'utf8kit.wasm');

/**
 * A started module: its functions, and its memory.
 * @internal
 */
export class Instance<E extends Shared> {
  readonly call: E;
  /** Whether it trapped. Its memory and its streams are then lost. */
  lost = false;
  /** The number of its open streams. */
  open = 0;
  readonly #memory: WebAssembly.Memory;
  readonly #inputAt: number;
  #buffer = new ArrayBuffer();
  #view: Output = new Uint8Array();
  #room: Output = new Uint8Array();

  constructor(module: WebAssembly.Module) {
    const { memory, ...functions } = new WebAssembly.Instance(module).exports as unknown as E;
    const guarded = Object.entries(functions).map(([name, run]) => [name, this.#guarded(run as Run)]);
    this.call = Object.fromEntries(guarded) as E;
    this.#memory = memory;
    this.#inputAt = this.call.input();
  }

  /** After a trap, for example because memory ran out, nothing in the module is reliable. */
  #guarded(run: Run): Run {
    return (a, b, c, d) => {
      try {
        return run(a, b, c, d);
      } catch (cause) {
        this.lost = true;
        throw new Error(
          `utf8kit ran out of memory, or failed; its open streams are closed, other calls go on (${String(cause)})`,
          { cause },
        );
      }
    };
  }

  /** The size of its memory, in bytes. */
  get size(): number {
    return this.#bytes.length;
  }

  /** All of its memory. */
  get #bytes(): Output {
    this.#renew();
    return this.#view;
  }

  /**
   * Renews the view of its memory if this has grown, because the view loses its length. Comparing buffers takes longer.
   */
  #renew(): void {
    if (this.#view.length > 0) return;
    this.#buffer = this.#memory.buffer as ArrayBuffer;
    this.#view = new Uint8Array(this.#buffer);
  }

  /** Returns the buffer from which the module reads pieces, which is valid until the memory grows. */
  input(): Output {
    if (this.#room.length === 0) this.#room = this.#bytes.subarray(this.#inputAt, this.#inputAt + PIECE);
    return this.#room;
  }

  /** Copies a piece of at most PIECE bytes to where the module reads it; returns its length. */
  put(piece: Uint8Array): number {
    this.#bytes.set(piece, this.#inputAt);
    return piece.length;
  }

  /** Copies a piece, and something short after it. */
  putBoth(piece: Uint8Array, behind: Uint8Array): void {
    this.#bytes.set(piece, this.#inputAt);
    this.#bytes.set(behind, this.#inputAt + piece.length);
  }

  /** Writes a text, which is short, in UTF-8 to where the module reads it; returns its length. */
  putText(text: string): number {
    return platform.encoder.encodeInto(text, this.input()).written;
  }

  /** Returns the output bytes of the last call. The next call overwrites them. */
  output(): Output {
    // Addresses above 2 GiB are negative numbers here.
    const at = this.call.output() >>> 0;
    return this.#bytes.subarray(at, at + (this.call.output_len() >>> 0));
  }

  /** Returns a copy of the output bytes of the last call. */
  copied(): Output {
    const at = this.call.output() >>> 0;
    return this.#bytes.slice(at, at + (this.call.output_len() >>> 0));
  }

  /** Returns the numbers of the last call. The next call overwrites them. */
  numbers(): Float64Array {
    this.#renew();
    return new Float64Array(this.#buffer, this.call.numbers() >>> 0, this.call.numbers_len() >>> 0);
  }

  /** Returns the output of the last call, which is UTF-16, as a string. */
  utf16(scalar: boolean): string {
    const at = this.call.output() >>> 0;
    this.#renew();
    return platform.utf16(this.#buffer, at, at + (this.call.output_len() >>> 0), scalar);
  }

  /** Returns the output of the last call, which is UTF-8, as lines. */
  lines(): string[] {
    return new platform.Decoder().decode(this.output()).split('\n');
  }
}

type Run = (a: number, b: number, c: number, d: number) => number;

/**
 * A module of the package: compiled once, and started again after a trap, and to give back memory.
 * @internal
 */
export class Library<E extends Shared> {
  #module: WebAssembly.Module | undefined;
  #instance: Instance<E> | undefined;
  #loading: Promise<void> | undefined;

  /**
   * `missing` is the message for its use before it is loaded. If its memory has grown beyond `kept` bytes, it is
   * restarted once no stream is open. `kept` must exceed the tables that it unpacks once, which takes a second.
   */
  constructor(
    private readonly file: () => string,
    private readonly missing: string,
    private readonly kept: number = 32 * MEBIBYTE,
  ) {}

  /** Whether it is loaded, or part of the entry. */
  get loaded(): boolean {
    return this.#own() !== undefined;
  }

  #own(): WebAssembly.Module | undefined {
    return (this.#module ??= platform.compiled?.(this.file()) ?? undefined);
  }

  /** Loads the module. Later calls do nothing; after a failure, it can be called again. */
  load(source?: WasmSource | PromiseLike<WasmSource>): Promise<void> {
    if (this.#module || (source === undefined && this.loaded)) return Promise.resolve();
    this.#loading ??= this.#compile(source)
      .then((module) => {
        this.#module ??= module;
      })
      .finally(() => {
        this.#loading = undefined;
      });
    return this.#loading;
  }

  async #compile(source?: WasmSource | PromiseLike<WasmSource>): Promise<WebAssembly.Module> {
    if (source !== undefined) return compile(await source);
    const file = this.file();
    let address: URL | null = null;
    try {
      // Bundles for some servers have no URL of their own, so this fails.
      address = platform.locate(file);
      if (address) return await compile(address);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(
        `utf8kit could not load ${address?.href ?? file} (${reason}): copy ${file} there, or pass it, ${how(file)}`,
        { cause },
      );
    }
    throw new Error(`utf8kit: ${file} is not part of this entry: pass it, ${how(file)}`);
  }

  /** The running module, which is started now if possible. */
  get running(): Instance<E> {
    const instance = this.#instance;
    return instance && !instance.lost ? instance : this.#start();
  }

  #start(): Instance<E> {
    const module = this.#own();
    if (!module) throw new Error(this.missing);
    return (this.#instance = new Instance<E>(module));
  }

  /** Releases the memory of large inputs. Called when work is done. */
  rest(): void {
    if (this.#instance && this.#instance.open === 0 && this.#instance.size > this.kept) this.#instance = undefined;
  }
}

/** Describes how to pass a module. */
function how(file: string): string {
  const init = file === 'utf8kit-detect.wasm' ? 'initLegacy' : 'init';
  const passed = `as in \`import wasm from "utf8kit/${file}"; await ${init}(wasm)\` (Cloudflare Workers)`;
  return isLibrary(file) ? `${passed}, or import "utf8kit/inline"` : passed;
}

const isLibrary = (file: string): boolean => file === 'utf8kit.wasm' || file === 'utf8kit-simd128.wasm';

/** @internal */
export const library = new Library<Exports>(fileName, `utf8kit is not loaded: await init() first`, 8 * MEBIBYTE);

/**
 * Loads the WebAssembly module. In browsers and workers this must be awaited before anything else is called; in
 * Node.js, Deno and Bun it is optional. Without an argument it loads the file of the package, with simd128 if the
 * machine supports it. Later calls do nothing. After a failure it can be called again.
 */
export function init(source?: WasmSource | PromiseLike<WasmSource>): Promise<void> {
  return library.load(source);
}

const is = (source: unknown, name: string): boolean => Object.prototype.toString.call(source) === `[object ${name}]`;

/** Compiles a module, streaming if the server sends its type. */
async function compile(given: WasmSource): Promise<WebAssembly.Module> {
  let source: unknown = given;
  if (is(source, 'WebAssembly.Module')) return source as WebAssembly.Module;
  if (typeof source === 'string' || is(source, 'URL') || is(source, 'Request')) source = await fetch(source as string);
  if (is(source, 'Response')) {
    const answer = source as Response;
    if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}`);
    const streams = answer.headers.get('Content-Type')?.startsWith('application/wasm');
    if (streams) return WebAssembly.compileStreaming(answer);
    source = await answer.arrayBuffer();
  }
  return WebAssembly.compile(source as BufferSource);
}

/** Returns the instruction set in use: `simd128`, or `swar` if the machine does not have it. */
export function level(): string {
  return names(0)[0]!;
}

/**
 * Returns names in the module: 0 for the level in use, 1 and more for the names in names.ts.
 * @internal
 */
export function names(of: number): string[] {
  const wasm = library.running;
  wasm.call.names(of);
  return wasm.lines();
}
