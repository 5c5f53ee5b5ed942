import { describe, expect, test } from 'vitest';
import type { Encoding } from 'utf8kit';
import { detect, read } from '../src/notation.ts';
import { fragment, fromFragment } from '../src/state.ts';

const bytes = (source: string, encoding: Encoding = 'utf-8') => [...read(source, encoding).bytes];
const EURO = [0xe2, 0x82, 0xac];

test.each(['E2 82 AC', 'e2 82 ac', '\\xE2\\x82\\xAC', '%E2%82%AC', '0xE2,0x82,0xAC', '0xE2, 0x82, 0xac', 'E2:82:AC', ' E2\n82\nAC '])('bytes: %s', (source) => {
  expect(detect(source)).toBe('hex');
  expect(bytes(source)).toEqual(EURO);
});

test.each([['U+20AC', EURO], ['u+20ac U+0041', [...EURO, 0x41]], ['U+D800', [0xed, 0xa0, 0x80]], ['U+110000', [0xf4, 0x90, 0x80, 0x80]]])('code points: %s', (source, expected) => {
  expect(detect(source)).toBe('code points');
  expect(bytes(source)).toEqual(expected);
});

test.each([
  ['"\\u20AC"', EURO], ['\\u20ac!', [...EURO, 0x21]], ['\\uD83D\\uDE00', [0xf0, 0x9f, 0x98, 0x80]], ['\\U0001F600', [0xf0, 0x9f, 0x98, 0x80]],
  ["b'caf\\xc3\\xa9'", [0x63, 0x61, 0x66, 0xc3, 0xa9]], ['\\u{20AC}\\n', [...EURO, 10]], ['a\\\\\\u0041', [0x61, 0x5c, 0x41]],
])('escapes: %s', (source, expected) => {
  expect(detect(source)).toBe('escapes');
  expect(bytes(source)).toEqual(expected);
});

test.each(['€', 'cafe', 'E2', 'be ad x', 'U+', '100%', ''])('text: %s', (source) => {
  expect(detect(source)).toBe('text');
  expect(bytes(source)).toEqual([...new TextEncoder().encode(source)]);
});

describe('what cannot be read or written', () => {
  test('is said', () => {
    expect(read('E2 8', 'utf-8', 'hex').trouble).not.toBeNull();
    expect(read('20AC what', 'utf-8', 'code points').trouble).not.toBeNull();
    const latin = read('a€', 'latin1');
    expect([[...latin.bytes], latin.lacking]).toEqual([[0x61], [0x20ac]]);
  });
});

test('a state and its fragment', () => {
  const state = { view: 'text', encoding: 'cesu-8', bytes: Uint8Array.of(0xed, 0xa0), notation: 'code points' } as const;
  expect(fromFragment(fragment(state))).toEqual(state);
  expect(fromFragment(fragment({ ...state, view: 'file' }))).toEqual({ view: 'file' });
  expect(fromFragment('#nonsense/of/xyz')).toEqual({ view: 'text' });
});
