import type { Output } from './bytes.js';
import { encodingOf } from './labels.js';
import { library } from './library.js';
import { trimmed } from './name.js';
import { DIALECTS, type Encoding, ENCODINGS, ERROR_KINDS, type ErrorKind } from './names.js';
import { encodeLegacy } from './legacy.js';

export { DIALECTS, type Encoding, ENCODINGS, ERROR_KINDS, type ErrorKind };

/** The name of an encoding: the library's, or any label of the WHATWG Encoding Standard. */
export type AnyEncoding = Encoding | (string & {});

const indices = new Map<string, number>(ENCODINGS.map((known, index) => [known, index]));

/**
 * Returns the library's index of one of its own encodings; `null` for another one. Names are matched like the
 * standard's labels.
 * @internal
 */
export function ownIndex(name: string): number | null {
  const known = indices.get(name);
  if (known !== undefined) return known;
  if (typeof name !== 'string' || name.length > 64) return null;
  const wasm = library.running;
  const index = wasm.call.encoding_named(wasm.putText(trimmed(name)));
  return index < 0 ? null : index;
}

/**
 * Returns the library's index of an encoding, which must be its own.
 * @internal
 */
export function encodingIndex(name: string): number {
  const index = ownIndex(name);
  if (index === null) throw new RangeError(`unknown encoding: ${String(name)}`);
  return index;
}

/**
 * Returns the library's index of an encoding, or the name of a legacy encoding. Throws a RangeError for other names.
 * @internal
 */
export function resolved(name: string): number | string {
  const index = ownIndex(name);
  if (index !== null) return index;
  const { name: legacy, own } = encodingOf(name);
  return own === null ? legacy : indices.get(own)!;
}

/**
 * Returns the bytes of one code point, or `null` if the encoding cannot represent it. Throws a RangeError if the code
 * point is not an integer from 0 to 2^32 - 1.
 */
export function encode(codePoint: number, encoding: AnyEncoding = 'utf-8'): Output | null {
  if (!Number.isInteger(codePoint) || codePoint < 0 || codePoint > 0xffff_ffff) {
    throw new RangeError(`not a code point: ${String(codePoint)}`);
  }
  const found = resolved(encoding);
  if (typeof found === 'string') return encodeLegacy(codePoint, found);
  const wasm = library.running;
  return wasm.call.encode(found, codePoint) ? null : wasm.copied();
}

/** A form of a dialect: a family of sequences by byte ranges. */
export interface Form {
  /** The range of each byte, both ends inclusive. */
  ranges: [number, number][];
  /** The first and the last value. */
  first: number;
  last: number;
  /** The number of code points that it encodes. */
  count: number;
}

/** How many numbers describe a form (FORM in ../src/explained.rs). */
const FORM = 16;

/** Returns the forms of a dialect, from the library's grammar; none for an encoding that is not a dialect of UTF-8. */
export function forms(encoding: Encoding): Form[] {
  const wasm = library.running;
  wasm.call.forms(encodingIndex(encoding));
  const all = Array.from(wasm.numbers());
  return Array.from({ length: all.length / FORM }, (_, index) => {
    const [len, first, last, count, ...ends] = all.slice(index * FORM, (index + 1) * FORM);
    const ranges = Array.from({ length: len! }, (_, byte): [number, number] => [ends[2 * byte]!, ends[2 * byte + 1]!]);
    return { ranges, first: first!, last: last!, count: count! };
  });
}
