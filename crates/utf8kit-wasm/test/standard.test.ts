// Tests Decoder, DecoderStream and EncoderStream as the Web Platform Tests (folder `encoding`) test TextDecoder,
// TextDecoderStream and TextEncoderStream.
import { describe, expect, test } from 'vitest';
import { Decoder, DecoderStream, encodeLegacy, EncoderStream, ENCODINGS, LEGACY, RepairStream } from 'utf8kit';

const bytes = (...values: number[]) => Uint8Array.from(values);

describe('labels', () => {
  // By the table of the Encoding Standard, section 4.2.
  const SOME: Record<string, string> = {
    utf8: 'utf-8',
    'unicode-1-1-utf-8': 'utf-8',
    unicode11utf8: 'utf-8',
    unicode20utf8: 'utf-8',
    'x-unicode20utf8': 'utf-8',
    'utf-16': 'utf-16le',
    'ucs-2': 'utf-16le',
    unicode: 'utf-16le',
    csunicode: 'utf-16le',
    'iso-10646-ucs-2': 'utf-16le',
    unicodefeff: 'utf-16le',
    unicodefffe: 'utf-16be',
    latin1: 'windows-1252',
    ascii: 'windows-1252',
    'iso-8859-1': 'windows-1252',
    l9: 'iso-8859-15',
    koi: 'koi8-r',
    sjis: 'shift_jis',
    ms932: 'shift_jis',
    gb2312: 'gbk',
    'big5-hkscs': 'big5',
    visual: 'iso-8859-8',
    logical: 'iso-8859-8-i',
    latin5: 'windows-1254',
    'tis-620': 'windows-874',
    korean: 'euc-kr',
    '866': 'ibm866',
    mac: 'macintosh',
  };

  test.each(Object.entries(SOME))('%s is %s', (label, name) => {
    for (const written of [label, label.toUpperCase(), ` ${label}`, `${label}\t\n\f\r `])
      expect(new Decoder(written).encoding).toBe(name);
  });

  test('every encoding has its name for a label', async () => {
    const { encodingOf } = await import('../dist/labels.js');
    const every = [...LEGACY, 'utf-8', 'utf-16le', 'utf-16be'];
    expect(every).toHaveLength(39);
    for (const name of every) expect(encodingOf(name).name).toBe(name);
  });

  test.each(['utf8', 'latin1', 'utf-8'])('%s with anything else around it is not a label', (label) => {
    for (const other of ['\0', '\u000b', '\u00a0', '\u2028', '\u2029', '\u3000', 'x']) {
      expect(() => new Decoder(label + other)).toThrow(RangeError);
      expect(() => new Decoder(other + label)).toThrow(RangeError);
    }
  });

  test('unknown labels', () => {
    const none = [
      '',
      'u t f 8',
      'utf_8',
      'utf–8',
      'UTF-7',
      'utf-32',
      'UCS-4',
      'ebcdic',
      'bogus',
      'null',
      'toString',
      'Kutf8',
      '__proto__',
      'ſhift_jis',
    ];
    const replaced = ['replacement', 'csiso2022kr', 'hz-gb-2312', 'iso-2022-cn', 'iso-2022-cn-ext', 'iso-2022-kr'];
    for (const label of [...none, ...replaced]) expect(() => new Decoder(label), label).toThrow(RangeError);
  });

  test("the library's own by their exact names", () => {
    for (const name of ENCODINGS.filter((name) => name !== 'latin1'))
      expect(new Decoder(name.toUpperCase()).encoding).toBe(name);
    expect(new Decoder('isomorphic').encoding).toBe('isomorphic');
    expect(() => new Decoder('Modified_UTF-8')).toThrow(RangeError);
  });
});

