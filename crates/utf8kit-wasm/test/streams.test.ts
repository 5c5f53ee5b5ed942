// Tests streams of legacy encodings, and streams for `pipeThrough`.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Duplex, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  ConvertError,
  Converter,
  ConverterStream,
  DecoderStream,
  encodeText,
  Hold,
  type HoldBack,
  type Policy,
  type RepairOptions,
  RepairStream,
  type Utf8DecoderOptions,
  Utf8DecoderStream,
  ValidatorStream,
} from 'utf8kit';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe('streams of legacy encodings', () => {
  const japanese = encodeText('日本語の文章\n'.repeat(50), 'shift_jis')!;
  const inPieces = (converter: Converter, bytes: Uint8Array, size: number): string => {
    let parts = '';
    for (let at = 0; at < bytes.length; at += size) parts += text(converter.push(bytes.subarray(at, at + size)));
    return parts + text(converter.finish());
  };

  test.each([1, 2, 3, 7, 1000])('a converter, cut every %d bytes', (size) => {
    using converter = new Converter({ from: 'Shift_JIS', to: 'utf-8' });
    expect(inPieces(converter, japanese, size)).toBe('日本語の文章\n'.repeat(50));
    expect([converter.offset, converter.pending, converter.changes]).toEqual([japanese.length, 0, 0]);
    using marked = new Converter({ from: 'utf-16', to: 'utf-8' });
    expect(inPieces(marked, Buffer.from('feff00610062', 'hex'), size)).toBe('ab');
  });

  test('a converter replaces, and fails', () => {
    using lossy = new Converter({ from: 'shift_jis', policy: 'replace' });
    expect(text(lossy.push(Uint8Array.of(0x61, 0x62, 0x63, 0x64, 0x93)))).toBe('abcd');
    expect(text(lossy.push(Uint8Array.of(0xfa, 0xff)))).toBe('日\ufffd');
    expect(lossy.changes).toBe(1);
    using strict = new Converter({ to: 'windows-1252' });
    for (let turn = 0; turn < 2; turn += 1) {
      expect(() => strict.push(Buffer.from('abcdefgh 日'))).toThrow(
        expect.objectContaining({ error: { offset: 9, len: 3, kind: 'unrepresentable' } }),
      );
    }
    expect(() => new Converter({ from: 'sjis', policy: 'guess' as 'java' })).toThrow(RangeError);
    expect(() => new Converter({ from: 'sjis', policy: 'replace', replacement: '?' })).toThrow(RangeError);
    expect(() => new Converter({ from: 'bogus' })).toThrow(RangeError);
  });
});

