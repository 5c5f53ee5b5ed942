// In browsers, whose own decoder is given the UTF-16 of a text: it would replace lone surrogates.
import { expect, test } from 'vitest';
import { Decoder, encode, type Encoding, ENCODINGS } from 'utf8kit/inline';

test.each(ENCODINGS)('%s: lone surrogates stay if it has them', (encoding: Encoding) => {
  const bytes = encode(0xd83d, encoding);
  if (bytes === null) return;
  for (const count of [1, 100_000]) {
    const all = Uint8Array.from({ length: count * bytes.length }, (_, at) => bytes[at % bytes.length]!);
    expect(new Decoder(encoding).decode(all) === '\ud83d'.repeat(count)).toBe(true);
  }
});
