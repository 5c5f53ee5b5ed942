// Streams of legacy encodings, and streams for `pipeThrough`.
import { describe, expect, test } from 'vitest';
import {
  ConvertError,
  Converter,
  ConverterStream,
  encodeText,
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
    expect(() => new Converter({ from: 'sjis', policy: 'java' })).toThrow(RangeError);
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
