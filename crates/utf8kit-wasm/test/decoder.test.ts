// Tests that Decoder behaves like Node's TextDecoder, on hard strings, split into all pieces.
import { describe, expect, test } from 'vitest';
import { Decoder, encodeText, type Encoding, ENCODINGS } from 'utf8kit';

const HARD = [
  [],
  [0],
  [0x41],
  [0x7f],
  [0x80],
  [0xbf, 0xbf],
  [0xc0, 0x80],
  [0xc0, 0xaf],
  [0xc2],
  [0xc2, 0x80],
  [0xdf, 0xbf, 0x80],
  [0xe0, 0x80, 0x80],
  [0xe0, 0xa0],
  [0xe2, 0x82, 0xac],
  [0xe2, 0x82, 0x41],
  [0xed, 0x9f, 0xbf],
  [0xed, 0xa0, 0x80],
  [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
  [0xef, 0xbb, 0xbf],
  [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf],
  [0xef, 0xbb],
  [0xef, 0xbb, 0x41],
  [0xf0, 0x9f, 0x98, 0x80],
  [0xf0, 0x9f, 0x98],
  [0xf0, 0x80, 0x80, 0x80],
  [0xf4, 0x8f, 0xbf, 0xbf],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf5, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
  [0xfe, 0xff],
  [0xff, 0xfe],
  [0xff, 0xfe, 0x41, 0],
  [0xfe, 0xff, 0, 0x41],
  [0x3d, 0xd8, 0, 0xde],
  [0xd8, 0x3d, 0xde, 0],
  [0x3d, 0xd8],
  [0xd8, 0x3d],
  [0, 0xde],
  [0xde, 0],
  [0x3d, 0xd8, 0x41, 0],
  [0xd8, 0x3d, 0, 0x41],
  [0x3d, 0xd8, 0x3d],
  [0xd8, 0x3d, 0xde],
  [0x3d, 0xd8, 0x3d, 0xd8],
  [0xff, 0xfe, 0xff, 0xfe],
  [0xfe, 0xff, 0xfe, 0xff],
];

/** A text, or the name of the error. */
function outcome(decode: () => string): string {
  try {
    return JSON.stringify(decode());
  } catch (error) {
    return (error as Error).name;
  }
}

const options = [true, false].flatMap((fatal) => [true, false].map((ignoreBOM) => ({ fatal, ignoreBOM })));

describe.each(['utf-8', 'utf-16le', 'utf-16be'])('%s', (label) => {
  describe.each(options)('%o', (options) => {
    const inputs = HARD.flatMap((one) => HARD.map((other) => Uint8Array.from([...one, ...other])));

    test('whole', () => {
      for (const input of inputs) {
        const [ours, theirs] = [new Decoder(label, options), new TextDecoder(label, options)];
        expect(
          outcome(() => ours.decode(input)),
          `${input}`,
        ).toBe(outcome(() => theirs.decode(input)));
      }
    });

    test('in pieces', () => {
      for (const input of inputs) {
        for (let cut = 0; cut <= input.length; cut += 1) {
          const [ours, theirs] = [new Decoder(label, options), new TextDecoder(label, options)];
          const pieces = [input.subarray(0, cut), input.subarray(cut), undefined];
          const all = (decoder: Decoder | TextDecoder) => () => {
            // The call that reports an error may differ by one, but it must be reported.
            return pieces.map((piece) => decoder.decode(piece, { stream: piece !== undefined })).join('');
          };
          expect(outcome(all(ours)), `${input} cut at ${cut}`).toBe(outcome(all(theirs)));
        }
      }
    });

    test('repeatedly', () => {
      const [ours, theirs] = [new Decoder(label, options), new TextDecoder(label, options)];
      for (const input of inputs) {
        expect(
          outcome(() => ours.decode(input)),
          `${input}`,
        ).toBe(outcome(() => theirs.decode(input)));
      }
    });
  });
});

test('encodings that browsers lack', () => {
  const decoded = (label: string, ...bytes: number[]) => new Decoder(label).decode(Uint8Array.from(bytes));
  expect(decoded('cesu-8', 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80)).toBe('😀');
  expect(decoded('mutf-8', 0x61, 0xc0, 0x80)).toBe('a\0');
  expect(decoded('wtf-8', 0xed, 0xa0, 0xbd)).toBe('\ud83d');
  expect(decoded('utf-8-offset', 0xe1, 0xa0, 0xac)).toBe('€');
  expect(decoded('utf-32be', 0, 1, 0xf6, 0)).toBe('😀');
  expect(decoded('isomorphic', 0x80, 0xe9)).toBe('\x80é');
  expect(decoded('utf-8-31bit', 0xfd, 0xbf, 0xbf, 0xbf, 0xbf, 0xbf)).toBe('\ufffd');
  expect(() => new Decoder('cesu-8', { fatal: true }).decode(Uint8Array.of(0xf0, 0x9f, 0x98, 0x80))).toThrow(TypeError);
});

test.each(ENCODINGS.filter((encoding) => encoding !== 'latin1'))('%s there and back', (encoding: Encoding) => {
  const text = 'a\0é€\u{1f600} \ufeff'.repeat(50_000);
  expect(new Decoder(encoding, { fatal: true, ignoreBOM: true }).decode(encodeText(text, encoding)!)).toBe(text);
});

describe('legacy encodings: a whole text of any length gives the same as its pieces', () => {
  const shared = (bytes: Uint8Array): Uint8Array => {
    const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
    copy.set(bytes);
    return copy;
  };
  // Characters that many of them have, in one to four bytes each, and bytes that break them.
  const characters = ['a', ' ', '\0', '5', '~', '\\', 'Ж', '日', '界', 'ｱ', '€', '한', 'é', '𠀋', '\n'];
  const broken = [[0x80], [0xff], [0x81], [0x8f, 0xa1], [0x81, 0x30], [0x88, 0x62], [0xa1], [0x1b, 0x24, 0x42]];

  const wide = ['gbk', 'gb18030', 'big5', 'euc-jp', 'iso-2022-jp', 'shift_jis', 'euc-kr'];

  test.each(['windows-1252', ...wide])('%s', (label) => {
    const known = characters.map((one) => encodeText(one, label)).filter((bytes) => bytes !== null);
    const random = (seed: number) => () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
    for (const [length, errors] of [
      [0, 0],
      [5, 0],
      [5, 0.2],
      [90, 0],
      [90, 0.02],
      [250, 0],
      [9000, 0],
      [9000, 0.01],
      [200_000, 0],
      [200_000, 0.0001],
    ] as const) {
      const next = random(length + 1);
      const bytes = Uint8Array.from(
        Array.from({ length }, () => {
          const all = next() < errors ? broken : known;
          return [...all[Math.floor(next() * all.length)]!];
        }).flat(),
      );
      const outcomes = [false, true].map((fatal) => {
        const [whole, pieces] = [new Decoder(label, { fatal }), new Decoder(label, { fatal })];
        const expected = outcome(() => pieces.decode(bytes, { stream: true }) + pieces.decode());
        for (const input of [bytes, shared(bytes), bytes])
          expect(outcome(() => whole.decode(input)) === expected, `${length} characters, ${errors}`).toBe(true);
        return expected;
      });
      // In ISO-2022-JP, an escape sequence without effect is an error.
      if (errors === 0 && label !== 'iso-2022-jp') expect(outcomes[0]).toBe(outcomes[1]);
    }
    // A long text without a character that is never part of another one cannot be cut.
    const dense = encodeText('日'.repeat(200_000), label);
    if (dense) expect(new Decoder(label).decode(dense) === '日'.repeat(200_000)).toBe(true);
  });
});
