// Parses what people type: text, bytes in several notations, code points, escapes. The library encodes the code points.
import { ConvertError, Decoder, encode, type Encoding, encodeText, explain, validate } from 'utf8kit';
import { codePoint, hex } from './format.ts';

export const NOTATIONS = [
  'text',
  'hex',
  'code points',
  'escapes',
  'percent',
  'entities',
  'binary',
  'octal',
  'decimal',
  'hexdump',
] as const;
export type Notation = (typeof NOTATIONS)[number];

/** The names of the notations. */
export const LABELS: Record<Notation, string> = {
  text: 'text',
  hex: 'bytes in hex',
  'code points': 'code points',
  escapes: 'text with \\ escapes',
  percent: 'text with % escapes',
  entities: 'HTML entities',
  binary: 'bytes in binary',
  octal: 'bytes in octal',
  decimal: 'bytes in decimal',
  hexdump: 'a hex dump',
};

/** A part of the source and its bytes. */
export interface Token {
  from: number;
  to: number;
  byte: number;
  len: number;
}

/** Bytes, and the parts of the source that have none. */
export interface Reading {
  notation: Notation;
  bytes: Uint8Array;
  tokens: Token[];
  /** Code points that the encoding cannot represent, which are omitted. */
  lacking: number[];
  /** Digits at the end that are not a complete byte yet. */
  half: string;
  /** Parts that could not be parsed. */
  problem: string | null;
}

const LIST = String.raw`[\s,;:{}()\[\]_-]`;
/** A byte in decimal. */
const DECIMAL = String.raw`(?:1?\d?\d|2[0-4]\d|25[0-5])`;
/** A line of a dump: an offset, bytes, and the rest. */
const DUMPED =
  String.raw`\s*[0-9a-f]{7,8}:?[ \t]+(?:[0-9a-f]{2}){1,2}(?:[ \t]{1,2}(?:[0-9a-f]{2}){1,8})*` +
  String.raw`(?:[ \t]+\S.*)?\s*(?:\n|$)`;
// `\u` and `\U` are different escapes, so case matters here.
const ESCAPE = new RegExp(
  String.raw`\\(?:u\{(?<braced>[0-9a-fA-F]{1,8})\}|u(?<unit>[0-9a-fA-F]{4})|U(?<long>[0-9a-fA-F]{8})|` +
    String.raw`x(?<byte>[0-9a-fA-F]{2})|(?<letter>[\s\S]))`,
  'g',
);
const LETTERS: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', 0: '\0' };
const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  euro: '€',
  copy: '©',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  eacute: 'é',
  szlig: 'ß',
};