describe('arguments', () => {
  const anything = (value: unknown) => value as never;

  test('of the constructor', () => {
    const decoder = new Decoder();
    expect([decoder.encoding, decoder.fatal, decoder.ignoreBOM, String(decoder)]).toEqual([
      'utf-8',
      false,
      false,
      '[object Decoder]',
    ]);
    expect(new Decoder(undefined).encoding).toBe('utf-8');
    expect(() => new Decoder(anything(null))).toThrow(RangeError);
    expect(() => new Decoder(anything(Symbol('utf-8')))).toThrow(TypeError);
    expect(new Decoder(anything({ toString: () => 'utf-16' })).encoding).toBe('utf-16le');
    for (const options of [undefined, null, {}]) expect(new Decoder('utf-8', options).fatal).toBe(false);
    for (const options of [1, 'text', true, Symbol('')])
      expect(() => new Decoder('utf-8', anything(options))).toThrow(TypeError);
    expect(new Decoder('utf-8', anything({ fatal: 1, ignoreBOM: 'yes' }))).toMatchObject({
      fatal: true,
      ignoreBOM: true,
    });
    expect(() => {
      anything(decoder as object & { fatal: boolean });
      (decoder as { fatal: boolean }).fatal = true;
    }).toThrow(TypeError);
  });

  test('of decode', () => {
    const decoder = new Decoder();
    expect(decoder.decode()).toBe('');
    expect(decoder.decode(undefined)).toBe('');
    expect(decoder.decode(undefined, undefined)).toBe('');
    expect(decoder.decode(undefined, null)).toBe('');
    expect(decoder.decode(bytes(0x41), {})).toBe('A');
    for (const input of [null, 'text', 5, [], {}]) expect(() => decoder.decode(anything(input))).toThrow(TypeError);
    expect(() => decoder.decode(bytes(), anything(1))).toThrow(TypeError);
    for (const view of [
      new ArrayBuffer(2),
      new DataView(new ArrayBuffer(3), 1),
      new Uint16Array(2),
      new SharedArrayBuffer(4),
    ]) {
      expect(decoder.decode(view)).toBe('\0'.repeat(view.byteLength));
    }
  });
});

describe('byte order marks', () => {
  const MARKS = { 'utf-8': [0xef, 0xbb, 0xbf], 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] };
  const TEXT = { 'utf-8': [0x7a, 0xc2, 0xa2], 'utf-16le': [0x7a, 0, 0xa2, 0], 'utf-16be': [0, 0x7a, 0, 0xa2] };

  test.each(Object.keys(MARKS) as (keyof typeof MARKS)[])('of %s', (label) => {
    const decoder = new Decoder(label);
    const marked = bytes(...MARKS[label], ...TEXT[label]);
    expect(decoder.decode(bytes(...TEXT[label]))).toBe('z¢');
    expect(decoder.decode(marked)).toBe('z¢');
    expect(decoder.decode(marked)).toBe('z¢');
    expect(decoder.decode(bytes(...MARKS[label], ...marked))).toBe('\ufeffz¢');
    expect(new Decoder(label, { ignoreBOM: true }).decode(marked)).toBe('\ufeffz¢');
    for (const [other, mark] of Object.entries(MARKS)) {
      if (other !== label) expect(decoder.decode(bytes(...mark, ...TEXT[label]))).not.toBe('z¢');
    }
    for (let cut = 0; cut <= marked.length; cut += 1) {
      expect(decoder.decode(marked.subarray(0, cut), { stream: true }) + decoder.decode(marked.subarray(cut))).toBe(
        'z¢',
      );
    }
  });

  test('mean nothing to legacy encodings', () => {
    expect(new Decoder('windows-1252').decode(bytes(0xef, 0xbb, 0xbf, 0x41))).toBe('ï»¿A');
    expect(new Decoder('gb18030').decode(bytes(0x84, 0x31, 0x95, 0x33, 0x41))).toBe('\ufeffA');
  });
});

test('surrogates of UTF-16', () => {
  const decoded = (...values: number[]) => new Decoder('utf-16le').decode(bytes(...values));
  expect(decoded(0x00, 0xd8)).toBe('\ufffd');
  expect(decoded(0x00, 0xdc)).toBe('\ufffd');
  expect(decoded(0x00, 0xd8, 0x00, 0x00)).toBe('\ufffd\0');
  expect(decoded(0x00, 0xdc, 0x00, 0x00)).toBe('\ufffd\0');
  expect(decoded(0x00, 0xdc, 0x00, 0xd8)).toBe('\ufffd\ufffd');
  expect(() => new Decoder('utf-16le', { fatal: true }).decode(bytes(0x00, 0xd8))).toThrow(TypeError);
});

