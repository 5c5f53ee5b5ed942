// Tests the names in archives: which are stored, and which were meant.
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { brokenNames, writableNames } from '../src/names.ts';
import { renamed, storedNames } from '../src/zip.ts';
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

/** An extra field with the name in UTF-8. */
const field = (name: Uint8Array, text: string): Buffer => {
  const meant = Buffer.from(text);
  const head = Buffer.alloc(9);
  head.writeUInt16LE(0x7075, 0);
  head.writeUInt16LE(meant.length + 5, 2);
  head[4] = 1;
  head.writeUInt32LE(crc32(name), 5);
  return Buffer.concat([head, meant]);
};

test('each name that is not as it was meant is told of, with why', async () => {
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

const renamedBytes = async (bytes: Uint8Array, names: ReadonlyMap<number, string>): Promise<Buffer> =>
  Buffer.from(await (await renamed(new Blob([new Uint8Array(bytes)]), names)).arrayBuffer());

test('a zip is written with correct names, and with the rest as it was', async () => {
  const stored = [latin1('Größe.doc'), Buffer.from('plain.txt'), latin1('gr\x81n.txt'), Buffer.from('GrÃ¶ÃŸe.txt')];
  const meant = ['Größe.doc', 'plain.txt', 'grün.txt', 'Größe.txt'];
  const time = Buffer.from('555405000301020304', 'hex');
  const extra = [time, time, Buffer.concat([field(stored[2]!, 'grün.txt'), time]), time];
  const old = zip(stored, false, extra);
  const names = writableNames(brokenNames((await of(old))!));
  expect(names).toEqual(new Map([0, 2, 3].map((index) => [index, meant[index]])));
  const bytes = await renamedBytes(old, names);
  const after = (await of(bytes))!;
  expect(after.map((name) => Buffer.from(name.bytes).toString())).toEqual(meant);
  expect(after.map(({ marked }) => marked)).toEqual([true, false, true, true]);
  expect(brokenNames(after)).toEqual([]);
  // As if it had been made with these names; only those that were wrong are marked.
  const expected = zip(
    meant.map((name) => Buffer.from(name)),
    [true, false, true, true],
    [time, time, time, time],
  );
  expect(bytes.equals(expected)).toBe(true);
  // The data stays, also that after the last member, and the comment of the archive.
  old.writeUInt16LE(3, old.length - 2);
  expect((await renamedBytes(Buffer.concat([old, Buffer.from('hey')]), names)).subarray(-3).toString()).toBe('hey');
});

test('a zip is not written if that would lose anything', async () => {
  const names = [latin1('\xe4.txt'), Buffer.from('b.txt')];
  await expect(renamedBytes(zip(names), new Map([[0, 'b.txt']]))).rejects.toThrow('the same name');
  const shifted = Buffer.concat([Buffer.from('#!/bin/sh\n'), zip(names)]);
  await expect(renamedBytes(shifted, new Map([[0, 'ä.txt']]))).rejects.toThrow('of this kind');
  // The offset of the other member is beyond the directory.
  const wrong = zip(names);
  wrong.writeUInt32LE(0xfffffff0, wrong.lastIndexOf(Buffer.from('PK\x01\x02')) + 42);
  await expect(renamedBytes(wrong, new Map([[0, 'ä.txt']]))).rejects.toThrow('damaged');
  const name = { index: 0, stored: '', why: 'encoding', encoding: 'cp850', certainty: 'certain' } as const;
  for (const meant of ['../ä', 'a/../ä', '/ä', 'ä\\b', 'ä\n', 'ä\ufffd', null]) {
    expect(writableNames([{ ...name, meant }])).toEqual(new Map());
  }
  for (const meant of ['ä', 'ä/', 'a/.ä', 'ä..b', '..ä'])
    expect(writableNames([{ ...name, meant }]).get(0)).toBe(meant);
  expect(writableNames([{ ...name, meant: 'ä', certainty: 'possible' }])).toEqual(new Map());
});
