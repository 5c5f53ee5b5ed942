// Tests `utf8kit/document`: edits that change no other byte, and damage between two versions of a file.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { encodeText, LEGACY } from 'utf8kit';
import { compare, DAMAGE_KINDS, Document, EditError, restore } from 'utf8kit/document';

const latin = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const caught = (work: () => void): EditError => {
  try {
    work();
  } catch (error) {
    return error as EditError;
  }
  throw new Error('nothing was thrown');
};

test('unedited text keeps its bytes, in every encoding', () => {
  const sentence = 'Ein Satz, une phrase, фраза, 一句话, 文章。\r\n';
  for (const encoding of ['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'cesu-8', 'utf-7', 'hz-gb-2312', ...LEGACY]) {
    const noise = Uint8Array.from({ length: 3000 }, (_, at) => (at * at * 31 + (at >> 3)) & 0xff);
    for (const bytes of [noise, encodeText(sentence, 'utf-8')!]) {
      const document = new Document(bytes, { encoding });
      document.setText(document.text());
      expect(hex(document.toBytes()), encoding).toBe(hex(bytes));
      expect(document.isEdited).toBe(false);
      document.close();
    }
  }
});

test('an edit is written in the encoding, with the line ends around it', () => {
  const document = new Document(latin('un caf\xe9 tr\xe8s cher\r\n'));
  expect([document.text(), document.encodings, document.mark]).toEqual(['un café très cher\n', ['windows-1252'], 0]);
  const at = document.text().indexOf('cher');
  document.replace(at, at, 'très ');
  document.replace(document.text().length, document.text().length, 'Voilà !\n');
  expect(document.text()).toBe('un café très très cher\nVoilà !\n');
  expect(document.toBytes()).toEqual(latin('un caf\xe9 tr\xe8s tr\xe8s cher\r\nVoil\xe0 !\r\n'));
  expect([document.isEdited, document.isRecoded]).toEqual([true, false]);
  const exact = new Document(latin('a\r\nb\n'), { lineEnds: 'exact' });
  expect(exact.text()).toBe('a\r\nb\n');
});

test('positions count as in strings', () => {
  const bytes = Buffer.from(`\ufeff${'😀é'.repeat(3000)}\r\nend\xff`, 'utf8');
  const document = new Document(bytes, { encoding: 'utf-8' });
  const text = document.text();
  expect([document.mark, text.startsWith('😀é')]).toEqual([3, true]);
  const end = text.indexOf('end');
  expect(document.toBytesRange(end, end + 3)).toEqual([3 + 6 * 3000 + 2, 3 + 6 * 3000 + 5]);
  expect(document.toTextRange(3 + 6 * 3000 + 2, 3 + 6 * 3000 + 5)).toEqual([end, end + 3]);
  expect(document.toTextRange(3, 7)).toEqual([0, 2]);
  document.replace(3, 5, '🎉');
  expect(document.text()).toBe(`😀é🎉${text.slice(5)}`);
  document.replace(end, end + 3, 'END');
  expect(document.text()).toBe(`😀é🎉${text.slice(5, end)}END${text.slice(end + 3)}`);
  // Within a surrogate pair, beyond the end, and not a position at all.
  for (const [start, stop] of [
    [1, 2],
    [0, 1],
    [0, 1e6],
    [5, 4],
    [-1, 2],
    [0.5, 2],
    [NaN, 1],
    [0, 2 ** 32 + 1],
  ] as const) {
    expect(() => document.replace(start, stop, 'x'), `${start} ${stop}`).toThrow(RangeError);
    expect(() => document.toBytesRange(start, stop), `${start} ${stop}`).toThrow(RangeError);
  }
});

test('a character that the encoding lacks is rejected with its place, replaced, or makes the document UTF-8', () => {
  const bytes = latin('na\xefve\r\n');
  const document = new Document(bytes, { encoding: 'windows-1252' });
  document.setText('naïve\nEnd\n');
  const error = caught(() => document.replace(8, 9, 'd 日本'));
  expect(error).toBeInstanceOf(EditError);
  expect(error).toMatchObject({ codePoint: 0x65e5, encoding: 'windows-1252', offset: 10, line: 2, column: 5 });
  expect(error.message).toBe('2:5: windows-1252 lacks U+65E5');
  expect(document.text()).toBe('naïve\nEnd\n');
  const lone = caught(() => document.replace(6, 9, 'En\ud83dd'));
  expect(lone).toMatchObject({ name: 'EditError', codePoint: 0xd83d, offset: 8, line: 2, column: 3 });

  const escaped = new Document(bytes, { encoding: 'windows-1252', unencodable: 'escape' });
  escaped.replace(0, 0, '日😀');
  expect(escaped.toBytes()).toEqual(latin('\\u65E5\\U0001F600na\xefve\r\n'));
  const nearest = new Document(bytes, { encoding: 'latin1', unencodable: 'transliterate' });
  nearest.replace(0, 0, '“Ǽ ﬁ…” ');
  expect(nearest.toBytes()).toEqual(latin('"\xc6 fi..." na\xefve\r\n'));
  expect(caught(() => nearest.replace(0, 0, 'a日'))).toMatchObject({ name: 'EditError', codePoint: 0x65e5, offset: 1 });
  const recoded = new Document(bytes, { encoding: 'windows-1252', unencodable: 'recode' });
  recoded.replace(0, 0, '日');
  expect([Buffer.from(recoded.toBytes()).toString(), recoded.isRecoded]).toEqual(['日naïve\r\n', true]);
});

test('bytes that are not text are shown, and kept', () => {
  const bytes = Uint8Array.of(0xf0, 0x9f, 0x98, 0x80, 0xff, 0x62, 0xe2, 0x82);
  const document = new Document(bytes, { encoding: 'utf-8' });
  expect(document.text()).toBe('😀\ufffdb\ufffd');
  document.replace(3, 4, 'B');
  expect(document.opaque()).toEqual([
    { text: [2, 3], bytes: [4, 5] },
    { text: [4, 5], bytes: [6, 8] },
  ]);
  expect(hex(document.toBytes())).toBe('f09f9880ff42e282');
});

test('lines in two encodings', () => {
  const bytes = Buffer.concat([
    Buffer.from('é à ç\n'.repeat(20)),
    latin('\xe9t\xe9 \xe0 la mer\n'),
    Buffer.from('ça va\n'),
  ]);
  const document = new Document(bytes);
  expect(document.encodings).toEqual(['utf-8', 'windows-1252']);
  document.replace(document.text().indexOf('mer'), document.text().indexOf('mer'), 'même ');
  expect(Buffer.from(document.toBytes()).includes(latin('la m\xeame mer'))).toBe(true);
});

test('damage is found and undone, and edits are kept', () => {
  const old = latin('un caf\xe9\r\ntr\xe8s cher\r\n');
  const changed = Buffer.from('un bon caf\ufffd\ntr\ufffds cher\n');
  const { encoding, damage, edits } = compare(old, changed);
  expect([encoding, edits.length]).toEqual(['utf-8', 1]);
  expect([...old.subarray(...edits[0]!.old), ...changed.subarray(...edits[0]!.new)]).toEqual([...Buffer.from('bon ')]);
  const first = damage.find(({ kind }) => kind === 'replaced')!;
  expect(first).toEqual({ kind: 'replaced', old: [6, 7], new: [10, 13], line: 1, column: 11, doubtful: false });
  expect(damage.map(({ kind }) => kind)).toEqual(['replaced', 'line_ends', 'replaced', 'line_ends']);
  expect(restore(old, changed)).toEqual(latin('un bon caf\xe9\r\ntr\xe8s cher\r\n'));
  expect(restore(old, changed, damage)).toEqual(restore(old, changed));
  const letters = damage.filter(({ kind }) => kind === 'replaced');
  expect(restore(old, changed, letters)).toEqual(latin('un bon caf\xe9\ntr\xe8s cher\n'));
  const once = Buffer.concat([latin('un bon caf\xe9\n'), Buffer.from('tr\ufffds cher\n')]);
  expect(hex(restore(old, changed, [first]))).toBe(hex(once));
  expect(restore(old, changed, [])).toEqual(new Uint8Array(changed));
  expect(DAMAGE_KINDS).toContain(first.kind);
});

test('equal versions have no damage, and long ones are accepted', () => {
  const line = (_: unknown, index: number): string => `Съешь же ещё этих мягких французских булок: ${index}.\r\n`;
  const long = Buffer.from(Array.from({ length: 200 }, line).join(''));
  expect(compare(long, long)).toEqual({ encoding: 'utf-8', damage: [], edits: [] });
  const longer = new Uint8Array(1_000_000).fill(0x61);
  const document = new Document(longer);
  document.replace(999_999, 1_000_000, 'é'.repeat(300_000));
  expect([document.text().length, document.toBytes().length]).toEqual([1_299_999, 1_599_999]);
  const doubled = Buffer.from(new TextDecoder('windows-1251').decode(long).replace('\r\n', '\r\nmore\r\n'));
  const found = compare(long, doubled);
  expect(new Set(found.damage.map(({ kind }) => kind))).toEqual(new Set(['doubled']));
  const expected = Buffer.from(long.toString().replace('\r\n', '\r\nmore\r\n'));
  expect(Buffer.compare(restore(long, doubled), expected)).toBe(0);
});

test('wrong arguments, and closed documents', () => {
  const bytes = latin('a');
  expect(() => new Document('a' as never)).toThrow(TypeError);
  expect(() => new Document(bytes, { encoding: 'nonsense' })).toThrow('unknown encoding: nonsense');
  expect(() => new Document(bytes, { lineEnds: 'cr' as never })).toThrow(RangeError);
  expect(() => new Document(bytes, { unencodable: 'replace' as never })).toThrow(RangeError);
  expect(() => compare(bytes, 'a' as never)).toThrow(TypeError);
  const document = new Document(bytes, { encoding: ' Latin1 ' });
  expect(() => document.setText(5 as never)).toThrow(TypeError);
  document.close();
  document.close();
  expect(() => document.toBytes()).toThrow(TypeError);
});

test('ten thousand edits, and two thousand documents', () => {
  const document = new Document(Buffer.from('é\n'.repeat(10_000)));
  for (let line = 0; line < 10_000; line += 10) document.replace(2 * line, 2 * line + 1, 'e');
  expect(Buffer.from(document.toBytes()).toString()).toBe('e\né\né\né\né\né\né\né\né\né\n'.repeat(1000));
  for (let count = 0; count < 2000; count += 1) {
    using small = new Document(latin('\xe9'));
    small.setText('è');
    expect(small.toBytes()).toEqual(latin('\xe8'));
  }
});

test("README's write tool for assistants", async () => {
  const here = fileURLToPath(new URL('..', import.meta.url));
  const [, recipe] = /### An assistant's write tool[^]*?```ts\n([^]*?)```/.exec(
    readFileSync(`${here}README.md`, 'utf8'),
  )!;
  const folder = mkdtempSync(join(here, 'test/fixture/recipe-'));
  try {
    writeFileSync(join(folder, 'recipe.ts'), recipe!);
    writeFileSync(join(folder, 'menu.txt'), latin('Cr\xeapes: 4 \x80\r\nTh\xe9: 2 \x80\r\n'));
    const options = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--types',
      'node',
      '--skipLibCheck',
    ];
    execFileSync('npx', ['tsc', ...options, join(folder, 'recipe.ts')], { cwd: here });
    await build({
      entryPoints: [join(folder, 'recipe.ts')],
      outfile: join(folder, 'recipe.mjs'),
      platform: 'node',
      format: 'esm',
    });
    const { edit, overwrite } = (await import(join(folder, 'recipe.mjs'))) as {
      edit: (path: string, old: string, replacement: string) => void;
      overwrite: (path: string, text: string) => void;
    };
    const file = join(folder, 'menu.txt');
    edit(file, 'Thé: 2 €\n', 'Thé: 3 €\nCafé: 2 €\n');
    expect(new Uint8Array(readFileSync(file))).toEqual(
      latin('Cr\xeapes: 4 \x80\r\nTh\xe9: 3 \x80\r\nCaf\xe9: 2 \x80\r\n'),
    );
    expect(() => edit(file, '€', '$')).toThrow('occurs 3 times');
    expect(() => edit(file, 'nowhere', '')).toThrow('occurs 0 times');
    expect(() => overwrite(file, '寿司\n')).toThrow('windows-1252 lacks U+5BFF');
    overwrite(file, 'Crêpes: 5 €\n');
    expect(new Uint8Array(readFileSync(file))).toEqual(latin('Cr\xeapes: 5 \x80\r\n'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a failed call does not affect the next one', () => {
  const [old, now] = [latin('un caf\xe9\n'), Buffer.from('un caf\ufffd\n')];
  // @ts-expect-error: not a name
  expect(() => new Document(latin('first'), { encoding: null })).toThrow(TypeError);
  expect(() => new Document(latin('first'), { encoding: 'nonsense' })).toThrow(RangeError);
  expect(new Document(latin('second')).text()).toBe('second');
  // @ts-expect-error: no damage
  expect(() => restore(old, now, [{ old: [3, 4] }])).toThrow(TypeError);
  expect(restore(old, now)).toEqual(old);
  expect(new Document(latin('third')).text()).toBe('third');
});