/** The pattern of each notation, in the order in which they are tried. */
const SHAPES: [Notation, RegExp][] = [
  ['hexdump', /^[0-9a-f]{4,8}:?[ \t]+(?:[0-9a-f]{2,4}[ \t]+){1,16}.*$/im],
  ['code points', /^\s*(?:U\+[0-9a-f]{1,8}[\s,;]*)+$/i],
  ['binary', new RegExp(String.raw`^${LIST}*(?:0b)?[01]{8}(?:${LIST}*(?:0b)?[01]{8})*${LIST}*$`, 'i')],
  ['octal', /^\s*(?:\\[0-3][0-7]{2}\s*)+$/],
  ['percent', /%[0-9a-f]{2}/i],
  ['hex', new RegExp(String.raw`^${LIST}*(?:0x|\\x)[0-9a-f]{1,2}(?:${LIST}*(?:0x|\\x)[0-9a-f]{1,2})*${LIST}*$`, 'i')],
  ['decimal', new RegExp(String.raw`^\s*(?=.*\b(?:1[3-9]\d|2\d\d|12[89])\b)(?:${DECIMAL}[\s,;]+)+${DECIMAL}[\s,;]*$`)],
  ['octal', /^\s*(?=.*\b[23][0-7]{2}\b)(?:[0-3][0-7]{2}[\s,;]+)+[0-3][0-7]{2}\s*$/],
  ['hex', /^\s*[0-9a-f]{2}(?:[\s,:;-]+[0-9a-f]{2})*\s*$/i],
  ['hex', /^\s*(?=.*\d)(?:[0-9a-f]{2}){2,}\s*$/i],
  ['escapes', /\\(?:u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]+\}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2})/],
  ['entities', /&(?:#[0-9]+|#x[0-9a-f]+|[a-z]+);/i],
];

/**
 * Returns the notation that a source resembles, other than `but`; `null` if there is none. It is suggested, not
 * assumed.
 */
export function looksLike(source: string, but: Notation): Notation | null {
  const head = source.slice(0, 4096);
  const found = SHAPES.filter(([, shape]) => shape.test(head)).map(([notation]) => notation);
  return found.includes(but) ? null : (found[0] ?? null);
}

/** Bytes in digits, which may also be something else. They are read as bytes if these are non-ASCII text. */
const DIGITS: [Notation, RegExp][] = [
  ['hex', /^(?=.*\d)\s*(?:[0-9a-f]{2}){2,}\s*$/i],
  ['hex', /^(?=.*\d)\s*[0-9a-f]{2}(?:[,:;-]\s?[0-9a-f]{2})+\s*$/i],
  ['decimal', /^\s*\[?\s*(?:\d{1,3}[\s,;]+)+\d{1,3}[\s,;]*\]?\s*$/],
  ['octal', /^\s*(?:[0-3][0-7]{2}[\s,;]+)+[0-3][0-7]{2}\s*$/],
];

/** Returns the notation of a source if it is unlikely to be anything else; otherwise, it is text. */
export function plain(source: string): Notation {
  if (source.length > 65_536) return 'text';
  if (/^\s*(?:U\+[0-9a-f]{2,8}[\s,;]*)+$/i.test(source)) return 'code points';
  if (/^\s*(?:%[0-9a-f]{2})+\s*$/i.test(source)) return 'percent';
  if (/^\s*(["'])?(?:\\(?:u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]+\}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}))+\1\s*$/.test(source))
    return 'escapes';
  if (/^\s*(?:\\[0-3][0-7]{2}\s*)+$/.test(source)) return 'octal';
  // Separated pairs, one of them a letter with a digit: E2 82 AC, but not 10 20 and not de ad.
  if (/^\s*[0-9a-f]{2}(?:\s+[0-9a-f]{2})+(?:\s+[0-9a-f])?\s*$/i.test(source) && /\b(?:[a-f]\d|\d[a-f])\b/i.test(source))
    return 'hex';
  // Bytes with a prefix: 0xE2, 0x82.
  if (new RegExp(String.raw`^${LIST}*0x[0-9a-f]{1,2}(?:${LIST}+0x[0-9a-f]{1,2})*${LIST}*$`, 'i').test(source))
    return 'hex';
  if (/^\s*(?:0b)?[01]{8}(?:[\s,_]*(?:0b)?[01]{8})+\s*$/i.test(source)) return 'binary';
  if (new RegExp(`^(?:${DUMPED})+$`, 'i').test(source)) return 'hexdump';
  const found = DIGITS.find(
    ([notation, shape]) => shape.test(source) && isText(new Reader(source, 'utf-8', notation).read()),
  );
  return found?.[0] ?? 'text';
}

/** Reports whether bytes are UTF-8 with non-ASCII characters, which other digits rarely form. */
function isText({ bytes, problem, half }: Reading): boolean {
  return !problem && !half && bytes.some((byte) => byte >= 0x80) && validate(bytes) === null;
}

/** Parses a source. */
export function read(source: string, encoding: Encoding, notation: Notation = plain(source)): Reading {
  if (notation === 'text') {
    const lacking: number[] = [];
    const bytes =
      encodeText(source, encoding) ??
      joined(Array.from(source, (character) => encoded(character.codePointAt(0)!, encoding, lacking)));
    return { notation, bytes, tokens: [], lacking, half: '', problem: null };
  }
  return new Reader(source, encoding, notation).read();
}

/** Returns the bytes of a code point. For a dialect, these include code points that it rejects, to show the errors. */
function encoded(value: number, encoding: Encoding, lacking: number[]): Uint8Array {
  const bytes =
    encode(value, encoding) ?? (value <= 0x7fffffff && writesLikeUtf8(encoding) ? encode(value, 'utf-8-31bit') : null);
  if (!bytes) lacking.push(value);
  return bytes ?? new Uint8Array();
}

/** Reports whether multi-byte sequences mean the same in an encoding as in UTF-8. */
function writesLikeUtf8(encoding: Encoding): boolean {
  return `${encode(0x80, encoding)}` === `${encode(0x80, 'utf-8')}`;
}

class Reader {
  readonly #out: number[] = [];
  readonly #tokens: Token[] = [];
  readonly #lacking: number[] = [];
  #half = '';
  #problem: string | null = null;

  constructor(
    private readonly source: string,
    private readonly encoding: Encoding,
    private readonly notation: Notation,
  ) {}

  read(): Reading {
    const { source, notation } = this;
    if (notation === 'hex') this.#digits(/(?:0x|\\x|%)?([0-9a-f]+)/gi, 16, 2);
    else if (notation === 'binary') this.#digits(/(?:0b)?([01]+)/gi, 2, 8);
    else if (notation === 'octal') this.#digits(/\\?([0-7]{1,3})/g, 8, 3);
    else if (notation === 'decimal') this.#digits(/(\d{1,3})/g, 10, 3);
    else if (notation === 'hexdump') this.#dump();
    else if (notation === 'code points') this.#codePoints();
    else if (notation === 'percent')
      this.#mixed(/%([0-9a-f]{2})/gi, (match) => Uint8Array.of(Number.parseInt(match[1]!, 16)));
    else if (notation === 'entities')
      this.#mixed(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi, (match) => this.#entity(match));
    else this.#escapes(source);
    return {
      notation,
      bytes: Uint8Array.from(this.#out),
      tokens: this.#tokens,
      lacking: this.#lacking,
      half: this.#half,
      problem: this.#problem,
    };
  }

  #put(from: number, to: number, bytes: Uint8Array): void {
    this.#tokens.push({ from, to, byte: this.#out.length, len: bytes.length });
    for (const byte of bytes) this.#out.push(byte);
  }

  /** Parses literal text, with a token for each character. */
  #text(from: number, to: number): void {
    let at = from;
    for (const character of this.source.slice(from, to)) {
      this.#put(at, at + character.length, encoded(character.codePointAt(0)!, this.encoding, this.#lacking));
      at += character.length;
    }
  }

  /** Parses bytes in digits: `width` of them, or fewer if they are separated from others. */
  #digits(pattern: RegExp, base: number, width: number): void {
    const fixed = base === 16 || base === 2;
    let end = 0;
    for (const match of this.source.matchAll(pattern)) {
      this.#between(end, match.index);
      end = match.index + match[0].length;
      const digits = match[1]!;
      const prefixed = digits.length < match[0].length;
      for (let at = 0; at < digits.length; at += width) {
        const part = digits.slice(at, at + width);
        const from = end - digits.length + at;
        if (fixed && part.length < width && !(prefixed && at === 0)) {
          if (end === this.source.trimEnd().length) this.#half = part;
          else this.#wrong(part);
        } else if (Number.parseInt(part, base) > 255) this.#wrong(part);
        else this.#put(from, from + part.length, Uint8Array.of(Number.parseInt(part, base)));
      }
    }
    this.#between(end, this.source.length);
  }

  /** Checks that only separators are between bytes. */
  #between(from: number, to: number): void {
    const rest = this.source.slice(from, to).replace(/[\s,;:{}()[\]<>"'|_.-]|0x$|0b$/gi, '');
    if (rest) this.#wrong(rest);
  }

  #wrong(what: string): void {
    this.#problem ??= `“${what.slice(0, 20)}” is not a byte: left out.`;
  }

  /** Parses the lines of xxd and hexdump: an offset, up to 16 bytes, and the same as text. */
  #dump(): void {
    let start = 0;
    for (const line of this.source.split('\n')) {
      const offset = /^\s*[0-9a-f]{4,8}:?(?=\s)/i.exec(line);
      let at = offset ? offset[0].length : line.length;
      let count = 0;
      const group = /([ \t]{1,2})((?:[0-9a-f]{2}){1,8})(?![^\s])/iy;
      for (;;) {
        group.lastIndex = at;
        const match = group.exec(line);
        if (!match || count >= 16 || (match[1]!.length === 2 && match[2]!.length > 2)) break;
        for (let digit = 0; digit < match[2]!.length && count < 16; digit += 2, count += 1) {
          const from = start + at + match[1]!.length + digit;
          this.#put(from, from + 2, Uint8Array.of(Number.parseInt(match[2]!.slice(digit, digit + 2), 16)));
        }
        at = group.lastIndex;
      }
      start += line.length + 1;
    }
  }

  #codePoints(): void {
    for (const match of this.source.matchAll(/[^\s,;]+/g)) {
      const value = /^(?:U\+|0x|\\u)?\{?([0-9a-f]{1,8})\}?$/i.exec(match[0]);
      const parsed = value ? Number.parseInt(value[1]!, 16) : NaN;
      if (parsed <= 0x7fffffff)
        this.#put(match.index, match.index + match[0].length, encoded(parsed, this.encoding, this.#lacking));
      else this.#problem ??= `“${match[0].slice(0, 20)}” is not a code point like U+20AC: left out.`;
    }
  }

  /** Parses text with escapes for bytes. */
  #mixed(pattern: RegExp, bytesOf: (match: RegExpMatchArray) => Uint8Array | null): void {
    let at = 0;
    for (const match of this.source.matchAll(pattern)) {
      const bytes = bytesOf(match);
      if (!bytes) continue;
      this.#text(at, match.index);
      at = match.index + match[0].length;
      this.#put(match.index, at, bytes);
    }
    this.#text(at, this.source.length);
  }

  #entity([, inHex, decimal, name]: RegExpMatchArray): Uint8Array | null {
    const value = inHex
      ? Number.parseInt(inHex, 16)
      : decimal
        ? Number(decimal)
        : NAMED[name!.toLowerCase()]?.codePointAt(0);
    return value === undefined || value > 0x7fffffff ? null : encoded(value, this.encoding, this.#lacking);
  }

  #escapes(source: string): void {
    const quoted = /^(\s*[bru]*(["']))([\s\S]*)\2\s*$/i.exec(source);
    const [start, end] = quoted ? [quoted[1]!.length, quoted[1]!.length + quoted[3]!.length] : [0, source.length];
    const escapes = [...source.slice(start, end).matchAll(ESCAPE)];
    let at = start;
    for (let index = 0; index < escapes.length; index += 1) {
      const match = escapes[index]!;
      const from = start + match.index;
      let to = from + match[0].length;
      this.#text(at, from);
      const { braced, unit, long, byte, letter } = match.groups!;
      if (byte) this.#put(from, to, Uint8Array.of(Number.parseInt(byte, 16)));
      else if (letter)
        this.#put(from, to, encoded((LETTERS[letter] ?? letter).codePointAt(0)!, this.encoding, this.#lacking));
      else {
        let value = Number.parseInt((braced ?? long ?? unit)!, 16);
        const next = escapes[index + 1];
        // Two halves of a surrogate pair, written as two escapes.
        const low =
          unit && next?.groups!.unit && start + next.index === to ? Number.parseInt(next.groups!.unit, 16) : 0;
        if (value >= 0xd800 && value < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
          value = 0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00);
          to += next![0].length;
          index += 1;
        }
        this.#put(from, to, encoded(Math.min(value, 0x7fffffff), this.encoding, this.#lacking));
      }
      at = to;
    }
    this.#text(at, end);
  }
}

