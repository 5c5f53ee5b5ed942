// What the engine can do by itself, and where it is faster: up to how many bytes each operation is handed over to it.
// Text is encoded as UTF-8 by TextEncoder everywhere, buffer.isUtf8 validates in Node.js, and legacy encodings of
// single bytes are the engine's wherever its table is the standard's. bench/record/built-in.md has the measurements.
import type { Output } from './bytes.js';
import type { Handed } from './library.js';

/** @internal */
export const NODE: Handed = { utf8: 512, ascii: 2048, utf16: 2048, repair: 512 };

/** @internal */
export const BROWSER: Handed = { utf8: Infinity, ascii: Infinity, utf16: Infinity, repair: 0 };

// Taken at load: a program may replace the global ones. A context of node:vm has none.
const decoder = typeof TextDecoder === 'undefined' ? null : new TextDecoder('utf-16le', { ignoreBOM: true });

/**
 * Reports whether a string is known to have no lone surrogate: older engines cannot tell.
 * @internal
 */
export const isWellFormed = (text: string & { isWellFormed?(): boolean }): boolean => text.isWellFormed?.() ?? false;

const encoder = typeof TextEncoder === 'undefined' ? null : new TextEncoder();

/**
 * Encodes a text as UTF-8; see `Platform`.
 * @internal
 */
export const encoded = (text: string): Output | null => (encoder && isWellFormed(text) ? encoder.encode(text) : null);

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
