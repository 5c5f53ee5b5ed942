import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  type Bytes, Checker, convert, ConvertError, Converter, count, Decoder, describe as inWords, detect, encode, encodeText, ENCODINGS, ERROR_KINDS,
  errors, explain, forms, level, outline, POLICIES, repair, validate, Validator,
} from 'utf8kit';

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const broken = Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x20, 0x2f, 0xc0, 0xaf);

test('the example of the README', () => {
  expect(validate(broken)).toEqual({ offset: 3, len: 1, kind: 'truncated' });
  expect(errors(broken).map((error) => error.kind)).toEqual(['truncated', 'overlong', 'unexpected_continuation']);
  expect(count(broken)).toBe(8);
  expect(text(repair(broken))).toBe('caf\ufffd /\ufffd\ufffd');
  expect(text(repair(broken, { policy: 'escape' }))).toBe('caf\\xE9 /\\xC0\\xAF');
  expect(text(convert(broken, { from: 'latin1' }))).toBe('café /À¯');
  expect(explain(broken)[3]!.expected).toEqual([0x80, 0xbf]);
});

test('simd is chosen at load', () => expect(level()).toBe('simd128'));

test('without simd the answers are the same', () => {
  const program = `
    const { validate } = WebAssembly;
    WebAssembly.validate = () => false;
    const { level, errors, repair } = await import('utf8kit');
    console.log(JSON.stringify([level(), errors(Uint8Array.of(${broken})), [...repair(Uint8Array.of(${broken}))]]));
  `;
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const answer = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder, encoding: 'utf8' });
  expect(JSON.parse(answer)).toEqual(['swar', errors(broken), [...repair(broken)]]);
});

test('the constants are those of the library', async () => {
  const { names } = await import('../dist/library.js');
  expect(names(1)).toEqual(ENCODINGS);
  expect(names(2)).toEqual(ERROR_KINDS);
});

describe('what is taken for bytes', () => {
  const takers: Record<string, (bytes: Bytes) => unknown> = {
    validate, errors, count, repair, explain,
    convert: (bytes) => convert(bytes, { to: 'utf-16le', policy: 'replace' }),
    Validator: (bytes) => new Validator().push(bytes),
    Checker: (bytes) => {
      const checker = new Checker();
      checker.push(bytes);
      return checker.counts();
    },
    Converter: (bytes) => new Converter({ policy: 'replace' }).push(bytes),
    Decoder: (bytes) => new Decoder().decode(bytes),
  };

  test.each(Object.entries(takers))('%s takes every BufferSource', (_, take) => {
    const shared = new SharedArrayBuffer(8);
    new Uint8Array(shared).set(broken);
    const wide = new Uint8Array([9, 9, ...broken, 9]);
    const expected = take(broken);
    expect(take(broken.buffer)).toEqual(expected);
    expect(take(shared)).toEqual(expected);
    expect(take(new DataView(wide.buffer, 2, 8))).toEqual(expected);
    expect(take(new Uint16Array(broken.buffer))).toEqual(expected);
    expect(take(new Float64Array(broken.buffer))).toEqual(expected);
    expect(take(Buffer.from(broken))).toEqual(expected);
    const detached = new ArrayBuffer(8);
    structuredClone(detached, { transfer: [detached] });
    expect(take(detached)).toEqual(take(new Uint8Array()));
  });

  test.each(Object.entries(takers))('%s throws at anything else', (name, take) => {
    const others: unknown[] = ['text', 5, null, [1, 2], {}, { length: 2 }, new Blob(), { [Symbol.toStringTag]: 'ArrayBuffer', byteLength: 1 }];
    if (name !== 'Decoder') others.push(undefined);
    for (const other of others) expect(() => take(other as Bytes), String(other)).toThrow(TypeError);
  });
});

test('errors takes time in proportion to its input', () => {
  const time = (length: number): number => {
    const bytes = new Uint8Array(length).fill(0xff);
    const start = performance.now();
    expect(errors(bytes)).toHaveLength(length);
    return performance.now() - start;
  };
  // Eight times the input: quadratic time would be 64 times as much. The best of several runs, since machines are busy.
  const best = (length: number) => Math.min(...Array.from({ length: 4 }, () => time(length)));
  expect(best(800_000) / best(100_000)).toBeLessThan(32);
});

