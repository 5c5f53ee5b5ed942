// What people type: text, hexadecimal bytes, code points, escapes. How code points become bytes is the library's affair.
import { encode, type Encoding, encodeText } from 'utf8kit';

export type Notation = 'text' | 'hex' | 'code points' | 'escapes';

/** Bytes, and what was in the source that has none in the encoding. */
export interface Reading {
  notation: Notation;
  bytes: Uint8Array;
  /** Code points that the encoding does not hold, left out. */
  lacking: number[];
  /** What could not be read. */
  trouble: string | null;
}

const HEX = /^\s*(?:(?:\\x|%|0x)[0-9a-f]{2}[\s,;]*)+$|^\s*[0-9a-f]{2}(?:[\s,:;-]+[0-9a-f]{2})+\s*$/i;
const CODE_POINTS = /^\s*(?:U\+[0-9a-f]{1,8}[\s,;]*)+$/i;
// `\u` and `\U` are two escapes: case counts here.
const ESCAPES = /\\(?:u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]+\}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2})/;
const ESCAPE = /\\(?:u\{(?<braced>[0-9a-fA-F]+)\}|u(?<unit>[0-9a-fA-F]{4})|U(?<long>[0-9a-fA-F]{8})|x(?<byte>[0-9a-fA-F]{2})|(?<letter>[\s\S]))/g;
const LETTERS: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', 0: '\0' };

/** Which notation a source is in, as far as it cannot be mistaken. */
export function detect(source: string): Notation {
  if (HEX.test(source)) return 'hex';
  if (CODE_POINTS.test(source)) return 'code points';
  return ESCAPES.test(source) ? 'escapes' : 'text';
}

/** Reads a source. */
export function read(source: string, encoding: Encoding, notation: Notation = detect(source)): Reading {
  const out: number[] = [];
  const lacking: number[] = [];
  let trouble: string | null = null;
  const value = (codePoint: number): void => {
    const bytes = encode(codePoint, encoding) ?? refused(codePoint, encoding);
    if (bytes) out.push(...bytes);
    else lacking.push(codePoint);
  };
  const text = (part: string): void => {
    const bytes = encodeText(part, encoding);
    if (bytes) for (const byte of bytes) out.push(byte);
    else for (const character of part) value(character.codePointAt(0)!);
  };
  if (notation === 'text') {
    text(source);
  } else if (notation === 'hex') {
    const digits = source.replace(/\\x|%|0x/gi, ' ').replace(/[\s,:;-]+/g, '');
    const pairs = digits.match(/^(?:[0-9a-f]{2})*$/i) ? (digits.match(/../g) ?? []) : null;
    if (pairs) out.push(...pairs.map((pair) => Number.parseInt(pair, 16)));
    else trouble = 'Hexadecimal bytes are pairs of 0 to 9 and A to F.';
  } else if (notation === 'code points') {
    for (const word of source.split(/[\s,;]+/).filter(Boolean)) {
      const codePoint = Number.parseInt(word.replace(/^U\+|^0x/i, ''), 16);
      if (/^(?:U\+|0x)?[0-9a-f]{1,8}$/i.test(word) && codePoint <= 0x7fffffff) value(codePoint);
      else trouble = `${word} is no code point: U+20AC.`;
    }
  } else {
    const bare = source.replace(/^\s*[bru]*(["'])([\s\S]*)\1\s*$/i, '$2');
    let at = 0;
    let pending = '';
    for (const match of bare.matchAll(ESCAPE)) {
      const { braced, unit, long, byte, letter } = match.groups!;
      pending += bare.slice(at, match.index);
      at = match.index + match[0].length;
      if (unit) pending += String.fromCharCode(Number.parseInt(unit, 16));
      else if (letter) pending += LETTERS[letter] ?? letter;
      else {
        text(pending);
        pending = '';
        if (byte) out.push(Number.parseInt(byte, 16));
        else value(Number.parseInt((braced ?? long)!, 16));
      }
    }
    text(pending + bare.slice(at));
  }
  return { notation, bytes: Uint8Array.from(out), lacking, trouble };
}

/** The bytes that a dialect would have for a value it refuses, so that it can be seen refusing them. */
function refused(codePoint: number, encoding: Encoding): Uint8Array | null {
  const plain = ['utf-8', 'cesu-8', 'wtf-8', 'mutf-8', 'utf-8-21bit'].includes(encoding);
  return plain && codePoint <= 0x7fffffff ? encode(codePoint, 'utf-8-31bit') : null;
}
