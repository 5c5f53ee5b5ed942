import { ConvertError, type Encoding, ENCODINGS } from './encoding.js';
import { encodingIndex } from './library.js';
import { convert, Converter } from './convert.js';

/**
 * A TextDecoder for all encodings of the library, with its options and its habits: one U+FEFF in front is left out
 * unless `ignoreBOM`, a `fatal` decoder throws a TypeError, `stream` keeps back what is not finished. Where an encoding
 * holds lone surrogates, so does the string.
 */
export class Decoder {
  readonly encoding: Encoding;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  #converter: Converter | undefined;
  #begun = false;

  constructor(label: string = 'utf-8', { fatal = false, ignoreBOM = false }: TextDecoderOptions = {}) {
    this.encoding = ENCODINGS[encodingIndex(label)]!;
    this.fatal = fatal;
    this.ignoreBOM = ignoreBOM;
  }

  decode(input?: ArrayBufferView | ArrayBufferLike, { stream = false }: TextDecodeOptions = {}): string {
    const converter = (this.#converter ??= new Converter({
      from: this.encoding, to: 'wtf-16le', policy: this.fatal ? 'strict' : 'replace',
    }));
    try {
      let text = '';
      for (const units of converter.each(bytesOf(input))) text += this.#text(units);
      if (!stream) {
        text += this.#text(converter.finish());
        this.#reset();
      }
      return text;
    } catch (error) {
      this.#reset();
      if (error instanceof ConvertError) throw new TypeError(`The encoded data was not valid ${this.encoding}: ${error.message}`);
      throw error;
    }
  }

  #reset(): void {
    this.#converter?.close();
    this.#converter = undefined;
    this.#begun = false;
  }

  #text(bytes: Uint8Array<ArrayBuffer>): string {
    let units = new Uint16Array(bytes.buffer);
    if (units.length > 0 && !this.#begun) {
      this.#begun = true;
      if (!this.ignoreBOM && units[0] === 0xfeff) units = units.subarray(1);
    }
    let text = '';
    for (let at = 0; at < units.length; at += 8192) text += String.fromCharCode(...units.subarray(at, at + 8192));
    return text;
  }
}

function bytesOf(input: ArrayBufferView | ArrayBufferLike | undefined): Uint8Array {
  if (input === undefined) return new Uint8Array();
  return ArrayBuffer.isView(input)
    ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
    : new Uint8Array(input);
}

/** The bytes of a string; `null` if the encoding does not hold all of it. Lone surrogates are code points as any. */
export function encodeText(text: string, encoding: Encoding = 'utf-8'): Uint8Array<ArrayBuffer> | null {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  try {
    return convert(new Uint8Array(units.buffer), { from: 'wtf-16le', to: encoding });
  } catch (error) {
    if (error instanceof ConvertError) return null;
    throw error;
  }
}
