import type { Output } from './bytes.js';
import { convert } from './convert.js';
import type { AnyEncoding } from './encoding.js';
import { ConvertError } from './error.js';
import { platform } from './library.js';

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
  const encoded = encoding === 'utf-8' ? platform.encoded(text) : null;
  if (encoded) return encoded;
  try {
    return convert(unitsOf(text), { from: 'wtf-16le', to: encoding });
  } catch (error) {
    if (error instanceof ConvertError) return null;
    throw error;
  }
}
