// The entry for Node.js, Deno and Bun: modules are read from disk on first use.
import { isAscii } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { setPlatform } from './library.js';

const locate = (name: string): URL => new URL(name, import.meta.url);

/** A view of a module's whole memory, created again only if it has grown. */
let view = Buffer.alloc(0);

function bufferOf(memory: ArrayBuffer): Buffer {
  if (view.buffer !== memory) view = Buffer.from(memory);
  return view;
}

setPlatform({
  locate,
  readSync: (name) => new WebAssembly.Module(readFileSync(locate(name))),
  utf16: (memory, start, end) => bufferOf(memory).toString('utf16le', start, end),
  ascii: (bytes) => (isAscii(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1') : null),
});

export * from './index.js';
