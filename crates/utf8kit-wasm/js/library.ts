// The library, loaded: the build with simd128 where the machine runs it. What crosses is described in ../src/lib.rs.

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
  forms(encoding: number): void;
  validator(encoding: number): number;
  checker(encoding: number, keep: number, census: number): number;
  converter(from: number, to: number, policy: number, len: number): number;
  push(handle: number, len: number): number;
  finish(handle: number): number;
  pending(handle: number): number;
  findings(handle: number, what: number): void;
  close(handle: number): void;
}

/** A module that only a machine with simd128 accepts: `(func (result v128) (i8x16.splat (i32.const 0)))`. */
const NEEDS_SIMD128 = Uint8Array.of(
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, // a module
  1, 5, 1, 0x60, 0, 1, 0x7b, // one type: nothing to v128
  3, 2, 1, 0, // one function of it
  10, 8, 1, 6, 0, 0x41, 0, 0xfd, 0x0f, 0x0b, // its code
);

async function load(): Promise<Exports> {
  const url = WebAssembly.validate(NEEDS_SIMD128)
    ? new URL('./utf8kit-simd128.wasm.gz', import.meta.url)
    : new URL('./utf8kit.wasm.gz', import.meta.url);
  const { instance } = await instantiate(url);
  return instance.exports as unknown as Exports;
}

async function instantiate(url: URL): Promise<WebAssembly.WebAssemblyInstantiatedSource> {
  const stored = await read(url);
  // Compressed in the package, so that it is small on any host; a host that says so in its headers has undone it.
  const compressed = new Uint8Array(stored, 0, 2).join() === '31,139';
  const whole = compressed ? new Blob([stored]).stream().pipeThrough(new DecompressionStream('gzip')) : stored;
  return WebAssembly.instantiate(await new Response(whole).arrayBuffer());
}

async function read(url: URL): Promise<ArrayBuffer> {
  if (url.protocol === 'file:') {
    const { readFile } = await import(/* @vite-ignore */ 'node:fs/promises');
    return new Uint8Array(await readFile(url)).buffer;
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.arrayBuffer();
}

export const library = await load();

/** The longest piece that the library takes at once. */
export const PIECE = library.input_len();

let view = new Uint8Array(library.memory.buffer);

/** The library's memory; a new view where it has grown. */
function memory(): Uint8Array {
  if (view.buffer !== library.memory.buffer) view = new Uint8Array(library.memory.buffer);
  return view;
}

const inputAt = library.input();

/** Where the library reads a piece. */
export function input(): Uint8Array {
  return memory().subarray(inputAt, inputAt + PIECE);
}

/** Puts a piece of at most PIECE bytes where the library reads it; its length. */
export function put(piece: Uint8Array): number {
  memory().set(piece, inputAt);
  return piece.length;
}

/** The bytes of the last answer; the next call overwrites them. */
export function output(): Uint8Array {
  const at = library.output();
  return memory().subarray(at, at + library.output_len());
}

/** The numbers of the last answer. */
export function numbers(): number[] {
  return Array.from(new Float64Array(library.memory.buffer, library.numbers(), library.numbers_len()));
}

/** Bytes in pieces that the library takes. */
export function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

function names(of: number): string[] {
  library.names(of);
  return ascii(output()).split('\n');
}

function ascii(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** The set of instructions in use: `simd128`, or `swar` where the machine has it not. */
export const level: string = names(0)[0]!;
export const encodingNames: readonly string[] = names(1);
export const kindNames: readonly string[] = names(2);

const indices = new Map(encodingNames.map((name, index) => [name, index]));

/** The index of an encoding. */
export function encodingIndex(label: string): number {
  const known = indices.get(label);
  if (known !== undefined) return known;
  // Labels are ASCII; what is not is none.
  const trimmed = label.trim();
  const length = put(Uint8Array.from(trimmed.slice(0, 64), (letter) => Math.min(letter.codePointAt(0)!, 255)));
  const index = trimmed.length > 64 ? -1 : library.encoding_named(length);
  if (index < 0) throw new RangeError(`unknown encoding: ${label}`);
  return index;
}

/** Tells the library that a stream is no longer needed, if JavaScript forgets to. */
const forgotten = new FinalizationRegistry((handle: number) => library.close(handle));

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

  /** Gives back what the stream holds; it cannot be used any more. Happens by itself, some time, if left out. */
  close(): void {
    if (this.#handle === undefined) return;
    forgotten.unregister(this);
    library.close(this.#handle);
    this.#handle = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
