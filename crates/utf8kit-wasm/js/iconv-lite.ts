// `utf8kit/iconv-lite`: the interface of the package iconv-lite over the tables of this one, for Node.js, Deno and Bun.
import { Buffer } from 'node:buffer';
import { Transform } from 'node:stream';
import { canonicalName } from './legacy.js';
import { convert, Converter } from './node.js';

export interface Options {
  stripBOM?: boolean | (() => void);
  addBOM?: boolean;
  /** The encoding of `utf-16` and `utf-32` without a mark. */
  defaultEncoding?: string;
  use?: string;
}

/** Decodes or encodes a text in pieces. */
interface Coder<From, To> {
  write(piece: From): To;
  end(): To | undefined;
}

export const defaultCharUnicode = '\ufffd';
export const defaultCharSingleByte = '?';
export const supportsStreams = true;

/** Names of iconv-lite for encodings that have another name here. */
const ALIASES: Record<string, string> = {
  unicode11utf8: 'utf-8',
  ucs2: 'utf-16le',
  binary: 'latin1',
  iso88591: 'latin1',
  latin1: 'latin1',
  l1: 'latin1',
  gb2312: 'gbk',
  cp936: 'gbk',
  chinese: 'gbk',
  gb231280: 'gbk',
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  cp950: 'big5',
  ksc56011987: 'euc-kr',
  tis620: 'windows-874',
  ucs4le: 'utf-32le',
  ucs4be: 'utf-32be',
  cp20866: 'koi8-r',
  cp21866: 'koi8-u',
  turkish: 'windows-1254',
  turkish8: 'windows-1254',
  macukraine: 'x-mac-cyrillic',
};

/** Node.js's encodings of bytes as text, such as hexadecimal. */
const OWN: Record<string, BufferEncoding> = { base64: 'base64', hex: 'hex' };

/** Encodings whose byte order mark decides the byte order. */
const MARKED: Record<string, [little: string, big: string]> = {
  utf16: ['utf-16le', 'utf-16be'],
  utf32: ['utf-32le', 'utf-32be'],
  ucs4: ['utf-32le', 'utf-32be'],
};

/** Returns a name in small letters and digits, without the year. */
export const _canonicalizeEncoding = (encoding: string): string =>
  String(encoding)
    .toLowerCase()
    .replace(/:\d{4}$|[^0-9a-z]/g, '');

const known = new Map<string, string | null>();

/** Returns the name of an encoding here; `null` if there is none. */
function found(encoding: string): string | null {
  const short = _canonicalizeEncoding(encoding);
  let name = known.get(short);
  if (name !== undefined) return name;
  const number = /^(?:win(?:dows)?|cp|ibm|x?cp)?(\d{3,4})$/.exec(short)?.[1];
  const part = /^(?:iso8859|cp2859)(\d+)$/.exec(short)?.[1];
  const tried = [
    ALIASES[short],
    ...(part ? [`iso-8859-${part}`] : []),
    ...(number ? [/^(?:125\d|874)$/.test(number) ? `windows-${number}` : `cp${number}`, `ibm${number}`] : []),
    /^(?:utf|cesu|koi|gb)\d/.test(short)
      ? short.replace(/^([a-z]+)(\d+)(.*)$/, (_, kind: string, digits: string, end: string) =>
          kind === 'koi' ? `koi${digits}-${end}` : kind === 'gb' ? `gb${digits}` : `${kind}-${digits}${end}`,
        )
      : undefined,
    String(encoding),
    short,
    short.replace(/^(euc|iso2022|shift)/, '$1-'),
    short.replace(/^mac/, 'x-mac-'),
  ];
  const exact = short === 'ascii' || short === 'usascii' ? 'ascii' : (OWN[short] ?? (MARKED[short] && short));
  name = exact ?? tried.map((one) => (one ? canonicalName(one) : null)).find((one) => one !== null) ?? null;
  known.set(short, name);
  return name;
}

function named(encoding: string): string {
  const name = found(encoding);
  if (name === null)
    throw new Error(`Encoding not recognized: '${encoding}' (searched as: '${_canonicalizeEncoding(encoding)}')`);
  return name;
}

export const encodingExists = (encoding: string): boolean => found(encoding) !== null;