test('policies', () => {
  const repaired = POLICIES.slice(1).map((policy) => text(repair(Uint8Array.of(0x61, 0xe2, 0x82, 0xff, 0x62), { policy })));
  expect(repaired).toEqual(['a\ufffd\ufffdb', 'a\ufffd\ufffd\ufffdb', 'a\ufffdb', 'a\ufffd\ufffdb', 'ab', 'a\\xE2\\x82\\xFFb', 'a???b']);
  expect(text(repair(broken, { replacement: '<?>' }))).toBe('caf<?> /<?><?>');
  expect(text(repair(broken, { replacement: '' }))).toBe('caf /');
  const long = 'long '.repeat(100_000);
  expect(text(repair(Uint8Array.of(0x61, 0xff), { replacement: long }))).toBe(`a${long}`);
  expect(text(repair(Uint8Array.of(0x61, 0xff)))).toBe('a\ufffd');
  expect(() => repair(broken, { policy: 'strict' })).toThrow(ConvertError);
  // @ts-expect-error: no such policy
  expect(() => repair(broken, { policy: 'pray' })).toThrow(RangeError);
  // @ts-expect-error: no such encoding
  expect(() => validate(broken, 'ebcdic')).toThrow(RangeError);
});

describe('inputs longer than the module takes at once', () => {
  const euros = new TextEncoder().encode('€uro\n'.repeat(300_000));
  const damaged = euros.slice();
  damaged.fill(0xff, 1_234_567, 1_234_570);

  test('validate and errors', () => {
    expect(validate(euros)).toBeNull();
    // The middle of a euro sign is cut as well: what is left of it are errors of their own.
    const offsets = errors(damaged).map((error) => error.offset);
    expect(validate(damaged)!.offset).toBe(offsets[0]);
    expect(offsets).toContain(1_234_568);
    expect(errors(damaged, 'utf-8', 1)).toHaveLength(1);
    expect(errors(damaged)[0]!.line).toBe(damaged.subarray(0, 1_234_567).filter((byte) => byte === 10).length + 1);
  });

  test('count, convert, repair', () => {
    expect(count(euros)).toBe(1_500_000);
    expect(convert(euros, { to: 'utf-16be' }).length).toBe(3_000_000);
    expect(Buffer.compare(repair(euros), euros)).toBe(0);
    expect(text(repair(damaged))).toBe(text(damaged));
  });

  test('a checker', () => {
    using checker = new Checker({ countCodePoints: true, keep: 2 });
    for (let at = 0; at < damaged.length; at += 100_003) checker.push(damaged.subarray(at, at + 100_003));
    checker.finish();
    const { bytes, codePoints, errors: found, kinds } = checker.counts();
    expect([bytes, codePoints + found]).toEqual([damaged.length, count(damaged)]);
    expect(kinds.invalid_byte).toBe(3);
    expect(checker.firstErrors()).toHaveLength(2);
    const { bins, binWidth } = checker.histogram();
    expect(bins.reduce((sum, bin) => sum + bin, 0)).toBe(found);
    expect(bins[Math.floor(1_234_568 / binWidth)]).toBeGreaterThan(0);
    const euro = checker.codePoints().find(({ codePoint }) => codePoint === 0x20ac)!;
    expect(euro.len).toBe(3);
    expect(checker.codePoints().reduce((sum, { count }) => sum + count, 0)).toBe(codePoints);
  });

  test('memory that is read into', () => {
    using validator = new Validator();
    validator.room().set([0x61, 0xe2, 0x82]);
    expect(validator.pushRoom(3)).toBeNull();
    expect(validator.finish()).toEqual({ offset: 1, len: 2, kind: 'truncated' });
  });
});

test('a converter says how far it is and what it changed', () => {
  using converter = new Converter({ policy: 'replace' });
  expect(text(converter.push(Uint8Array.of(0x61, 0xff, 0xe2)))).toBe('a\ufffd');
  expect([converter.offset, converter.changes, converter.pending]).toEqual([2, 1, 1]);
  expect(text(converter.finish())).toBe('\ufffd');
  expect([converter.offset, converter.changes]).toEqual([3, 2]);
});

test('closed streams are closed', () => {
  const validator = new Validator();
  validator.close();
  validator.close();
  expect(() => validator.push(broken)).toThrow(TypeError);
});

