// Accepts bytes: every BufferSource of WebIDL, and shared memory.

/**
 * The length of the longest piece that a module accepts at once.
 * @internal
 */
export const PIECE = 256 * 1024;

/** Bytes: an ArrayBuffer, a SharedArrayBuffer, or any view of one. */
export type Bytes = ArrayBufferView | ArrayBufferLike;

/** A Uint8Array with a buffer of its own. */
export type Output = ReturnType<Uint8ArrayConstructor['of']>;

const EMPTY = new Uint8Array();

/**
 * Returns the bytes of a BufferSource without a copy. Throws a TypeError for anything else, and if they are detached.
 * @internal
 */
export function bytesOf(source: Bytes): Uint8Array {
  const bytes = viewOf(source);
  // Views cannot be made of a detached buffer, and a view of one has no bytes.
  if (bytes.length === 0) new Uint8Array(ArrayBuffer.isView(source) ? source.buffer : source);
  return bytes;
}

/**
 * Decodes the bytes that build.mjs wrote as two letters each.
 * @internal
 */
export function unpacked(letters: string): Output {
  const bytes = new Uint8Array(letters.length / 2);
  const half = (at: number, first: string) => letters.charCodeAt(at) - first.charCodeAt(0);
  for (let at = 0; at < bytes.length; at++) bytes[at] = (half(2 * at, 'A') << 4) | half(2 * at + 1, 'a');
  return bytes;
}

/**
 * Returns the bytes of a BufferSource like `bytesOf`, or none if they are detached, as WebIDL requires.
 * @internal
 */
export function viewOf(source: Bytes): Uint8Array {
  if (source instanceof Uint8Array) return source;
  if (ArrayBuffer.isView(source)) {
    return source.byteLength === 0 ? EMPTY : new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  }
  const tag = Object.prototype.toString.call(source);
  if (tag === '[object ArrayBuffer]' || tag === '[object SharedArrayBuffer]') {
    if (source.byteLength === 0) return EMPTY;
    const bytes = new Uint8Array(source);
    // Only a real buffer, of any realm, is viewed; anything else would be copied.
    if (bytes.buffer === source) return bytes;
  }
  throw new TypeError('expected an ArrayBuffer, a SharedArrayBuffer, or a view of one');
}

/**
 * Splits bytes into pieces that the module accepts.
 * @internal
 */
export function* pieces(bytes: Uint8Array, length: number = PIECE): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/**
 * Concatenates arrays.
 * @internal
 */
export function joined(parts: Iterable<Output>): Output {
  const all = Array.isArray(parts) ? (parts as Output[]) : [...parts];
  if (all.length === 1) return all[0]!;
  const whole = new Uint8Array(all.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of all) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * Returns a count given by an option. Throws a RangeError if it is negative or not a number.
 * @internal
 */
export function countOf(name: string, value: number): number {
  if (typeof value !== 'number' || !(value >= 0))
    throw new RangeError(`${name} must be 0 or more, not ${String(value)}`);
  return Math.floor(value);
}

/**
 * Reports whether the engine's decoders accept bytes, which excludes shared memory.
 * @internal
 */
export function isOwned(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer || Object.prototype.toString.call(bytes.buffer) === '[object ArrayBuffer]';
}

/**
 * Reports whether bytes seem to be ASCII, by a few of them.
 * @internal
 */
export function seemsAscii(bytes: Uint8Array): boolean {
  let all = 0;
  for (let at = 0; at < bytes.length; at += 256) all |= bytes[at]!;
  return all < 0x80;
}
