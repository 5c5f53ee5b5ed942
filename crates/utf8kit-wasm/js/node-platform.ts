// Node.js, Deno and Bun. The modules are part of the JavaScript, compressed. No file is read, so it works in every
// bundle and without permissions.
import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder, TextEncoder } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { setPlatform } from './library.js';
import { NODE } from './native.js';

/** The modules of the entries that were imported, by file name: compressed by brotli, in base64. */
const packed: Record<string, string> = {};

/**
 * Adds modules.
 * @internal
 */
export function provide(modules: Record<string, string>): void {
  Object.assign(packed, modules);
}

/** Compiles a module; `null` if it is not part of an entry. */
function compiled(name: string): WebAssembly.Module | null {
  const module = packed[name];
  return module ? new WebAssembly.Module(brotliDecompressSync(Buffer.from(module, 'base64')) as BufferSource) : null;
}

/** The memory from which units were last decoded, usually a module's, and a view of it. */
let [memory, view]: [ArrayBufferLike, Buffer] = [new ArrayBuffer(), Buffer.alloc(0)];

function utf16(from: ArrayBufferLike, start: number, end: number): string {
  if (from !== memory) [memory, view] = [from, Buffer.from(from as ArrayBuffer)];
  return view.toString('utf16le', start, end);
}

setPlatform({
  locate: () => null,
  compiled,
  Decoder: TextDecoder as typeof globalThis.TextDecoder,
  encoder: new TextEncoder() as globalThis.TextEncoder,
  handed: NODE,
  utf16,
  ascii: (bytes) =>
    isAscii(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1') : null,
  isUtf8,
});
