// Explains why a sequence is rejected, for readers who have never seen UTF-8, and how a lax decoder would read it.
import { encode, type Encoding, explain, forms } from 'utf8kit';
import { h } from './dom.ts';
import { codePoint, glyph, hex, hexes } from './format.ts';
import type { Item } from './model.ts';
import { type Say, say } from './strings.ts';

const quoted = (value: number): string => {
  const { text, invisible } = glyph(value);
  return value > 0x10ffff || (value >= 0xd800 && value < 0xe000)
    ? codePoint(value)
    : invisible
      ? `${codePoint(value)} (${text})`
      : `“${text}”`;
};

/** Returns the reason for an error. The lesson tells it in English. */
export function whyRefused(encoding: Encoding, item: Item, tell: Say = say): string {
  const [first] = item.parts;
  const { kind, lax, lengthClass, next, expected, bytes: own } = first!;
  const bytes = hexes(item.parts.flatMap((part) => part.bytes.map(({ value }) => value)));
  if (forms(encoding).length === 0) {
    return tell(kind === 'surrogate' ? 'why_half' : kind === 'too_large' ? 'why_last' : 'why_unit');
  }
  if (kind === 'overlong') {
    const short = lax === null ? null : encode(lax, encoding);
    if (lax === null || !short) return tell('why_longer', { bytes: hex(own[0]!.value) });
    return tell('why_overlong', { character: quoted(lax), short: hexes(short), bytes });
  }
  if (kind === 'surrogate') return tell('why_surrogate', { bytes, value: lax === null ? 'U+D800…' : codePoint(lax) });
  if (kind === 'too_large') return tell('why_too_large', { bytes, value: lax === null ? 'U+110000…' : codePoint(lax) });
  if (kind === 'truncated') {
    const [low, high] = (expected ?? []).map(hex) as [string?, string?];
    const stop =
      next === null
        ? tell('stop_end')
        : low && high
          ? tell('stop_range', { next: hex(next), low, high })
          : tell('stop_next', { next: hex(next) });
    const missing = lengthClass - own.length;
    return tell('why_truncated', { bytes: hex(own[0]!.value), length: lengthClass, missing, stop });
  }
  if (kind === 'unexpected_continuation') return tell('why_continuation', { bytes });
  return tell('why_invalid', { bytes, encoding });
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
