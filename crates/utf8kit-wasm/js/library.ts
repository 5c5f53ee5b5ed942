// The WebAssembly module: how it is loaded, and the buffers shared with it (see ../src/lib.rs).

/** The exports of the module. */
interface Exports {
  memory: WebAssembly.Memory;
  input(): number;
  input_len(): number;
  output(): number;
  output_len(): number;
  numbers(): number;
  numbers_len(): number;
  names(of: number): void;
  encoding_named(len: number): number;
  validate(encoding: number, len: number): number;
  encode(encoding: number, value: number): number;
  explain(encoding: number, len: number): void;
  outline(encoding: number, len: number): void;
  describe(encoding: number, len: number): void;
  forms(encoding: number): void;
  validator(encoding: number): number;
  checker(encoding: number, keep: number, byCodePoint: number): number;
  replacement(len: number): void;
  converter(from: number, to: number, policy: number): number;
  convert(from: number, to: number, policy: number, len: number): number;
  push(handle: number, len: number): number;
  finish(handle: number): number;
  pending(handle: number): number;
  findings(handle: number, what: number): void;
  close(handle: number): void;
}

/** What `init` accepts: the URL of the module, a response with it, its bytes, or the module itself. */
export type WasmSource = URL | string | Request | Response | BufferSource | WebAssembly.Module;

/** The differences between Node.js and browsers. Each entry of the package (node.ts, browser.ts) provides one. */
export interface Platform {
  /** Reads a module of the package synchronously, if that is possible. */
  readSync?(name: string): WebAssembly.Module;
  /** Returns the URL of a module of the package. */
  locate(name: string): URL;
  /** Decodes UTF-16 code units, little-endian, in memory. `scalar` means that no lone surrogate is among them. */
  utf16(memory: ArrayBuffer, start: number, end: number, scalar: boolean): string;
  /** Decodes bytes that are ASCII. Returns `null` if they are not, or if this is not faster here. */
  ascii(bytes: Uint8Array): string | null;
}

/** A module that is valid only with simd128: `(func (result v128) (i8x16.splat (i32.const 0)))`. */
const NEEDS_SIMD128 = Uint8Array.of(
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, // a module
  1, 5, 1, 0x60, 0, 1, 0x7b, // one type: nothing to v128
  3, 2, 1, 0, // one function of it
  10, 8, 1, 6, 0, 0x41, 0, 0xfd, 0x0f, 0x0b, // its code
);

/** The length of the longest piece that the module accepts at once. */
export const PIECE = 256 * 1024;

export let platform: Platform;
let wasm: Exports | undefined;
let loading: Promise<void> | undefined;
let view = new Uint8Array();
let inputAt = 0;

/** Called once, by the entry of the package. */
export function setPlatform(chosen: Platform): void {
  platform = chosen;
}

/** Returns the build for this machine: with simd128 or without. */
const fileName = (): string => (WebAssembly.validate(NEEDS_SIMD128) ? 'utf8kit-simd128.wasm' : 'utf8kit.wasm');

function start(module: WebAssembly.Module | WebAssembly.Instance): Exports {
  const instance = module instanceof WebAssembly.Module ? new WebAssembly.Instance(module) : module;
  wasm = instance.exports as unknown as Exports;
  view = new Uint8Array(wasm.memory.buffer);
  inputAt = wasm.input();
  return wasm;
}

/**
 * Loads the WebAssembly module. In browsers and workers this must be awaited before anything else is called; in
 * Node.js, Deno and Bun it is optional, as the module is read from disk on first use. Without an argument it loads the
 * file of the package, with simd128 if the machine supports it. Later calls do nothing. After a failure it can be
 * called again.
 */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  if (wasm) return Promise.resolve();
  loading ??= instantiate(source ?? platform.locate(fileName()))
    .then((instance) => void (wasm ?? start(instance)))
    .finally(() => { loading = undefined; });
  return loading;
}

/** Instantiates a module, streaming if it comes from a server that sends its type. */
export async function instantiate(given: WasmSource | Promise<WasmSource>): Promise<WebAssembly.Instance> {
  let source = await given;
  if (source instanceof WebAssembly.Module) return WebAssembly.instantiate(source);
  if (source instanceof URL && source.protocol === 'file:' && platform.readSync) {
    return WebAssembly.instantiate(platform.readSync(source.pathname.slice(source.pathname.lastIndexOf('/') + 1)));
  }
  if (typeof source === 'string' || source instanceof URL || (typeof Request !== 'undefined' && source instanceof Request)) {
    source = await fetch(source);
  }
  if (typeof Response !== 'undefined' && source instanceof Response) {
    if (!source.ok) throw new Error(`utf8kit: ${source.url} answered ${source.status}`);
    const streams = source.headers.get('Content-Type')?.startsWith('application/wasm');
    if (streams) return (await WebAssembly.instantiateStreaming(source)).instance;
    source = await source.arrayBuffer();
  }
  return (await WebAssembly.instantiate(source as BufferSource)).instance;
}

/** Returns the module's functions. */
export function library(): Exports {
  return wasm ?? startNow();
}

function startNow(): Exports {
  if (!platform.readSync) throw new Error('utf8kit is not loaded: await init() first');
  return start(platform.readSync(fileName()));
}

/** Returns the module's memory, as a new view if it has grown. */
function memory(): Uint8Array {
  if (view.length === 0 || view.buffer !== wasm!.memory.buffer) view = new Uint8Array(library().memory.buffer);
  return view;
}

/** Returns the buffer that the module reads pieces from. */
export function input(): Uint8Array {
  library();
  return memory().subarray(inputAt, inputAt + PIECE);
}

/** Copies a piece of at most PIECE bytes to where the module reads it; returns its length. */
export function put(piece: Uint8Array): number {
  if (!wasm) library();
  memory().set(piece, inputAt);
  return piece.length;
}

/** Returns the output bytes of the last call. The next call overwrites them. */
export function output(): Uint8Array<ArrayBuffer> {
  const at = wasm!.output();
  return memory().subarray(at, at + wasm!.output_len()) as Uint8Array<ArrayBuffer>;
}

/** Returns the numbers of the last call. The next call overwrites them. */
export function numbers(): Float64Array {
  return new Float64Array(wasm!.memory.buffer, wasm!.numbers(), wasm!.numbers_len());
}

/** Returns the output of the last call, which is UTF-16, as a string. */
export function outputText(scalar: boolean): string {
  const at = wasm!.output();
  return platform.utf16(wasm!.memory.buffer, at, at + wasm!.output_len(), scalar);
}

/** Returns the instruction set in use: `simd128`, or `swar` if the machine does not have it. */
export function level(): string {
  return names(0)[0]!;
}

/** Returns names in the module: 0 for the level in use, 1 for the encodings, 2 for the kinds of errors. */
export function names(of: number): string[] {
  library().names(of);
  return String.fromCharCode(...output()).split('\n');
}