describe('streams for pipeThrough', () => {
  const source = (...chunks: Uint8Array[]): ReadableStream<Uint8Array> => ReadableStream.from(chunks);
  const all = async <T>(stream: ReadableStream<T>): Promise<T[]> => {
    const parts: T[] = [];
    for await (const part of stream as unknown as AsyncIterable<T>) parts.push(part);
    return parts;
  };
  const cut = [Uint8Array.of(0xef, 0xbb), Uint8Array.of(0xbf, 0x61, 0xe2, 0x82), Uint8Array.of(0xac, 0xff, 0xf0, 0x9f)];

  test('text with any policy', async () => {
    const read = async (options: Utf8DecoderOptions) =>
      (await all(source(...cut).pipeThrough(new Utf8DecoderStream(options)))).join('');
    expect(await read({})).toBe('a€\ufffd\ufffd');
    expect(await read({ policy: 'escape' })).toBe('a€\\xFF\\xF0\\x9F');
    expect(await read({ policy: 'replace-run', replacement: '<?>' })).toBe('a€<?>');
    expect(await read({ ignoreBOM: true, policy: 'remove' })).toBe('\ufeffa€');
    await expect(read({ policy: 'strict' })).rejects.toBeInstanceOf(ConvertError);
    expect(await read({ policy: 'fallback=windows-1252' })).toBe('a€ÿðŸ');
    expect(await read({ policy: 'fallback=windows-1252', hold: 'grapheme' })).toBe('a€ÿðŸ');
    expect(await read({ policy: 'mojibake' })).toBe('a€\ufffd\ufffd');
    expect(() => new Utf8DecoderStream({ policy: 'mojibake', replacement: '?' })).toThrow(RangeError);
    expect(() => new Utf8DecoderStream({ policy: 'anything' as Policy })).toThrow(RangeError);
  });

  test('repairs with any policy', async () => {
    const read = async (policy: RepairOptions['policy']) =>
      Buffer.concat(await all(source(...cut).pipeThrough(new RepairStream({ policy })))).toString();
    expect(await read('fallback=windows-1252')).toBe('\ufeffa€ÿðŸ');
    expect(await read('fallback-lines=windows-1252')).toBe('ï»¿aâ‚¬ÿðŸ');
    const escaped = source(Buffer.from('a\\xE')).pipeThrough(new RepairStream({ policy: 'unescape' }));
    expect(Buffer.concat(await all(escaped)).toString()).toBe('a\\xE');
  });

  test('conversions', async () => {
    const stream = new ConverterStream({ from: 'sjis', to: 'euc-jp' });
    const parts = await all(source(Uint8Array.of(0x93), Uint8Array.of(0xfa, 0x61)).pipeThrough(stream));
    expect(parts.flatMap((part) => [...part])).toEqual([0xc6, 0xfc, 0x61]);
  });

  test('validation passes bytes on until an error', async () => {
    const euro = [Uint8Array.of(0x61, 0xe2), Uint8Array.of(0x82, 0xac)];
    expect(await all(source(...euro).pipeThrough(new ValidatorStream()))).toEqual(euro);
    await expect(all(source(...cut).pipeThrough(new ValidatorStream()))).rejects.toMatchObject({
      error: { offset: 7 },
    });
    const open = source(Uint8Array.of(0xe2)).pipeThrough(new ValidatorStream());
    await expect(all(open)).rejects.toMatchObject({ error: { kind: 'truncated' } });
  });
});

