// What is accepted as bytes: every BufferSource of WebIDL, and shared memory.
import { PIECE } from './library.js';

/** Bytes: an ArrayBuffer, a SharedArrayBuffer, or any view of one. */
export type Bytes = ArrayBufferView | ArrayBufferLike;

const EMPTY = new Uint8Array();

/** Returns the bytes of a BufferSource without a copy. Throws a TypeError for anything else. */
export function bytesOf(source: Bytes): Uint8Array {
  if (source instanceof Uint8Array) return source;
  if (ArrayBuffer.isView(source)) {
    // A view of a detached buffer has no bytes, and no other view of the buffer can be created.
    return source.byteLength === 0 ? EMPTY : new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  }
  const tag = Object.prototype.toString.call(source);
  if (tag === '[object ArrayBuffer]' || tag === '[object SharedArrayBuffer]') {
    if (source.byteLength === 0) return EMPTY;
    const bytes = new Uint8Array(source);
    // Only a real buffer, of whichever realm, is viewed; anything else would be copied.
    if (bytes.buffer === source) return bytes;
  }
  throw new TypeError('expected an ArrayBuffer, a SharedArrayBuffer, or a view of one');
}

/** Splits bytes into pieces that the module accepts. */
export function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/** Concatenates arrays. */
export function joined(parts: Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