test('invalid input makes a fatal decoder throw a TypeError', () => {
  const bad: Record<string, number[][]> = {
    'utf-8': [
      [0xff],
      [0xc0],
      [0xe0],
      [0xc0, 0x00],
      [0xc0, 0xc0],
      [0xe0, 0x00],
      [0xe0, 0xc0],
      [0xe0, 0x80, 0x00],
      [0xe0, 0x80, 0xc0],
      [0xfc, 0x80, 0x80],
      [0xfe, 0x80, 0x80, 0x80, 0x80, 0x80],
      [0xc0, 0x80],
      [0xe0, 0x80, 0x80],
      [0xf0, 0x80, 0x80, 0x80],
      [0xf8, 0x80, 0x80, 0x80, 0x80],
      [0xc1, 0xbf],
      [0xe0, 0x81, 0xbf],
      [0xe0, 0x9f, 0xbf],
      [0xf0, 0x8f, 0xbf, 0xbf],
      [0xed, 0xa0, 0x80],
      [0xed, 0xbf, 0xbf],
      [0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0x80],
      [0xbf],
    ],
    'utf-16le': [[0x00], [0x00, 0xd8], [0x00, 0xdc], [0x00, 0xd8, 0x41, 0x00], [0x00, 0xdc, 0x00, 0xd8]],
    'windows-1253': [[0xaa]],
    'iso-8859-3': [[0xa5]],
    shift_jis: [[0x81], [0x81, 0x20]],
    'euc-jp': [[0x8f, 0xa1]],
    big5: [[0x87, 0x3f]],
    gb18030: [[0x81, 0x30]],
  };
  for (const [label, all] of Object.entries(bad)) {
    const decoder = new Decoder(label, { fatal: true });
    for (const one of all) {
      expect(() => decoder.decode(bytes(...one)), `${label} ${one}`).toThrow(TypeError);
      expect(decoder.decode(label === 'utf-16le' ? bytes(0x41, 0) : bytes(0x41))).toBe('A');
      expect(new Decoder(label).decode(bytes(...one))).toContain('\ufffd');
    }
  }
});

describe('streaming', () => {
  const text = '\0\x01ǿ€\u{10000}\u{10ffff}hello \u05d0\u3042\u{1f600}';

  test.each(['utf-8', 'utf-16le', 'utf-16be', 'cesu-8', 'utf-32be', 'gb18030'])(
    '%s in pieces of 1 to 5 bytes',
    async (label) => {
      const encoded =
        label === 'gb18030'
          ? Uint8Array.from(
              Array.from(text).flatMap((one) => Array.from(encodeLegacy(one.codePointAt(0)!, 'gb18030')!)),
            )
          : (await import('utf8kit')).encodeText(text, label as 'utf-8')!;
      for (let size = 1; size <= 5; size += 1) {
        const decoder = new Decoder(label);
        let out = '';
        for (let at = 0; at < encoded.length; at += size)
          out += decoder.decode(encoded.subarray(at, at + size), { stream: true });
        expect(out + decoder.decode()).toBe(text);
      }
    },
  );

  test('an unfinished sequence at the end is one error', () => {
    const decoder = new Decoder();
    expect(decoder.decode(bytes(0xf0, 0x9f, 0x92), { stream: true })).toBe('');
    expect(decoder.decode()).toBe('\ufffd');
    expect(decoder.decode(bytes(0xf0), { stream: true }) + decoder.decode(bytes(0x41))).toBe('\ufffdA');
    const fatal = new Decoder('utf-8', { fatal: true });
    expect(fatal.decode(bytes(0xf0), { stream: true })).toBe('');
    expect(() => fatal.decode()).toThrow(TypeError);
    expect(fatal.decode(bytes(0x41))).toBe('A');
  });

  test('the same decoder again', () => {
    const sjis = new Decoder('shift_jis');
    expect(sjis.decode(bytes(0x93), { stream: true }) + sjis.decode(bytes(0xfa))).toBe('日');
    expect(sjis.decode(bytes(0x93, 0xfa))).toBe('日');
  });
});

