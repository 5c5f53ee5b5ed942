// Explains why a sequence is rejected, for readers who have never seen UTF-8, and how a lax decoder would read it.
import { encode, type Encoding, explain, forms } from 'utf8kit';
import { h } from './dom.ts';
import { codePoint, counted, glyph, hex, hexes } from './format.ts';
import type { Item } from './model.ts';

const quoted = (value: number): string => {
  const { text, invisible } = glyph(value);
  return value > 0x10ffff || (value >= 0xd800 && value < 0xe000)
    ? codePoint(value)
    : invisible
      ? `${codePoint(value)} (${text})`
      : `“${text}”`;
};

/** Returns the reason for an error. */
export function whyRefused(encoding: Encoding, item: Item): string {
  const [first] = item.parts;
  const { kind, lax, lengthClass, bytes, next, expected } = first!;
  const own = hexes(item.parts.flatMap((part) => part.bytes.map(({ value }) => value)));
  if (forms(encoding).length === 0) return elsewhere(kind!);
  const short = lax === null ? null : encode(lax, encoding);
  if (kind === 'overlong') {
    if (lax === null || !short)
      return (
        `${hex(bytes[0]!.value)} could only begin a longer form of a character that has a shorter one. ` +
        `Such forms are forbidden, because a filter that looks for the short one would miss them.`
      );
    const fits =
      `${quoted(lax)} fits in ${short.length === 1 ? 'one byte' : counted(short.length, 'byte')}, ` +
      `${hexes(short)}; ${counted(item.len, 'byte')} are forbidden, because a filter that looks for ` +
      `${hexes(short)} would miss ${own}.`;
    return `${fits} So each character has one form only.`;
  }
  if (kind === 'surrogate') {
    const which = lax === null ? 'a surrogate' : codePoint(lax);
    return (
      `${own} would be ${which}, which is not a character: UTF-16 writes characters above U+FFFF as two such ` +
      `halves. UTF-8 writes them in four bytes, such as F0 9F 98 80 for 😀, so that it never needs halves.`
    );
  }
  if (kind === 'too_large') {
    return (
      `${own} would be ${lax === null ? 'a number' : `${codePoint(lax)},`} beyond U+10FFFF, the last code ` +
      `point. UTF-16 cannot write more, so no encoding of Unicode may.`
    );
  }
  if (kind === 'truncated') {
    const missing = lengthClass - bytes.length;
    const stop =
      next === null
        ? 'the text ends'
        : `${hex(next)} follows, which does not continue ` +
          `it${expected ? `: that takes ${hex(expected[0])} to ${hex(expected[1])}` : ''}`;
    return (
      `${hex(bytes[0]!.value)} begins with ${lengthClass} ones, so it announces ` +
      `${counted(lengthClass, 'byte')}. ${missing === 1 ? 'One is' : `${missing} are`} missing: ${stop}. ` +
      `Text that was cut by bytes ends like this.`
    );
  }
  if (kind === 'unexpected_continuation') {
    return (
      `${own} begins with 10, as bytes after the first do, but no first byte is before it. The start of ` +
      `the sequence was lost, or this is not UTF-8 but an older encoding with one byte for each character.`
    );
  }
  return (
    `${own} never occurs in ${encoding}: no character’s bytes begin like this, at any place. It comes ` +
    `from another encoding, or is not text.`
  );
}

function elsewhere(kind: string): string {
  return kind === 'surrogate'
    ? 'A surrogate counts only as one half of a pair: a high one, then a low one.'
    : kind === 'too_large'
      ? 'The last code point is U+10FFFF.'
      : 'The last code unit is incomplete.';
}

/** Returns the item that an error begins: all errors that a lax decoder would read as one sequence. */
export function itemAt(bytes: Uint8Array, at: number, encoding: Encoding): Item {
  const [first, ...others] = explain(bytes.subarray(at), encoding);
  const end = first!.lax === null ? first!.len : Math.max(first!.len, first!.lengthClass);
  const parts = [first!, ...others.filter(({ offset, codePoint }) => offset < end && codePoint === null)];
  return { index: 0, offset: at, len: parts.reduce((len, part) => len + part.len, 0), value: null, parts };
}

/** Shows how a decoder that trusts the markers would read an error, and the correct form of the character. */
export function drawing(item: Item): HTMLElement | null {
  const [first] = item.parts;
  const { lax, kind, payloadBits, base } = first!;
  if (lax === null || item.len < 2) return null;
  const bits = (lax - base).toString(2).padStart(payloadBits, '0');
  const short = kind === 'overlong' ? encode(lax) : null;
  return h(
    'p',
    { class: 'mono sequence' },
    ...item.parts.flatMap((part) => part.bytes.map(({ value }) => h('b', { class: 'wrong' }, hex(value)))),
    ' → ',
    bits,
    ' → ',
    codePoint(lax),
    short ? ' → ' : '',
    ...(short ? Array.from(short, (byte, index) => h('b', { class: `c${index}` }, hex(byte))) : []),
  );
}