describe('whole characters', () => {
  interface Case {
    id: string;
    hold: HoldBack;
    policy: Policy;
    pieces_hex: string[];
    texts: string[];
  }
  const cases = readFileSync(new URL('../../../vectors/streams/cuts.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case);

  test.each(cases)('cuts match the vectors: $id', async ({ hold, policy, pieces_hex, texts }) => {
    const stream = new Utf8DecoderStream({ policy, hold, ignoreBOM: true });
    const [writer, reader] = [stream.writable.getWriter(), stream.readable.getReader()];
    const got: string[] = [];
    const read = (async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read()) got.push(part.value);
    })();
    const seen: string[] = [];
    for (const piece of pieces_hex) {
      await writer.write(Buffer.from(piece, 'hex'));
      // The output is read before the next piece is written.
      await new Promise((resolve) => setTimeout(resolve));
      seen.push(got.splice(0).join(''));
    }
    await writer.close();
    await read;
    expect([...seen, got.join('')]).toEqual(texts);
  });

  test('of any text, in any pieces', () => {
    const parts = [
      'a',
      'é',
      '\n',
      '\r',
      '\u0301',
      '\u200d',
      '👩',
      '🏽',
      '🇪',
      '\u1100',
      '\u1161',
      '한',
      '\t',
      '\ud83d',
      ' ',
    ];
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    let seed = 7;
    const below = (end: number): number => (seed = (seed * 48271) % 0x7fffffff) % end;
    for (let round = 0; round < 3000; round += 1) {
      const pieces = Array.from({ length: below(6) }, () =>
        Array.from({ length: below(4) }, () => parts[below(parts.length)]).join(''),
      );
      const whole = pieces.join('');
      const boundaries = new Set([whole.length, ...Array.from(segmenter.segment(whole), ({ index }) => index)]);
      const hold = new Hold();
      let text = '';
      for (const piece of pieces) {
        text += hold.push(piece);
        expect(boundaries.has(text.length), JSON.stringify(pieces)).toBe(true);
      }
      expect(text + hold.finish()).toBe(whole);
    }
  });

  test('of many halves of pairs, the last is held back, and the one with which it may combine', () => {
    const hold = new Hold();
    const count = 20000;
    expect(hold.push('\ud83d'.repeat(count)).length).toBe(count - 2);
    expect(hold.push('\ude00').length).toBe(1);
    expect(hold.held).toBe('😀');
    expect(hold.push('\ud83c')).toBe('');
    expect(hold.push('\udffd!')).toBe('😀🏽');
    expect(hold.push('\ud83d') + hold.finish()).toBe('!\ud83d');
  });

  test('text before an error is not lost', async () => {
    const read = async (stream: Utf8DecoderStream | DecoderStream, ...pieces: number[][]): Promise<string> => {
      const writer = stream.writable.getWriter();
      let text = '';
      const done = (async () => {
        for await (const part of stream.readable as unknown as AsyncIterable<string>) text += part;
      })();
      const written = (async () => {
        for (const piece of pieces) await writer.write(Uint8Array.from(piece));
        await writer.close();
      })();
      await expect(done).rejects.toBeInstanceOf(TypeError);
      await written.catch(() => {});
      return text;
    };
    const [c, a, f, e] = [0x63, 0x61, 0x66, 0x65];
    for (const hold of ['none', 'grapheme'] as const) {
      const strict = () => new Utf8DecoderStream({ policy: 'strict', hold });
      expect(await read(strict(), [c, a, f, e], [0xff])).toBe('cafe');
      expect(await read(strict(), [c, a], [f, e, 0xff, a])).toBe('cafe');
      expect(await read(strict(), [0xef, 0xbb, 0xbf, a, 0xff])).toBe('a');
      expect(await read(strict(), [c, a, f, e, 0xe2])).toBe('cafe');
      // As with TextDecoderStream, the whole piece with the error is lost, but no earlier text.
      expect(await read(new DecoderStream('utf-8', { fatal: true, hold }), [c, a, f, e], [a, 0xff])).toBe('cafe');
    }
  });

  test('at most 256 bytes are held', () => {
    const hold = new Hold();
    let text = hold.push('a');
    for (let count = 0; count < 1000; count += 1) {
      text += hold.push('\u0301');
      expect(Buffer.byteLength(hold.held)).toBeLessThanOrEqual(256);
    }
    expect(text + hold.finish()).toBe(`a${'\u0301'.repeat(1000)}`);
  });

  test('of legacy encodings, in streams of Node.js', async () => {
    const decoder = new DecoderStream('windows-1258', { hold: 'grapheme' });
    const pieces = Readable.from([Buffer.from([0x61]), Buffer.from([0xec, 0x62])]);
    const texts = await pieces.pipe(Duplex.fromWeb(decoder, { objectMode: true })).toArray();
    expect(texts).toEqual(['a\u0301', 'b']);
    expect(() => new DecoderStream('utf-8', { hold: 'word' as HoldBack })).toThrow(RangeError);
  });

  test("README's example", () => {
    const here = fileURLToPath(new URL('..', import.meta.url));
    const [, example] = /## Streams\n[^]*?```js\n([^]*?)```/.exec(readFileSync(`${here}README.md`, 'utf8'))!;
    const folder = mkdtempSync(join(here, 'test/fixture/streams-'));
    try {
      writeFileSync(join(folder, 'example.mjs'), example!);
      writeFileSync(join(folder, 'in.txt'), Uint8Array.of(0x63, 0x61, 0x66, 0xe9));
      const shown = execFileSync(process.execPath, ['example.mjs'], { cwd: folder, encoding: 'utf8' });
      expect(shown).toBe('[cafe\u0301 ][👩‍🚀]');
      expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('caf\ufffd');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
