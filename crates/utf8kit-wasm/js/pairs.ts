// Short texts in the encodings of one and two bytes per character are decoded here, by the module's tables
// (../src/detect/pairs.rs), because this takes less time than calling the module.
import { platform } from './library.js';

/** The maximum length of a text that is decoded here, in bytes, and the maximum for ASCII. */
const [SHORT, SHORT_ASCII] = [192, 384];

/** The buffer for the code units of a text. */
const memory = new ArrayBuffer(2 * SHORT);
const room = new Uint16Array(memory);

let decoder: TextDecoder | undefined;

/** Decodes ASCII, which is the same in all of these encodings. Returns `null` if the engine rejects shared memory. */
function asciiText(bytes: Uint8Array): string | null {
  decoder ??= new platform.Decoder();
  try {
    return decoder.decode(bytes as Uint8Array<ArrayBuffer>);
  } catch {
    return null;
  }
}

/**
 * The characters of an encoding that have one or two bytes, and are one code unit; 0 stands for everything else.
 * @internal
 */
export class Pairs {
  readonly #singles: Uint16Array;
  /** Indexed by the low seven bits of the first byte, and the second byte. */
  readonly #doubles: Uint16Array;

  /** Takes the module's tables, one after the other. */
  constructor(units: Uint16Array) {
    [this.#singles, this.#doubles] = [units.subarray(0, 256), units.subarray(256)];
  }

  /** Decodes a short text. Returns `null` if it is longer, or if there is anything else in it. */
  short(bytes: Uint8Array): string | null {
    const { length } = bytes;
    if (length > SHORT_ASCII) return null;
    let at = 0;
    while (at < length && bytes[at]! < 0x80) at += 1;
    if (at === length) return asciiText(bytes);
    if (length > SHORT) return null;
    const singles = this.#singles;
    let count = 0;
    for (at = 0; at < length; at += 1) {
      const byte = bytes[at]!;
      let unit = singles[byte]!;
      if (unit === 0 && byte !== 0) {
        at += 1;
        if (at === length) return null;
        unit = this.#doubles[(byte & 0x7f) * 256 + bytes[at]!]!;
        if (unit === 0) return null;
      }
      room[count] = unit;
      count += 1;
    }
    return platform.utf16(memory, 0, 2 * count, true);
  }
}
