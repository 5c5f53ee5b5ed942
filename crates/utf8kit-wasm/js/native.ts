// What the engine can do by itself, and where it is faster. Text is encoded as UTF-8 by TextEncoder everywhere, and
// buffer.isUtf8 validates in Node.js. For the rest, time of utf8kit per time of TextDecoder (and TextEncoder for
// repair), on English, French, Russian, Chinese and emoji (node bench.mjs; Node.js 20, Chromium 147, x86-64):
//
//             16 B         256 B        4 KiB        64 KiB       1 MiB
// Node.js
//   UTF-8     handed over  1.0 to 1.5   0.2 to 0.6   0.2 to 0.5   0.2 to 0.7   ASCII 1.1, 0.8, 0.6 by Buffer from 4 KiB
//   UTF-16    5.6 to 6.4   2.1 to 4.0   0.5 to 0.8   0.4 to 0.6   0.7 to 1.1
//   repair    1.5 to 4.1   0.7 to 2.8   0.1 to 0.8   0.1 to 0.4   0.05 to 0.2
// Chromium
//   UTF-8     handed over  1.0 to 2.4   1.3 to 2.4   0.8 to 2.2   1.0 to 14    ASCII 1.5, 23, 16 from 256 B on
//   UTF-16    4.4 to 5.3   1.9 to 2.7   1.2 to 1.5   1.3 to 1.4   1.7 to 4.9
//   repair    0.4 to 1.0   0.5 to 1.0   0.4 to 0.5   0.2 to 0.4   0.1 to 0.3
import type { Handed } from './library.js';

/** @internal */
export const NODE: Handed = { utf8: 512, ascii: 2048, utf16: 2048, repair: 512 };

/** @internal */
export const BROWSER: Handed = { utf8: Infinity, ascii: Infinity, utf16: Infinity, repair: 0 };

// Taken at load: a program may replace the global one.
const decoder = typeof TextDecoder === 'undefined' ? null : new TextDecoder('utf-16le', { ignoreBOM: true });

/** An upper bound for the number of arguments that any function takes. */
const ARGUMENTS = 8192;

/**
 * Decodes UTF-16 code units; see `Platform`.
 * @internal
 */
export function utf16(memory: ArrayBufferLike, start: number, end: number, scalar: boolean): string {
  if (scalar && decoder) return decoder.decode(new Uint8Array(memory as ArrayBuffer, start, end - start));
  let text = '';
  for (let at = start; at < end; at += 2 * ARGUMENTS) {
    const units = new Uint16Array(memory, at, Math.min(ARGUMENTS, (end - at) / 2));
    text += String.fromCharCode.apply(null, units as unknown as number[]);
  }
  return text;
}
