// Tests that typed notations are read as what they are, and offered as what they resemble.
import { describe, expect, test } from 'vitest';
import { merged } from '../src/composer.ts';
import { change, looksLike, type Notation, NOTATIONS, plain, print, read } from '../src/notation.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test.each([
  '12:30',
  '10 20',
  'de-ad',
  'C:\\users\\x41',
  '€',
  'caf%C3%A9',
  '&#x20AC;',
  'de ad',
  'facade',
  '2024',
  'abc123',
  '20 130 40',
  '10000000',
  'cafe babe',
  '192 168 0 1',
  '12345678',
])('%s is text unless asked', (source) => {
  expect(plain(source)).toBe('text');
  expect(hex(read(source, 'utf-8').bytes)).toBe(Buffer.from(source).toString('hex'));
});

test.each<[string, Notation]>([
  ['E2 82 AC', 'hex'],
  ['C0 AF', 'hex'],
  ['E2 8', 'text'],
  ['E2 82 A', 'hex'],
  ['U+20AC U+41', 'code points'],
  ['%E2%82%AC', 'percent'],
  ['"\\u20AC"', 'escapes'],
  ['E282AC', 'hex'],
  ['0xE2,0x82', 'hex'],
  ['{0xE2, 0x82}', 'hex'],
  ['11100010 10000010', 'binary'],
  ['0b11100010 0b10000010', 'binary'],
  ['226 130 172', 'decimal'],
  ['[226, 130, 172]', 'decimal'],
  ['342 202 254', 'octal'],
  ['\\342\\202\\254', 'octal'],
  ['e2:82:ac', 'hex'],
  ['00000000: e282 ac0a                                ....', 'hexdump'],
  ['0000000 e2 82 ac 0a', 'hexdump'],
])('%s cannot be mistaken', (source, notation) => {
  expect(plain(source)).toBe(notation);
});

const DUMP =
  '00000000  e2 82 ac 0a 61 62 63 64  65 66 67 68 69 6a 6b 6c  |...abcdefghijkl|\n00000010  6d                 ' +
  '                               |m|';
const XXD =
  '00000000: e282 ac0a 6162 6364 6566 6768 696a 6b6c  ....abcdefghijkl\n00000010: 6d                           ' +
  '            m';

test.each<[string, Notation, string]>([
  ['E282AC', 'hex', 'e282ac'],
  ['{0xE2, 0x82}', 'hex', 'e282'],
  ['{0xE2, 0x82, 0xAC, 0xA}', 'hex', 'e282ac0a'],
  ['10 20', 'hex', '1020'],
  ['de-ad', 'hex', 'dead'],
  ['12:30', 'hex', '1230'],
  ['\\xE2\\x82\\xAC', 'hex', 'e282ac'],
  ['caf%C3%A9', 'percent', '636166c3a9'],
  ['&#x20AC; &euro; &#8364;', 'entities', 'e282ac20e282ac20e282ac'],
  ['11100010 10000010 10101100', 'binary', 'e282ac'],
  ['111000101000001010101100', 'binary', 'e282ac'],
  ['\\342\\202\\254', 'octal', 'e282ac'],
  ['342 202 254', 'octal', 'e282ac'],
  ['226 130 172', 'decimal', 'e282ac'],
  ['C:\\users\\x41', 'escapes', Buffer.from('C:usersA').toString('hex')],
  ['a \\u20AC', 'escapes', '6120e282ac'],
  [DUMP, 'hexdump', 'e282ac0a6162636465666768696a6b6c6d'],
  [XXD, 'hexdump', 'e282ac0a6162636465666768696a6b6c6d'],
])('%s is offered as %s', (source, notation, bytes) => {
  if (plain(source) === 'text') expect(looksLike(source, 'text')).toBe(notation);
  const reading = read(source, 'utf-8', notation);
  expect(hex(reading.bytes)).toBe(bytes);
  expect(reading.problem).toBeNull();
});

test.each(['hello', 'a', '', 'It is 5 %', 'AT&T', '€', '100%'])('%s looks like nothing else', (source) => {
  expect(looksLike(source, 'text')).toBeNull();
});

test('incomplete input is marked, and the rest is read', () => {
  expect(read('E2 82 A', 'utf-8', 'hex')).toMatchObject({ half: 'A', problem: null, bytes: Uint8Array.of(0xe2, 0x82) });
  expect(read('E2 8', 'utf-8', 'hex')).toMatchObject({ half: '8', bytes: Uint8Array.of(0xe2) });
  expect(read('1110', 'utf-8', 'binary')).toMatchObject({ half: '1110', bytes: new Uint8Array() });
  expect(read('E2 xyz 82', 'utf-8', 'hex')).toMatchObject({
    problem: expect.stringContaining('xyz'),
    bytes: Uint8Array.of(0xe2, 0x82),
  });
  expect(read('E 2', 'utf-8', 'hex').problem).toContain('E');
});