function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Writes bytes in a notation; in escapes, or in hex, if it cannot express them. */
export function print(
  bytes: Uint8Array,
  encoding: Encoding,
  notation: Notation,
): { source: string; notation: Notation } {
  const as = (base: number, width: number, before = '', between = ' ') =>
    Array.from(bytes, (byte) => before + byte.toString(base).toUpperCase().padStart(width, '0')).join(between);
  if (notation === 'hex' || notation === 'hexdump') return { source: as(16, 2), notation: 'hex' };
  if (notation === 'binary') return { source: as(2, 8), notation };
  if (notation === 'octal') return { source: as(8, 3, '\\', ''), notation };
  if (notation === 'decimal') return { source: as(10, 1), notation };
  if (notation === 'percent')
    return {
      source: Array.from(bytes, (byte) =>
        /[\w.~-]/.test(String.fromCharCode(byte)) && byte < 128 ? String.fromCharCode(byte) : `%${hex(byte)}`,
      ).join(''),
      notation,
    };
  const text = strictText(bytes, encoding);
  if (notation === 'text' && text !== null) return { source: text, notation };
  if (notation === 'entities' && text !== null) {
    return {
      source: Array.from(text, (one) =>
        one === '&' ? '&amp;' : one > '\x7f' ? `&#x${one.codePointAt(0)!.toString(16).toUpperCase()};` : one,
      ).join(''),
      notation,
    };
  }
  if (bytes.length > 65_536) return { source: as(16, 2), notation: 'hex' };
  const items = explain(bytes, encoding);
  if (notation === 'code points') {
    if (items.every((item) => item.codePoint !== null))
      return { source: items.map((item) => codePoint(item.codePoint!)).join(' '), notation };
    return { source: as(16, 2), notation: 'hex' };
  }
  const shown = items.map((item) => {
    const value = item.codePoint;
    if (value === null || value > 0x10ffff) return item.bytes.map((byte) => `\\x${hex(byte.value)}`).join('');
    if (value === 0x5c) return '\\\\';
    return value >= 0xd800 && value < 0xe000 ? `\\u${value.toString(16).toUpperCase()}` : String.fromCodePoint(value);
  });
  return { source: shown.join(''), notation: 'escapes' };
}

