// Tests decoders against the Web Platform Tests' expectations in vectors/web/.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Decoder } from 'utf8kit';

interface Labels {
  encoding: string;
  labels: string[];
  unmapped_hex?: string;
}
interface Decoding {
  encoding: string;
  pieces: { input_hex: string; text?: string }[];
  fatal?: boolean;
}

const read = (name: string): unknown[] =>
  readFileSync(new URL(`../../../vectors/web/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

describe.each(read('labels') as Labels[])('$encoding', ({ encoding, labels, unmapped_hex: unmapped }) => {
  test('labels', () => {
    for (const label of labels) {
      for (const written of [label, label.toUpperCase(), ` \t${label}\n\f\r`]) {
        if (encoding === 'replacement') expect(() => new Decoder(written)).toThrow(RangeError);
        else expect(new Decoder(written).encoding).toBe(encoding);
      }
    }
  });

  test.runIf(unmapped !== undefined)('bytes without a character', () => {
    const bad = bytesOf(unmapped ?? '');
    for (let byte = 0; byte < 256; byte += 1) {
      const decode = () => new Decoder(encoding, { fatal: true }).decode(Uint8Array.of(byte));
      if (bad.includes(byte)) expect(decode).toThrow(TypeError);
      else expect(decode()).toHaveLength(1);
    }
  });
});

test.each(read('decoding') as Decoding[])('%j', ({ encoding, pieces, fatal }) => {
  const inputs = pieces.map((piece) => bytesOf(piece.input_hex));
  if (fatal) {
    expect(() => new Decoder(encoding, { fatal: true }).decode(inputs[0])).toThrow(TypeError);
    return;
  }
  const all = (parts: Uint8Array[]) => {
    const decoder = new Decoder(encoding);
    return parts.map((part, index) => decoder.decode(part, { stream: index + 1 < parts.length }));
  };
  const texts = pieces.map((piece) => piece.text);
  expect(all(inputs)).toEqual(texts);
  const whole = Uint8Array.from(inputs.flatMap((input) => [...input]));
  for (let size = 1; size <= 5; size += 1) {
    const parts = Array.from({ length: Math.ceil(whole.length / size) + 1 }, (_, index) =>
      whole.subarray(index * size, (index + 1) * size),
    );
    expect(all(parts).join('')).toBe(texts.join(''));
  }
});
