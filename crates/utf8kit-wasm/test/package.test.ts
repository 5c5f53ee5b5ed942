import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  type Bytes,
  candidates,
  Checker,
  convert,
  ConvertError,
  Converter,
  count,
  Decoder,
  describe as inWords,
  detect,
  encode,
  encodeText,
  ENCODINGS,
  ERROR_KINDS,
  errors,
  explain,
  forms,
  LEGACY,
  level,
  outline,
  POLICIES,
  repair,
  Repairer,
  truncate,
  fixMojibake,
  validate,
  Validator,
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

test('truncation splits no character', () => {
  const whole = Buffer.from('aé€😀'.repeat(100));
  for (let size = 0; size <= whole.length + 2; size += 1) {
    const front = truncate(whole, size);
    expect(front.length).toBeLessThanOrEqual(size);
    expect(front.length).toBeGreaterThan(Math.min(size, whole.length) - 4);
    expect(validate(front)).toBeNull();
    expect(Buffer.compare(front, whole.subarray(0, front.length))).toBe(0);
  }
  expect([...truncate(Buffer.from('a😀', 'utf16le'), 5, 'utf-16le')]).toEqual([0x61, 0]);
  expect([...truncate(Uint8Array.of(0x61, 0x80, 0x80), 2)]).toEqual([0x61, 0x80]);
  expect(() => truncate(whole, -1)).toThrow(RangeError);
});

test('simd is selected at load', () => expect(level()).toBe('simd128'));

test('the results without simd are the same', () => {
  const program = `
    const { validate } = WebAssembly;
    WebAssembly.validate = () => false;
    const { level, errors, repair } = await import('utf8kit');
    console.log(JSON.stringify([level(), errors(Uint8Array.of(${broken})), [...repair(Uint8Array.of(${broken}))]]));
  `;
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const answer = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(JSON.parse(answer)).toEqual(['swar', errors(broken), [...repair(broken)]]);
});

describe('accepted types of bytes', () => {
  const takers: Record<string, (bytes: Bytes) => unknown> = {
    validate,
    errors,
    count,
    repair,
    explain,
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
  });

  test.each(Object.entries(takers))('%s throws at anything else', (name, take) => {
    const others: unknown[] = [
      'text',
      5,
      null,
      [1, 2],
      {},
      { length: 2 },
      new Blob(),
      { [Symbol.toStringTag]: 'ArrayBuffer', byteLength: 1 },
    ];
    if (name !== 'Decoder') others.push(undefined);
    for (const other of others) expect(() => take(other as Bytes), String(other)).toThrow(TypeError);
  });
});

test('errors of 800,000 bytes', () => {
  expect(errors(new Uint8Array(800_000).fill(0xff), 'utf-8', Infinity)).toHaveLength(800_000);
});

