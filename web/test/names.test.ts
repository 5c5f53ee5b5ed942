// Tests the names in archives: which are stored, and which were meant.
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { brokenNames } from '../src/names.ts';
import { storedNames } from '../src/zip.ts';
import { zip } from './zip.ts';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const of = (bytes: Uint8Array): Promise<Awaited<ReturnType<typeof storedNames>>> =>
  storedNames(new Blob([new Uint8Array(bytes)]));

test('names are read from the directory, also behind other data and before a comment', async () => {
  const names = [Buffer.from('a.txt'), Buffer.from('folder/b.txt')];
  const stored = (await of(zip(names)))!;
  expect(stored.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['a.txt', 'folder/b.txt']);
  expect(stored.map(({ marked }) => marked)).toEqual([false, false]);
  expect((await of(zip(names, true)))![0]!.marked).toBe(true);
  expect(await of(zip([]))).toEqual([]);
  const whole = zip(names);
  whole.writeUInt16LE(3, whole.length - 2);
  expect(await of(Buffer.concat([whole, Buffer.from('hey')]))).toHaveLength(2);
});

test('what is no zip, or a damaged one, has no names', async () => {
  for (const bytes of ['', 'PK', 'text', 'PK\x03\x04 and no directory']) expect(await of(latin1(bytes))).toBeNull();
  const whole = zip([Buffer.from('a.txt')]);
  for (let cut = 0; cut < whole.length; cut += 1) {
    await of(whole.subarray(0, cut));
    const changed = Buffer.from(whole);
    changed[cut] = 0xff;
    await of(changed);
  }
});

test('each name that is not as it was meant is told of, with why', async () => {
  const field = (name: Uint8Array, text: string): Buffer => {
    const meant = Buffer.from(text);
    const head = Buffer.alloc(9);
    head.writeUInt16LE(0x7075, 0);
    head.writeUInt16LE(meant.length + 5, 2);
    head[4] = 1;
    head.writeUInt32LE(crc32(name), 5);
    return Buffer.concat([head, meant]);
  };
  const names = [latin1('Größe.doc'), latin1('Übersicht 2019.pdf'), Buffer.from('GrÃ¶ÃŸe.txt'), latin1('plain')];
  const stored = (await of(zip([...names, Buffer.from('Straße')])))!;
  expect(brokenNames(stored)).toMatchObject([
    { stored: 'Gr\\xF6\\xDFe.doc', meant: 'Größe.doc', why: 'encoding', encoding: 'windows-1252' },
    { meant: 'Übersicht 2019.pdf', why: 'encoding' },
    { stored: 'GrÃ¶ÃŸe.txt', meant: 'Größe.txt', why: 'twice' },
    { stored: 'Straße', meant: 'Straße', why: 'unmarked' },
  ]);
  expect(brokenNames((await of(zip([Buffer.from('Straße')], true)))!)).toEqual([]);
  const short = latin1('gr\x81n.txt');
  expect(brokenNames((await of(zip([short], false, [field(short, 'grün.txt')])))!)).toMatchObject([
    { meant: 'grün.txt', why: 'field' },
  ]);
  // A field for other bytes is not believed.
  const [other] = brokenNames((await of(zip([short], false, [field(latin1('x'), 'wrong.txt')])))!);
  expect(other!.meant).not.toBe('wrong.txt');
});