/** Returns the text of bytes, if they are well-formed text. */
function strictText(bytes: Uint8Array, encoding: Encoding): string | null {
  if (validate(bytes, encoding)) return null;
  try {
    const text = new Decoder(encoding === 'latin1' ? 'isomorphic' : encoding, { fatal: true, ignoreBOM: true }).decode(
      bytes,
    );
    return /\p{Cs}/u.test(text) ? null : text;
  } catch (error) {
    if (error instanceof TypeError || error instanceof ConvertError) return null;
    throw error;
  }
}

/** Returns the source with only one byte changed, if its notation can express that. */
export function change(
  source: string,
  reading: Reading,
  encoding: Encoding,
  at: number,
  byte: number,
): { source: string; notation: Notation } {
  const { notation } = reading;
  const bytes = reading.bytes.slice();
  bytes[at] = byte;
  const token = reading.tokens.find((one) => at >= one.byte && at < one.byte + one.len);
  if (notation === 'text' || !token) return print(bytes, encoding, notation);
  const splice = (written: string) => ({
    source: source.slice(0, token.from) + written + source.slice(token.to),
    notation,
  });
  const digits = source.slice(token.from, token.to);
  const lower = digits !== digits.toUpperCase();
  if (notation === 'hex' || notation === 'hexdump') return splice(lower ? hex(byte).toLowerCase() : hex(byte));
  if (notation === 'binary') return splice(byte.toString(2).padStart(8, '0'));
  if (notation === 'octal') return splice(byte.toString(8).padStart(3, '0'));
  if (notation === 'decimal') return splice(String(byte));
  const own = bytes.subarray(token.byte, token.byte + token.len);
  if (notation === 'percent') return splice(Array.from(own, (one) => `%${hex(one)}`).join(''));
  const [item, ...others] = explain(own, encoding);
  const value = others.length === 0 ? (item?.codePoint ?? null) : null;
  if (notation === 'code points') return value === null ? print(bytes, encoding, 'hex') : splice(codePoint(value));
  if (notation === 'entities')
    return value === null ? print(bytes, encoding, 'escapes') : splice(`&#x${value.toString(16).toUpperCase()};`);
  if (value !== null && !digits.startsWith('\\x')) return splice(`\\u{${value.toString(16).toUpperCase()}}`);
  return splice(Array.from(own, (one) => `\\x${hex(one)}`).join(''));
}
