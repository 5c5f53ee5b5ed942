// Tests browsers, in which the engine's decoder gets the UTF-16 of a text and would replace lone surrogates.
import { expect, test } from 'vitest';
import { Decoder, encode, type Encoding, ENCODINGS } from 'utf8kit/inline';

const WITH_THEM: Encoding[] = ['utf-8-21bit', 'utf-8-31bit', 'mutf-8', 'wtf-8', 'wtf-16le', 'wtf-16be'];

test('these encodings have lone surrogates', () => {
  expect(ENCODINGS.filter((encoding) => encode(0xd83d, encoding) !== null)).toEqual(WITH_THEM);
});

test.each(WITH_THEM)('%s: lone surrogates are kept', (encoding: Encoding) => {
  const bytes = encode(0xd83d, encoding)!;
  for (const count of [1, 100_000]) {
    const all = Uint8Array.from({ length: count * bytes.length }, (_, at) => bytes[at % bytes.length]!);
    expect(new Decoder(encoding).decode(all) === '\ud83d'.repeat(count)).toBe(true);
  }
});