test('policies', () => {
  const repaired = POLICIES.slice(1).map((policy) =>
    text(repair(Uint8Array.of(0x61, 0xe2, 0x82, 0xff, 0x62), { policy })),
  );
  expect(repaired).toEqual([
    'a\ufffd\ufffdb',
    'a\ufffd\ufffd\ufffdb',
    'a\ufffdb',
    'a\ufffd\ufffdb',
    'ab',
    'a\\xE2\\x82\\xFFb',
    'a???b',
  ]);
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

test('a decoder treats a detached buffer as empty, as the standard requires', () => {
  const buffer = new ArrayBuffer(8);
  const view = new Uint8Array(buffer);
  structuredClone(buffer, { transfer: [buffer] });
  for (const detached of [buffer, view])
    expect(new Decoder().decode(detached)).toBe(new TextDecoder().decode(detached));
});

test("a decoder in place of the global one still uses the engine's own", () => {
  const own = globalThis.TextDecoder;
  globalThis.TextDecoder = Decoder as unknown as typeof TextDecoder;
  try {
    expect(new TextDecoder().decode(Uint8Array.of(0x61))).toBe('a');
    expect(new TextDecoder('shift_jis').decode(Uint8Array.of(0x93, 0xfa))).toBe('日');
  } finally {
    globalThis.TextDecoder = own;
  }
});

describe('legacy encodings', () => {
  const japanese = Uint8Array.of(0x61, 0x0a, 0x93, 0xfa, 0x81, 0x20, 0x62);

  test('are validated by every label that a Decoder takes', () => {
    for (const label of [...LEGACY, 'utf-16', ' SJIS\n', 'Shift_JIS', 'csbig5', 'latin1', 'utf8']) {
      expect(validate(Uint8Array.of(0x61, 0x62), label), label).toBeNull();
      new Decoder(label);
    }
    expect(validate(japanese, 'Shift_JIS')).toEqual({ offset: 4, len: 1, kind: 'malformed' });
    expect(errors(japanese, 'sjis')).toEqual([{ offset: 4, len: 1, kind: 'malformed', line: 2, column: 2 }]);
    expect(errors(new Uint8Array(300_000).fill(0xff), 'euc-jp')).toHaveLength(100_000);
    expect(() => validate(japanese, 'bogus')).toThrow(RangeError);
  });

  test('errors are at the places where a fatal decoder fails', () => {
    for (const label of LEGACY) {
      for (let lead = 0x80; lead < 0x100; lead += 1) {
        const bytes = Uint8Array.of(0x61, lead, 0x41, lead, 0xfe, 0x41);
        let failed = false;
        try {
          new Decoder(label, { fatal: true }).decode(bytes);
        } catch {
          failed = true;
        }
        expect(errors(bytes, label).length > 0, `${label} ${lead}`).toBe(failed);
        const replaced = new Decoder(label).decode(bytes).split('\ufffd').length - 1;
        expect(errors(bytes, label), `${label} ${lead}`).toHaveLength(replaced);
      }
    }
  });

  test('are converted, both ways', () => {
    expect(text(convert(Uint8Array.of(0x93, 0xfa), { from: 'Shift_JIS' }))).toBe('日');
    expect([...convert(Uint8Array.of(0x93, 0xfa), { from: 'sjis', to: 'euc-jp' })]).toEqual([0xc6, 0xfc]);
    expect([...convert(Buffer.from('ÄÖ'), { to: 'cp437' })]).toEqual([0x8e, 0x99]);
    expect(text(convert(japanese, { from: 'shift_jis', policy: 'replace' }))).toBe('a\n日\ufffd b');
    expect(text(convert(japanese, { from: 'shift_jis', policy: 'escape' }))).toBe('a\n日\\x81 b');
    expect(() => convert(japanese, { from: 'shift_jis' })).toThrow(
      expect.objectContaining({ error: { offset: 4, len: 1, kind: 'malformed' } }),
    );
    expect(() => convert(Buffer.from('a日'), { to: 'windows-1252' })).toThrow(
      expect.objectContaining({ error: { offset: 1, len: 3, kind: 'unrepresentable' } }),
    );
    for (const [policy, expected] of [
      ['replace-run', 'a\ufffdb'],
      ['java', 'a\ufffd\ufffdb'],
      ['same-length', 'a??b'],
    ] as const) {
      expect(text(convert(Buffer.from('a\xff\xffb', 'latin1'), { from: 'shift_jis', policy }))).toBe(expected);
    }
    expect(() => convert(japanese, { from: 'shift_jis', policy: 'guess' as 'java' })).toThrow(RangeError);
    expect(() => convert(japanese, { from: 'bogus' })).toThrow(RangeError);
    expect(text(convert(Buffer.from('fffe2000', 'hex'), { from: 'utf-16' }))).toBe(' ');
    const long = 'Съешь же ещё этих мягких булок. '.repeat(20_000);
    expect(text(convert(encodeText(long, 'koi8-r')!, { from: 'KOI8-R' }))).toBe(long);
    expect(convert(new Uint8Array(), { from: 'sjis' })).toHaveLength(0);
  });

  test('encode texts and code points', () => {
    expect([...encodeText('日', 'sjis')!]).toEqual([0x93, 0xfa]);
    expect(encodeText('日', 'windows-1252')).toBeNull();
    expect(encodeText('\ud800', 'sjis')).toBeNull();
    expect([...encode(0x65e5, 'EUC-JP')!]).toEqual([0xc6, 0xfc]);
    expect(encode(0x65e5, 'koi8-r')).toBeNull();
  });

  test('each encoding has one name', () => {
    const texts: [string, string][] = [
      ['shift_jis', '今日は世界。日本語の文章です。'],
      ['euc-kr', '안녕하세요 세계. 한국어 문장입니다.'],
      ['windows-1251', 'Привет, мир! Съешь ещё этих булок.'],
      ['koi8-r', 'Привет, мир! Съешь ещё этих мягких булок.'],
      ['big5', '世界你好，這是一段中文文字。'],
      ['gb18030', '世界你好，这是一段中文文字。'],
    ];
    for (const [name, sentence] of texts) {
      const { encoding } = detect(encodeText(sentence.repeat(8), name)!);
      expect([...LEGACY, ...ENCODINGS], sentence).toContain(encoding);
      expect(new Decoder(encoding!).encoding).toBe(encoding);
    }
  });
});

test('long texts are encoded like short ones, and lone surrogates are not', () => {
  for (const length of [10, 300, 100_000, 262_142, 262_143, 262_144, 300_000, 600_000]) {
    for (const character of ['a', 'é', '日']) {
      const before = character.repeat(Math.floor(length / Buffer.byteLength(character)));
      for (const after of ['', 'é', '\ufffd', '😀']) {
        expect(Buffer.compare(encodeText(before + after)!, Buffer.from(before + after)), `${length} ${after}`).toBe(0);
        expect(encodeText(`${before}\ud800${after}`), `${length} ${after}`).toBeNull();
      }
      expect(encodeText(`${before}\udc00`)).toBeNull();
      expect(encodeText(`\ud83d${before}`)).toBeNull();
    }
  }
});

test('bytes are copied to a multiple of 64, which is fast', () => {
  using validator = new Validator();
  expect(validator.room().byteOffset % 64).toBe(0);
});

test('double encoding is undone', () => {
  expect(fixMojibake('cafÃ©\nplain é\n')).toBe('café\nplain é\n');
  expect(fixMojibake('naïve')).toBe('naïve');
  expect(text(repair(Buffer.from('cafÃ©'), { policy: 'mojibake' }))).toBe('café');
  expect(text(repair(Uint8Array.of(0x63, 0xe9, 0x0a, 0xc3, 0xa9), { policy: 'fallback-lines=windows-1252' }))).toBe(
    'cé\né',
  );
  expect(text(repair(Uint8Array.of(0x63, 0xe9), { policy: 'fallback=koi8-r' }))).toBe('cИ');
  expect(text(repair(Buffer.from('a\\xE9'), { policy: 'unescape' }))).toBe('a\ufffd');
  expect(() => repair(broken, { policy: 'fallback=bogus' })).toThrow(RangeError);
  expect(() => repair(broken, { policy: 'mojibake', replacement: '?' })).toThrow(RangeError);
  using repairer = new Repairer('fallback-lines=windows-1252');
  repairer.push(Uint8Array.of(0x61, 0x0a, 0x63, 0xe9, 0x0a));
  repairer.finish();
  expect(repairer.changes).toBe(1);
  expect(repairer.firstChanges()).toEqual([
    { offset: 3, before: Uint8Array.of(0xe9), after: Uint8Array.of(0xc3, 0xa9) },
  ]);
});

describe('inputs longer than the module takes at once', () => {
  const euros = new TextEncoder().encode('€uro\n'.repeat(300_000));
  const damaged = euros.slice();
  damaged.fill(0xff, 1_234_567, 1_234_570);

  test('validate and errors', () => {
    expect(validate(euros)).toBeNull();
    // A euro sign is also cut in the middle, and its remains are separate errors.
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

  test('memory for reading into', () => {
    using validator = new Validator();
    validator.room().set([0x61, 0xe2, 0x82]);
    expect(validator.pushRoom(3)).toBeNull();
    expect(validator.finish()).toEqual({ offset: 1, len: 2, kind: 'truncated' });
  });
});

test('a converter reports its progress and its changes', () => {
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
  for (const wrong of [1.5, NaN, Infinity, -1, 2 ** 32 + 65, '65' as unknown as number])
    expect(() => encode(wrong)).toThrow(RangeError);
  expect(() => encodeText(5 as unknown as string)).toThrow(TypeError);
  expect([...encode(0x7fff_ffff, 'utf-8-31bit')!]).toEqual([0xfd, 0xbf, 0xbf, 0xbf, 0xbf, 0xbf]);
  expect([...encodeText('\ud83d', 'wtf-8')!]).toEqual([0xed, 0xa0, 0xbd]);
  expect(encodeText('\ud83d')).toBeNull();
});

test('forms cover all code points', () => {
  const total = (encoding: Parameters<typeof forms>[0]) => forms(encoding).reduce((sum, form) => sum + form.count, 0);
  expect(total('utf-8')).toBe(0x11_0000 - 0x800);
  expect(total('utf-8-21bit')).toBe(0x20_0000);
  expect(total('utf-8-31bit')).toBe(0x8000_0000);
  expect(total('utf-8-offset')).toBe(0x11_0000 - 0x800);
  expect(total('cesu-8')).toBe(0x11_0000 - 0x800);
  expect(total('mutf-8')).toBe(0x11_0000);
  expect(total('wtf-8')).toBe(0x11_0000);
  expect(forms('utf-16le')).toEqual([]);
  expect(forms('utf-8')[2]).toEqual({
    ranges: [
      [0xe0, 0xe0],
      [0xa0, 0xbf],
      [0x80, 0xbf],
    ],
    first: 0x800,
    last: 0xfff,
    count: 0x800,
  });
});

describe('outlines', () => {
  test.each(ENCODINGS)('of %s match explanations', (encoding) => {
    const bytes = Uint8Array.from(
      { length: 4000 },
      (_, at) =>
        [0x61, 0xe2, 0x82, 0xac, 0xf4, 0x90, 0x80, 0x80, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0, 0x80, 0xff][
          (at * 7 + (at >> 5)) % 16
        ]!,
    );
    const { offsets, flags } = outline(bytes, encoding);
    const items = explain(bytes, encoding);
    expect(Array.from(offsets)).toEqual([...items.map(({ offset }) => offset), bytes.length]);
    expect(Array.from(flags, (flag) => flag & 1)).toEqual(items.map(({ kind }) => Number(kind !== null)));
    expect(Array.from(flags, (flag) => (flag & 2) / 2)).toEqual(
      items.map(({ codePoint }) => Number((codePoint ?? 0) > 0xffff)),
    );
  });

  test('join errors that a lax decoder reads as one sequence', () => {
    expect(Array.from(outline(Uint8Array.of(0x61, 0xf4, 0x90, 0x80, 0x80, 0xc0, 0xaf, 0xaf)).flags)).toEqual([
      0, 1, 5, 5, 5, 1, 5, 1,
    ]);
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
  const russian = Uint8Array.from(
    Array.from({ length: 4 }, () => [
      0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x2c, 0x20, 0xec, 0xe8, 0xf0, 0x21, 0x20,
    ]).flat(),
  );
  expect(detect(russian).encoding).toBe('windows-1251');
  expect(detect(new TextEncoder().encode('Grüße'))).toMatchObject({
    encoding: 'utf-8',
    certainty: 'certain',
    misdecodedAs: null,
  });
  expect(detect(new TextEncoder().encode('GrÃ¼ÃŸe')).misdecodedAs).toBe('windows-1252');
  expect(detect(encodeText('words', 'utf-16be')!).encoding).toBe('utf-16be');
  expect(detect(new Uint8Array()).encoding).toBe('utf-8');
});

test('candidates are ranked', () => {
  const danish = Buffer.from('Blåbærgrød', 'latin1');
  const found = candidates(danish);
  expect(found[0]).toMatchObject({ encoding: 'windows-1252' });
  expect(found.map(({ encoding }) => encoding)).toContain('windows-1257');
  const scores = found.slice(1).map(({ score }) => score);
  expect(scores).toEqual([...scores].sort((one, other) => other - one));
  expect(candidates(Buffer.from('naïve'))).toEqual([{ encoding: 'utf-8', score: 1 }]);
  // The first 256 KiB end within a character.
  expect(candidates(Buffer.from(`a${'é'.repeat(200_000)}`))).toEqual([{ encoding: 'utf-8', score: 1 }]);
  expect(candidates(Uint8Array.of(0, 1, 2, 3, 0xff, 0xfe, 0, 0))).toEqual([]);
});

test('a suggestion comes with the guess, and keeps all of the text', () => {
  const repaired = (bytes: Uint8Array): string => {
    const { suggestion } = detect(bytes);
    if (suggestion === null) return 'none';
    if (suggestion.do === 'repair') {
      return `${suggestion.policy}: ${text(repair(bytes, { policy: suggestion.policy }))}`;
    }
    return `${suggestion.from}: ${text(convert(bytes, { from: suggestion.from }))}`;
  };
  const line = 'Grüße aus Köln\n';
  expect(repaired(Buffer.from(line))).toBe('none');
  expect(repaired(Buffer.from('Привет, мир! Съешь ещё.\n'.repeat(4), 'utf16le'))).toMatch(/^utf-16le: Привет, мир!/);
  expect(detect(Buffer.from(`\ufeff${line}`, 'utf16le')).suggestion).toEqual({
    do: 'convert',
    from: 'utf-16le',
    stripMark: true,
  });
  expect(repaired(Buffer.from('GrÃ¼ÃŸe aus KÃ¶ln\n'))).toBe(`mojibake: ${line}`);
  // It may be in several encodings, which should be previewed.
  expect(repaired(Buffer.from('one na\x8bve try', 'latin1'))).toBe('none');
  const possible = detect(Buffer.from('one na\x8bve try', 'latin1'));
  expect([possible.sure, possible.alternatives]).toEqual([false, ['windows-1252', 'cp850']]);
  const likely = detect(Buffer.from('b\xfbti\nI\xf0ikavos\n\x84Logitech diNovo\x93\n', 'latin1'));
  expect([likely.suggestion, likely.sure]).toEqual([{ do: 'convert', from: 'windows-1257', stripMark: false }, true]);
  expect(detect(Buffer.from(line.repeat(4), 'latin1'))).toMatchObject({ sure: true, alternatives: [] });
  const other = 'Häuser, Gärten und Bäume, schöne Straßen\n';
  const half = (lines: number): Buffer =>
    Buffer.concat([Buffer.from(line.repeat(20)), Buffer.from(other.repeat(lines), 'latin1')]);
  expect(repaired(half(8))).toBe(`fallback-lines=windows-1252: ${line.repeat(20)}${other.repeat(8)}`);
});
