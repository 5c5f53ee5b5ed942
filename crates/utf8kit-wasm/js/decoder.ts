import { type Bytes, isOwned, PIECE, pieces, seemsAscii, viewOf } from './bytes.js';
import { Converter, type ConvertOptions, convertPiece, policyIndex } from './convert.js';
import { encodingIndex } from './encoding.js';
import { ConvertError } from './error.js';
import { encodingOf } from './labels.js';
import { engineAgrees, type LegacyDecoder, legacyDecoder, pairsOf, wholeLegacy } from './legacy.js';
import { library, platform } from './library.js';
import type { Encoding } from './names.js';
import type { Pairs } from './pairs.js';

/** The options of a TextDecoder. */
export interface DecoderOptions {
  fatal?: boolean;
  ignoreBOM?: boolean;
}

/** The options of its `decode`. */
export interface DecodeOptions {
  /** Whether more of the input follows. */
  stream?: boolean;
}

/** Encodings that cannot represent lone surrogates. */
const SCALAR: ReadonlySet<Encoding> = new Set([
  'utf-8',
  'utf-8-offset',
  'cesu-8',
  'utf-16le',
  'utf-16be',
  'utf-32le',
  'utf-32be',
  'latin1',
]);

const EMPTY = new Uint8Array();

/**
 * A TextDecoder for every encoding of the WHATWG Encoding Standard and for those of this library, with the same labels,
 * options and errors: a U+FEFF at the start is skipped unless `ignoreBOM`, a `fatal` decoder throws a TypeError,
 * `stream` holds back an incomplete sequence. In addition to the standard's labels, it accepts the library's own names
 * and, for ISO 8859-1, `isomorphic`. If an encoding can represent lone surrogates, so does the string.
 */
export class Decoder {
  readonly #name: string;
  readonly #own: Encoding | null;
  readonly #fatal: boolean;
  readonly #ignoreBOM: boolean;
  /** The engine's decoder, for inputs that it decodes faster: see native.ts. */
  #native: TextDecoder | null;
  /** The maximum length of such inputs, in this encoding and in ASCII. Without a limit, it also decodes streams. */
  #handed: number;
  readonly #ascii: number;
  /** The tables of encodings of one and two bytes per character. */
  #pairs: Pairs | null = null;
  /** The current stream. */
  #stream: Converter | LegacyDecoder | undefined;
  /** Whether any character of it has been output. */
  #begun = false;

