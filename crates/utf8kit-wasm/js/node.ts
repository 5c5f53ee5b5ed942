// The entry for Node.js, Deno and Bun. The modules are part of it, compressed: no file is read, so that it works in every
// bundle and without permissions.
import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder, TextEncoder } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { setPlatform } from './library.js';
import { NODE } from './native.js';
import { MODULES } from './packed.js';

/** A view of a module's whole memory, created again only if it has grown. */
let view = Buffer.alloc(0);

function bufferOf(memory: ArrayBufferLike): Buffer {
  if (view.buffer !== memory) view = Buffer.from(memory as ArrayBuffer);
  return view;
}

setPlatform({
  locate: () => null,
  compiled: (name) => new WebAssembly.Module(brotliDecompressSync(Buffer.from(MODULES[name]!, 'base64')) as Uint8Array<ArrayBuffer>),
  Decoder: TextDecoder as typeof globalThis.TextDecoder,
  encoder: new TextEncoder() as globalThis.TextEncoder,
  handed: NODE,
  utf16: (memory, start, end) => bufferOf(memory).toString('utf16le', start, end),
  ascii: (bytes) => (isAscii(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1') : null),
  isUtf8,
});

export * from './index.js';
