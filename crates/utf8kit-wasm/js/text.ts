import { joined, type Output, PIECE } from './bytes.js';
import { convert } from './convert.js';
import type { AnyEncoding } from './encoding.js';
import { ConvertError } from './error.js';
import { library, platform } from './library.js';

/**
 * Returns the UTF-16 code units of a string, little-endian.
 * @internal
 */
export function unitsOf(text: string): Uint8Array {
  const bytes = new Uint8Array(2 * text.length);
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    bytes[2 * at] = unit;
    bytes[2 * at + 1] = unit >> 8;
  }
  return bytes;
}

/**
 * Returns the bytes of a string; `null` if the encoding cannot represent all of it. Lone surrogates are ordinary code
 * points.
 */
export function encodeText(text: string, encoding: AnyEncoding = 'utf-8'): Output | null {
  if (typeof text !== 'string') throw new TypeError('expected a string');
  const encoded = encoding === 'utf-8' ? utf8(text) : null;
  if (encoded) return encoded;
  try {
    return convert(unitsOf(text), { from: 'wtf-16le', to: encoding });
  } catch (error) {
    if (error instanceof ConvertError) return null;
    throw error;
  }
}

/** Older engines cannot check whether a string is well-formed. */
type Text = string & { isWellFormed?(): boolean };

/** This many UTF-16 units become at most a piece of UTF-8. */
const UNITS = Math.floor(PIECE / 3);

/** How much of a long text is examined to find out whether it seems to be ASCII. */
const BEGINNING = 1024;

/** Encodes by the engine's TextEncoder. Returns `null` if the text may have lone surrogates. */
function utf8(text: Text): Output | null {
  if (text.length > platform.handed.encode) return text.isWellFormed?.() ? platform.encoder.encode(text) : null;
  if (text.length <= UNITS) return utf8Piece(text);
  if (utf8Piece(text.slice(0, BEGINNING))?.length === BEGINNING) {
    // Engines encode ASCII into one array at once.
    const bytes = platform.encoder.encode(text);
    if (bytes.length === text.length) return bytes;
  }
  const parts: Output[] = [];
  for (let at = 0; at < text.length;) {
    // Do not split a pair.
    const isLead = (text.charCodeAt(at + UNITS - 1) & 0xfc00) === 0xd800;
    const piece = text.slice(at, at + UNITS - Number(isLead));
    const part = utf8Piece(piece);
    if (!part) return null;
    parts.push(part);
    at += piece.length;
  }
  return joined(parts);
}

/**
 * Encodes into the module's memory, and searches there for U+FFFD, which lone surrogates become. Copying the bytes
 * takes less time than letting the engine make an array or search for lone surrogates.
 */
function utf8Piece(text: Text): Output | null {
  const wasm = library.running;
  const written = wasm.putText(text);
  // If there are as many bytes as UTF-16 units, all are ASCII.
  const doubtful = written !== text.length && wasm.call.has_replacement(written) !== 0;
  return doubtful && !text.isWellFormed?.() ? null : wasm.input().slice(0, written);
}