  constructor(label: string = 'utf-8', options: DecoderOptions | null = {}) {
    const { name, own } = encodingOf(`${label}`);
    if (options !== null && typeof options !== 'object' && typeof options !== 'function')
      throw new TypeError('the options are not an object');
    this.#name = name;
    this.#own = own;
    this.#fatal = Boolean(options?.fatal);
    this.#ignoreBOM = Boolean(options?.ignoreBOM);
    this.#native = isStandard(own)
      ? new platform.Decoder(own, { fatal: this.#fatal, ignoreBOM: this.#ignoreBOM })
      : null;
    const { utf8, ascii, utf16 } = platform.handed;
    [this.#handed, this.#ascii] = own === 'utf-8' ? [utf8, ascii] : [this.#native ? utf16 : -1, -1];
  }

  /** The name of the encoding, in lower case. */
  get encoding(): string {
    return this.#name;
  }

  get fatal(): boolean {
    return this.#fatal;
  }

  get ignoreBOM(): boolean {
    return this.#ignoreBOM;
  }

  get [Symbol.toStringTag](): string {
    return 'Decoder';
  }

  decode(input?: Bytes, options?: DecodeOptions | null): string {
    // The shortest path, for short inputs. The engine rejects inputs that are not arrays.
    const short = input as Uint8Array<ArrayBuffer> | undefined;
    if (options === undefined && short && this.#takes(short) && !this.#stream) {
      try {
        return this.#native!.decode(short);
      } catch (error) {
        // Browsers refuse shared memory.
        if (isOwned(short)) throw error;
      }
    }
    return this.#decode(input, options);
  }

  #decode(input: Bytes | undefined, options: DecodeOptions | null | undefined): string {
    if (this.#pairs && options === undefined && input instanceof Uint8Array && !this.#stream) {
      const text = this.#pairs.short(input);
      if (text !== null) return text;
    }
    const bytes = input === undefined ? EMPTY : viewOf(input);
    const stream = options != null && Boolean(asObject(options).stream);
    if (!this.#own && !this.#stream) this.#choose();
    if (this.#native && this.#handed === Infinity)
      return this.#native.decode(isOwned(bytes) ? bytes : bytes.slice(), { stream });
    try {
      if (!stream && !this.#stream) {
        const text = this.#own ? this.#whole(bytes, this.#own) : wholeLegacy(bytes, this.#name, this.#fatal);
        if (text !== null) return text;
      }
      const text = this.#piece(bytes, stream);
      if (!stream) this.#reset();
      return text;
    } catch (error) {
      this.#reset();
      if (error instanceof ConvertError)
        throw new TypeError(`The encoded data was not valid ${this.#name}: ${error.message}`);
      throw error;
    }
  }

  /** Chooses what decodes a legacy encoding: the engine or the tables, once they are loaded. */
  #choose(): void {
    if (engineAgrees(this.#name)) {
      this.#native ??= new platform.Decoder(this.#name, { fatal: this.#fatal });
      this.#handed = Infinity;
    }
    this.#pairs ??= pairsOf(this.#name);
  }

  /** Whether the engine is faster: always, up to some length, or for input that seems to be ASCII. */
  #takes(bytes: Uint8Array): boolean {
    return bytes.length <= this.#handed || (bytes.length <= this.#ascii && seemsAscii(bytes));
  }

  /** Decodes a whole input. */
  #whole(bytes: Uint8Array, own: Encoding): string {
    if (this.#native) {
      if (this.#takes(bytes)) return this.#native.decode(isOwned(bytes) ? bytes : bytes.slice());
      const text = own === 'utf-8' ? platform.ascii(bytes) : null;
      if (text !== null) return text;
    }
    const policy = this.#fatal ? 'strict' : 'replace';
    if (bytes.length > PIECE)
      return this.#withoutMark(long(bytes, { from: own, to: 'wtf-16le', policy }, SCALAR.has(own)));
    convertPiece(bytes, encodingIndex(own), encodingIndex('wtf-16le'), policyIndex(policy));
    return this.#withoutMark(library.running.utf16(SCALAR.has(own)));
  }

  /** Decodes a piece of a stream, or its end. */
  #piece(bytes: Uint8Array, more: boolean): string {
    if (!this.#own) {
      this.#stream ??= legacyDecoder(this.#name, this.#fatal);
      return (this.#stream as LegacyDecoder).decode(bytes, !more);
    }
    const policy = this.#fatal ? 'strict' : 'replace';
    const converter = (this.#stream ??= new Converter({ from: this.#own, to: 'wtf-16le', policy })) as Converter;
    const scalar = SCALAR.has(this.#own);
    let text = '';
    for (const piece of pieces(bytes)) {
      converter.advance(piece);
      text += this.#withoutMark(converter.utf16(scalar));
    }
    if (more) return text;
    converter.advance(null);
    return text + this.#withoutMark(converter.utf16(scalar));
  }

  #withoutMark(text: string): string {
    if (this.#begun || text.length === 0) return text;
    this.#begun = this.#stream !== undefined;
    return !this.#ignoreBOM && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }

  #reset(): void {
    this.#stream?.close();
    this.#stream = undefined;
    this.#begun = false;
  }
}

/** Decodes an input of several pieces into one array. Joining several strings would copy them again. */
function long(bytes: Uint8Array, options: ConvertOptions, scalar: boolean): string {
  const converter = new Converter(options);
  // A byte becomes at most one code unit. With wide units, two bytes do, and so does a rest at the end.
  const isWide = /^[uw]tf-(16|32)/.test(options.from!);
  const units = new Uint8Array(isWide ? bytes.length + 2 : 2 * bytes.length);
  let length = 0;
  const take = (piece: Uint8Array | null): void => {
    converter.advance(piece);
    const part = converter.output();
    units.set(part, length);
    length += part.length;
  };
  try {
    for (const piece of pieces(bytes)) take(piece);
    take(null);
  } finally {
    converter.close();
  }
  return platform.utf16(units.buffer, 0, length, scalar);
}

function asObject(options: DecodeOptions): DecodeOptions {
  if (typeof options !== 'object' && typeof options !== 'function')
    throw new TypeError('the options are not an object');
  return options;
}

/** Reports whether the engine also has an encoding. */
const isStandard = (own: Encoding | null): own is 'utf-8' | 'utf-16le' | 'utf-16be' =>
  own === 'utf-8' || own === 'utf-16le' || own === 'utf-16be';