describe('TransformStreams', () => {
  const through = async <In, Out>(
    chunks: In[],
    stream: { readable: ReadableStream<Out>; writable: WritableStream<In> },
  ): Promise<Out[]> => {
    const source = new ReadableStream<In>({
      start: (controller) => {
        chunks.forEach((chunk) => controller.enqueue(chunk));
        controller.close();
      },
    });
    const out: Out[] = [];
    for await (const piece of source.pipeThrough(
      stream as ReadableWritablePair<Out, In>,
    ) as unknown as AsyncIterable<Out>)
      out.push(piece);
    return out;
  };

  test('DecoderStream behaves like TextDecoderStream', async () => {
    for (const chunks of [
      [],
      [[]],
      [
        [0xf0, 0x9f],
        [0x98, 0x80],
      ],
      [[0xef, 0xbb], [0xbf, 0x41], []],
      [[0xf0]],
      [[0xff, 0x41], [0xe2]],
    ]) {
      const input = chunks.map((chunk) => Uint8Array.from(chunk));
      expect(await through(input, new DecoderStream())).toEqual(await through(input, new TextDecoderStream()));
    }
    expect(await through([bytes(0x93), bytes(0xfa)], new DecoderStream('sjis'))).toEqual(['日']);
    const stream = new DecoderStream('UTF-16', { fatal: true, ignoreBOM: true });
    expect([stream.encoding, stream.fatal, stream.ignoreBOM]).toEqual(['utf-16le', true, true]);
    await expect(through([bytes(0xff)], new DecoderStream('utf-8', { fatal: true }))).rejects.toThrow(TypeError);
    for (const wrong of [undefined, null, 3, 'text', {}, []]) {
      await expect(through([wrong as never], new DecoderStream())).rejects.toThrow(TypeError);
    }
    expect(() => new DecoderStream('bogus')).toThrow(RangeError);
  });

  test('EncoderStream behaves like TextEncoderStream', async () => {
    const whole = async (chunks: unknown[], stream: unknown) =>
      Buffer.concat(await through(chunks, stream as TextEncoderStream)).toString('hex');
    for (const chunks of [
      [],
      [''],
      ['a', '€😀'],
      ['\ud83d', '\ude00'],
      ['\ud83d', '', '\ude00'],
      ['\ud83d'],
      ['\ude00\ud83d'],
      ['\ud83d', 'a'],
      [5, null, undefined, {}],
    ]) {
      expect(await whole(chunks, new EncoderStream()), String(chunks)).toBe(
        await whole(chunks, new TextEncoderStream()),
      );
    }
    expect(await whole(['a', '😀'], new EncoderStream('cesu-8'))).toBe('61eda0bdedb880');
    expect(await whole(['é€'], new EncoderStream('latin1'))).toBe('e93f');
    await expect(through([Symbol('') as never], new EncoderStream())).rejects.toThrow(TypeError);
  });

  test('RepairStream repairs', async () => {
    const pieces = [bytes(0x61, 0xe2), bytes(0x82), bytes(0xff, 0x62, 0xc3)];
    expect(Buffer.concat(await through(pieces, new RepairStream())).toString()).toBe('a\ufffd\ufffdb\ufffd');
    expect(Buffer.concat(await through(pieces, new RepairStream({ policy: 'escape' }))).toString()).toBe(
      'a\\xE2\\x82\\xFFb\\xC3',
    );
    await expect(through(pieces, new RepairStream({ policy: 'strict' }))).rejects.toThrow(TypeError);
  });
});

test("single bytes by the standard's indexes", () => {
  const decoded = (label: string, ...values: number[]) => new Decoder(label).decode(bytes(...values));
  expect(decoded('latin1', 0x80, 0x81, 0x9f, 0xe9)).toBe('€\x81Ÿé');
  expect(decoded('koi8-u', 0xae, 0xbe)).toBe('ўЎ');
  expect(decoded('windows-1255', 0xca)).toBe('\u05ba');
  expect(decoded('iso-8859-8-i', 0xe0, 0xfd)).toBe('\u05d0\u200e');
  expect(decoded('x-user-defined', 0x41, 0x80, 0xff)).toBe('A\uf780\uf7ff');
  expect(decoded('macintosh', 0xdb)).toBe('€');
  expect(decoded('iso-2022-jp', 0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42, 0x41)).toBe('日A');
});