/** The conversion of pieces. In JavaScript, UTF-16 may have lone surrogates. */
class Pieces {
  readonly #converter: Converter;

  constructor(from: string, to: string) {
    this.#converter = new Converter({ from, to, policy: 'replace' });
  }

  write(piece: Uint8Array): Buffer {
    return Buffer.from(this.#converter.push(piece));
  }

  end(): Buffer {
    const rest = Buffer.from(this.#converter.finish());
    this.#converter.close();
    return rest;
  }
}

/** In iconv-lite, these end with whole units, and a partial one is dropped. */
const UNITS = /^utf-?(?:16|32)/;

class Decoding implements Coder<Buffer, string> {
  #pieces: Pieces | null = null;
  #head = Buffer.alloc(0);
  #first = true;

  constructor(
    private readonly name: string,
    private readonly options: Options = {},
  ) {}

  write(piece: Buffer | string): string {
    const bytes = typeof piece === 'string' ? Buffer.from(piece, 'binary') : Buffer.from(piece);
    if (this.name === 'ascii') return bytes.toString('latin1').replace(/[\x80-\xff]/g, defaultCharUnicode);
    const own = OWN[this.name];
    if (own) {
      // Three bytes become four letters.
      const all = Buffer.concat([this.#head, bytes]);
      const whole = own === 'base64' ? all.length - (all.length % 3) : all.length;
      this.#head = all.subarray(whole);
      return all.subarray(0, whole).toString(own);
    }
    if (!this.#pieces) {
      this.#head = Buffer.concat([this.#head, bytes]);
      if (MARKED[this.name] && this.#head.length < 16) return '';
      return this.#start();
    }
    return this.#text(this.#pieces.write(bytes));
  }

  #start(): string {
    const head = this.#head;
    const pair = MARKED[this.name];
    this.#pieces = new Pieces(pair ? ordered(head, pair, this.options.defaultEncoding) : this.name, 'utf-16le');
    return this.#text(this.#pieces.write(head));
  }

  #text(units: Buffer): string {
    const text = units.toString('utf16le');
    const { stripBOM } = this.options;
    if (!this.#first || text === '') return text;
    this.#first = false;
    if (text[0] !== '\ufeff' || stripBOM === false) return text;
    if (typeof stripBOM === 'function') stripBOM();
    return text.slice(1);
  }

  end(): string | undefined {
    const own = OWN[this.name];
    if (own) return this.#head.toString(own);
    if (this.name === 'ascii') return undefined;
    const started = this.#pieces ? '' : this.#start();
    const rest = this.#text(this.#pieces!.end());
    return started + (UNITS.test(this.name) && rest === defaultCharUnicode ? '' : rest);
  }
}

/**
 * Returns the byte order of a text: by its mark, or else by the position of zeros in its ASCII, or else the default.
 */
function ordered(head: Buffer, [little, big]: [string, string], otherwise = little): string {
  const width = little === 'utf-32le' ? 4 : 2;
  const mark = width === 2 ? [0xff, 0xfe] : [0xff, 0xfe, 0, 0];
  const begins = (bytes: number[]): boolean => bytes.every((byte, at) => head[at] === byte);
  if (begins(mark)) return little;
  if (begins(mark.toReversed())) return big;
  let [ascii, other] = [0, 0];
  for (let at = 0; at + width <= Math.min(head.length, 100); at += width) {
    const zero = width === 4 ? head[at + 1] === 0 && head[at + 2] === 0 : true;
    if (zero && head[at] !== 0 && head[at + width - 1] === 0) ascii += 1;
    if (zero && head[at] === 0 && head[at + width - 1] !== 0) other += 1;
  }
  return ascii > other ? little : other > ascii ? big : named(otherwise);
}

class Encoding implements Coder<string, Buffer> {
  #pieces: Pieces | null = null;
  #mark: string;
  #kept = '';

  constructor(
    private readonly name: string,
    options: Options = {},
  ) {
    const pair = MARKED[name];
    if (pair) this.name = named(options.use ?? options.defaultEncoding ?? pair[0]);
    this.#mark = options.addBOM || (pair && options.addBOM !== false) ? '\ufeff' : '';
  }

  write(piece: string): Buffer {
    let text = this.#mark + piece;
    this.#mark = '';
    if (this.name === 'ascii')
      return Buffer.from(text.replace(/[\ud800-\udbff][\udc00-\udfff]|[^\0-\x7f]/g, '?'), 'latin1');
    const own = OWN[this.name];
    if (own) {
      text = this.#kept + text;
      const whole = text.length - (text.length % 4);
      this.#kept = text.slice(whole);
      return Buffer.from(text.slice(0, whole), own);
    }
    this.#pieces ??= new Pieces('utf-16le', this.name);
    return this.#pieces.write(Buffer.from(text, 'utf16le'));
  }

  end(): Buffer | undefined {
    const own = OWN[this.name];
    if (own) return Buffer.from(this.#kept, own);
    return this.#pieces?.end();
  }
}

export const getDecoder = (encoding: string, options?: Options): Coder<Buffer, string> =>
  new Decoding(named(encoding), options);

export const getEncoder = (encoding: string, options?: Options): Coder<string, Buffer> =>
  new Encoding(named(encoding), options);

export function decode(bytes: Buffer | Uint8Array | string, encoding: string, options?: Options): string {
  const decoder = new Decoding(named(encoding), options);
  return decoder.write(bytes as Buffer) + (decoder.end() ?? '');
}

export function encode(content: string, encoding: string, options?: Options): Buffer {
  const [name, text] = [named(encoding), String(content ?? '')];
  if (name === 'utf-8' && !options?.addBOM) return Buffer.from(text);
  if (!MARKED[name] && !OWN[name] && name !== 'ascii' && !options?.addBOM)
    return Buffer.from(convert(Buffer.from(text, 'utf16le'), { from: 'utf-16le', to: name, policy: 'replace' }));
  const encoder = new Encoding(name, options);
  return Buffer.concat([encoder.write(text), encoder.end() ?? Buffer.alloc(0)]);
}

export { decode as fromEncoding, encode as toEncoding };

/** A stream of a coder: text on one side, bytes on the other. */
class CoderStream<From, To> extends Transform {
  constructor(
    private readonly coder: Coder<From, To>,
    private readonly decodes: boolean,
    options: Options = {},
  ) {
    super({
      ...(options as object),
      defaultEncoding: 'utf8',
      ...(decodes ? { encoding: 'utf8' } : { decodeStrings: false }),
    });
  }

  override _transform(piece: From, _: string, done: (error?: Error | null) => void): void {
    const fits = this.decodes ? piece instanceof Uint8Array : typeof piece === 'string';
    if (!fits)
      return done(
        new Error(
          `Iconv ${this.decodes ? 'decoding stream needs buffers' : 'encoding stream needs strings'} as its input.`,
        ),
      );
    this.#give(() => this.coder.write(piece), done);
  }

  override _flush(done: (error?: Error | null) => void): void {
    this.#give(() => this.coder.end(), done);
  }

  #give(work: () => To | undefined, done: (error?: Error | null) => void): void {
    try {
      const part = work() as { length: number } | undefined;
      if (part && part.length > 0) this.push(part, this.decodes ? 'utf8' : undefined);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  /** Passes the whole output to a callback. */
  collect(done: (error: Error | null, all?: string | Buffer) => void): this {
    const parts: (string | Buffer)[] = [];
    this.on('error', done);
    this.on('data', (part: string | Buffer) => parts.push(part));
    this.on('end', () => done(null, this.decodes ? parts.join('') : Buffer.concat(parts as Buffer[])));
    return this;
  }
}

export const decodeStream = (encoding: string, options?: Options): Transform =>
  new CoderStream(getDecoder(encoding, options), true, options);

export const encodeStream = (encoding: string, options?: Options): Transform =>
  new CoderStream(getEncoder(encoding, options), false, options);

/** Streams are always supported. */
export const enableStreamingAPI = (): void => undefined;

export default {
  _canonicalizeEncoding,
  decode,
  decodeStream,
  defaultCharSingleByte,
  defaultCharUnicode,
  enableStreamingAPI,
  encode,
  encodeStream,
  encodingExists,
  fromEncoding: decode,
  getDecoder,
  getEncoder,
  supportsStreams,
  toEncoding: encode,
};