test('single values and texts', () => {
  expect([...encode(0x20ac, 'utf-8-offset')!]).toEqual([0xe1, 0xa0, 0xac]);
  expect(encode(0xd800)).toBeNull();
  expect(encode(0xffff_ffff)).toBeNull();
  for (const wrong of [1.5, NaN, Infinity, -1, 2 ** 32 + 65, '65' as unknown as number]) expect(() => encode(wrong)).toThrow(RangeError);
  expect(() => encodeText(5 as unknown as string)).toThrow(TypeError);
  expect([...encode(0x7fff_ffff, 'utf-8-31bit')!]).toEqual([0xfd, 0xbf, 0xbf, 0xbf, 0xbf, 0xbf]);
  expect([...encodeText('\ud83d', 'wtf-8')!]).toEqual([0xed, 0xa0, 0xbd]);
  expect(encodeText('\ud83d')).toBeNull();
});

test('forms write all code points there are', () => {
  const total = (encoding: Parameters<typeof forms>[0]) => forms(encoding).reduce((sum, form) => sum + form.count, 0);
  expect(total('utf-8')).toBe(0x11_0000 - 0x800);
  expect(total('utf-8-21bit')).toBe(0x20_0000);
  expect(total('utf-8-31bit')).toBe(0x8000_0000);
  expect(total('utf-8-offset')).toBe(0x11_0000 - 0x800);
  expect(total('cesu-8')).toBe(0x11_0000 - 0x800);
  expect(total('mutf-8')).toBe(0x11_0000);
  expect(total('wtf-8')).toBe(0x11_0000);
  expect(forms('utf-16le')).toEqual([]);
  expect(forms('utf-8')[2]).toEqual({ ranges: [[0xe0, 0xe0], [0xa0, 0xbf], [0x80, 0xbf]], first: 0x800, last: 0xfff, count: 0x800 });
});

describe('outlines', () => {
  test.each(ENCODINGS)('of %s are where explanations are', (encoding) => {
    const bytes = Uint8Array.from({ length: 4000 }, (_, at) => [0x61, 0xe2, 0x82, 0xac, 0xf4, 0x90, 0x80, 0x80, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0, 0x80, 0xff][(at * 7 + (at >> 5)) % 16]!);
    const { offsets, flags } = outline(bytes, encoding);
    const items = explain(bytes, encoding);
    expect(Array.from(offsets)).toEqual([...items.map(({ offset }) => offset), bytes.length]);
    expect(Array.from(flags, (flag) => flag & 1)).toEqual(items.map(({ kind }) => Number(kind !== null)));
    expect(Array.from(flags, (flag) => (flag & 2) / 2)).toEqual(items.map(({ codePoint }) => Number((codePoint ?? 0) > 0xffff)));
  });

  test('join what a lax decoder reads as one', () => {
    expect(Array.from(outline(Uint8Array.of(0x61, 0xf4, 0x90, 0x80, 0x80, 0xc0, 0xaf, 0xaf)).flags)).toEqual([0, 1, 5, 5, 5, 1, 5, 1]);
  });

  test('of inputs longer than a piece', () => {
    const text = 'a€😀é'.repeat(60_000);
    const bytes = new TextEncoder().encode(text);
    const { offsets } = outline(bytes);
    expect(offsets.length - 1).toBe([...text].length);
    let at = 0;
    for (const [index, character] of [...text].entries()) {
      if (offsets[index] !== at) throw new Error(`item ${index} at ${offsets[index]}, not ${at}`);
      at += Buffer.byteLength(character);
    }
  });
});

test('errors in words', () => {
  expect(inWords(Uint8Array.of(0x61, 0xc0, 0xaf), 1)).toMatchObject({ lax: 'C0 AF is an overlong "/"' });
  expect(inWords(Uint8Array.of(0xe2, 0x82)).expected).toBe('after E2 82, expected 80..BF, found the end');
  expect(inWords(Uint8Array.of(0x61))).toEqual({ what: '', expected: '', lax: '' });
});

test('encodings are detected', () => {
  const russian = Uint8Array.from(Array.from({ length: 4 }, () => [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x2c, 0x20, 0xec, 0xe8, 0xf0, 0x21, 0x20]).flat());
  expect(detect(russian).encoding).toBe('windows-1251');
  expect(detect(new TextEncoder().encode('Grüße'))).toMatchObject({ encoding: 'utf-8', confidence: 'certain', doubled: null });
  expect(detect(new TextEncoder().encode('GrÃ¼ÃŸe')).doubled).toBe('windows-1252');
  expect(detect(encodeText('words', 'utf-16be')!).encoding).toBe('utf-16be');
  expect(detect(new Uint8Array()).encoding).toBe('utf-8');
});
