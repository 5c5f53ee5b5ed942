// Tests TextIndex: the cases of vectors/lsp/, strings compared with a model, edits.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type PositionUnit, TextIndex, type TextIndexOptions } from 'utf8kit';

const UNITS: PositionUnit[] = ['utf-8', 'utf-16', 'utf-32'];

interface Case {
  id: string;
  line_ends: TextIndexOptions['lineEnds'];
  hex: string;
  length: Record<PositionUnit, number>;
  positions: ({ offset: number; line: number } & Record<PositionUnit, number>)[];
  offsets: [PositionUnit, number, number, number][];
}

const cases = readFileSync(new URL('../../../vectors/lsp/positions.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);

test.each(cases)('$id', ({ line_ends: lineEnds, hex, length, positions, offsets }) => {
  const index = new TextIndex(Buffer.from(hex, 'hex'), { lineEnds });
  for (const unit of UNITS) {
    expect(index.length(unit)).toBe(length[unit]);
    const expected = positions.map((place) => ({ line: place.line, character: place[unit] }));
    expect(
      index.lspPositions(
        positions.map(({ offset }) => offset),
        unit,
      ),
    ).toEqual(expected);
  }
  for (const [unit, line, character, offset] of offsets) {
    expect(index.lspOffset({ line, character }, unit)).toBe(offset);
  }
  index.close();
});

test('offsets of a string are UTF-16 code units, also after edits', () => {
  let text = 'naïve 😀 café\r\n日本\n'.repeat(200);
  const index = new TextIndex(text);
  for (let round = 0; round < 60; round += 1) {
    const places = Array.from({ length: 20 }, (_, at) => (round * 997 + at * 331) % text.length);
    const whole = places.filter((at) => !/[\uDC00-\uDFFF]/.test(text[at]!));
    expect(index.positions(whole, 'utf-32')).toEqual(whole.map((at) => [...text.slice(0, at)].length));
    expect(index.positions(whole, 'utf-8')).toEqual(whole.map((at) => Buffer.byteLength(text.slice(0, at))));
    expect(index.offsets(index.positions(whole, 'utf-8'), 'utf-8')).toEqual(whole);
    expect(index.lspOffsets(index.lspPositions(whole))).toEqual(
      whole.map((at) => (text[at] === '\n' && text[at - 1] === '\r' ? at - 1 : at)),
    );
    const [start, put] = [whole[0]!, ['', 'x', '😀\n', 'é'.repeat(900)][round % 4]!];
    const end = Math.max(start, Math.min(text.length, index.offset(index.position(start + 7, 'utf-32'), 'utf-32')!));
    index.edit(start, end, put);
    text = text.slice(0, start) + put + text.slice(end);
  }
  expect(index.text()).toBe(text);
  expect(index.lines).toBe(text.split(/\r\n|\r|\n/).length);
  const [start, end] = index.line(1)!;
  expect(text.slice(start, end)).toBe(text.split(/\r\n|\r|\n/)[0]);
  const { line, column } = index.lineColumn(100);
  expect(index.offsetAt(line, column)).toBe(100);
  index.close();
  expect(() => index.lines).toThrow(TypeError);
});

test('clients with three position encodings', () => {
  const index = new TextIndex("print('😀', naïve)\nprint(2)\n");
  expect(index.lspOffset({ line: 0, character: 14 }, 'utf-8')).toBe(12);
  expect(index.lspOffset({ line: 0, character: 12 }, 'utf-16')).toBe(12);
  expect(index.lspOffset({ line: 0, character: 11 }, 'utf-32')).toBe(12);
  index.edit(12, 17, 'x');
  expect(UNITS.map((unit) => index.lspPosition(13, unit).character)).toEqual([15, 13, 12]);
  index.close();
});

test('rejected arguments', () => {
  const index = new TextIndex('a😀b');
  expect(() => index.edit(2, 3, '')).toThrow(RangeError);
  expect(() => index.edit(3, 9, '')).toThrow(RangeError);
  expect(() => index.edit(3, 1, '')).toThrow(RangeError);
  expect(() => index.edit(-1, 1, '')).toThrow(RangeError);
  expect(() => index.edit(0, 1, new Uint8Array(1))).toThrow(TypeError);
  expect(() => index.length('utf-7' as PositionUnit)).toThrow(RangeError);
  expect(() => new TextIndex('', { lineEnds: 'cr' as 'lf' })).toThrow(RangeError);
  expect(() => new TextIndex(3 as unknown as string)).toThrow(TypeError);
  expect([index.text(), index.offset(9, 'utf-8'), index.line(2)]).toEqual(['a😀b', undefined, undefined]);
  index.close();
});

test('many queries at once', () => {
  const index = new TextIndex(Buffer.from('é\n'.repeat(50_000)));
  const offsets = Array.from({ length: 70_000 }, (_, at) => at);
  const positions = index.lspPositions(offsets);
  expect(positions.length).toBe(70_000);
  expect(positions[69_999]).toEqual({ line: 23_333, character: 0 });
  expect(index.lspOffsets(positions).length).toBe(70_000);
  index.close();
});