test('characters that an encoding lacks are reported, and a rejected value is shown as an error', () => {
  expect(read('€a', 'latin1', 'text')).toMatchObject({ lacking: [0x20ac], bytes: Uint8Array.of(0x61) });
  expect(hex(read('U+D800', 'utf-8', 'code points').bytes)).toBe('eda080');
  expect(hex(read('U+110000', 'utf-8', 'code points').bytes)).toBe('f4908080');
  expect(hex(read('\\uD83D\\uDE00', 'utf-8', 'escapes').bytes)).toBe('f09f9880');
});

describe('links', () => {
  const text = Buffer.from('12:30\r\né€\u{1f600}&<"%\\x41');

  test.each(NOTATIONS)('%s gives the same bytes again', (notation) => {
    const written = print(text, 'utf-8', notation);
    expect(hex(read(written.source, 'utf-8', written.notation).bytes)).toBe(hex(text));
    if (notation !== 'hexdump') expect(written.notation).toBe(notation);
  });

  test.each(NOTATIONS)('%s of bytes that are not text', (notation) => {
    const broken = Uint8Array.of(0x61, 0xe2, 0x82, 0x5c, 0xff, 0x0d, 0x0a);
    const written = print(broken, 'utf-8', notation);
    expect(hex(read(written.source, 'utf-8', written.notation).bytes)).toBe(hex(broken));
  });
});

describe('a flipped bit changes only that bit', () => {
  const flip = (source: string, notation: Notation, at: number, bit: number) => {
    const reading = read(source, 'utf-8', notation);
    return change(source, reading, 'utf-8', at, reading.bytes[at]! ^ (1 << bit));
  };

  test.each<[string, Notation, number, number, string, Notation]>([
    ['a€\r\nb', 'text', 3, 0, 'a₭\r\nb', 'text'],
    ['a€b\\', 'text', 2, 7, 'a\\xE2\\x02\\xACb\\\\'.replace('\\x02', '\x02'), 'escapes'],
    ['e2 82,AC', 'hex', 0, 0, 'e3 82,AC', 'hex'],
    ['{0xE2, 0x82}', 'hex', 1, 0, '{0xE2, 0x83}', 'hex'],
    ['11100010 10000010', 'binary', 1, 0, '11100010 10000011', 'binary'],
    ['\\342\\202\\254', 'octal', 2, 0, '\\342\\202\\255', 'octal'],
    ['226 130 172', 'decimal', 2, 0, '226 130 173', 'decimal'],
    ['caf%C3%A9!', 'percent', 4, 0, 'caf%C3%A8!', 'percent'],
    ['café!', 'percent', 4, 0, 'caf%C3%A8!', 'percent'],
    ['U+41  U+20AC', 'code points', 3, 0, 'U+41  U+20AD', 'code points'],
    ['x &#x20AC; y', 'entities', 4, 0, 'x &#x20AD; y', 'entities'],
    ['"a\\u20AC\\n"', 'escapes', 3, 0, '"a\\u{20AD}\\n"', 'escapes'],
    ['a\\xFFb', 'escapes', 1, 0, 'a\\xFEb', 'escapes'],
  ])('%s in %s', (source, notation, at, bit, expected, then) => {
    expect(flip(source, notation, at, bit)).toEqual({ source: expected, notation: then });
  });

  test('in a long text', () => {
    const long = `${'Grüße\r\n'.repeat(10_000)}€${'мир '.repeat(10_000)}`;
    const at = Buffer.from('Grüße\r\n'.repeat(10_000)).length + 2;
    expect(flip(long, 'text', at, 0).source).toBe(long.replace('€', '₭'));
  });
});

describe('line ends', () => {
  test.each<[string, string, string | null, string]>([
    ['a\r\nb', 'a\nbc', null, 'a\r\nbc'],
    ['a\r\nb\r\nc', 'a\nXb\nc', null, 'a\r\nXb\r\nc'],
    ['a\r\nb\r\nc', 'ac', null, 'ac'],
    ['', 'x\ny', 'x\r\ny', 'x\r\ny'],
    ['ab', 'ax\nyb', 'x\r\ny', 'ax\r\nyb'],
    ['a\r\nb', 'a\nbx\ny', 'x\r\ny', 'a\r\nbx\r\ny'],
    ['a\nb', 'a\nbc', null, 'a\nbc'],
  ])('%j, shown as %j', (source, shown, pasted, expected) => {
    expect(merged(source, shown, pasted)).toBe(expected);
  });
});
