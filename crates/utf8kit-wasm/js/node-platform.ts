// Node.js, Deno and Bun. The modules are part of the JavaScript, compressed: no file is read, so that it works in every
// bundle and without permissions.
import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder, TextEncoder } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { type Output, PIECE } from './bytes.js';
import { library, setPlatform } from './library.js';
import { isWellFormed, NODE } from './native.js';

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

const encoder = new TextEncoder() as globalThis.TextEncoder;

/** Texts of fewer UTF-16 units are examined before they are encoded. */
const EXAMINED = 256;

/** In longer ones, U+FFFD is looked for in the bytes, which is what lone surrogates become: that is faster. */
function encoded(text: string): Output | null {
  if (text.length < EXAMINED) return isWellFormed(text) ? encoder.encode(text) : null;
  const bytes = encoder.encode(text);
  // So many bytes as UTF-16 units are ASCII.
  return bytes.length > text.length && hasReplacement(bytes) && !isWellFormed(text) ? null : bytes;
}

function hasReplacement(bytes: Uint8Array): boolean {
  const { running } = library;
  const has = (piece: Uint8Array): boolean => running.call.has_replacement(running.put(piece)) !== 0;
  if (bytes.length <= PIECE) return has(bytes);
  // Pieces overlap by what could be the beginning of one.
  for (let at = 0; at < bytes.length; at += PIECE - 2) if (has(bytes.subarray(at, at + PIECE))) return true;
  return false;
}

/** A view of a module's whole memory, created again only if it has grown. */
let view = Buffer.alloc(0);

function bufferOf(memory: ArrayBufferLike): Buffer {
  if (view.buffer !== memory) view = Buffer.from(memory as ArrayBuffer);
  return view;
}

setPlatform({
  locate: () => null,
  compiled,
  Decoder: TextDecoder as typeof globalThis.TextDecoder,
  encoder,
  handed: NODE,
  encoded,
  utf16: (memory, start, end) => bufferOf(memory).toString('utf16le', start, end),
  ascii: (bytes) =>
    isAscii(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1') : null,
  isUtf8,
});
