// Runs every conformance case, one file at a time, through the package's functions.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  Checker,
  convert,
  ConvertError,
  Converter,
  count,
  type Encoding,
  errors,
  explain,
  repair,
  validate,
  Validator,
} from 'utf8kit';

interface Case {
  id: string;
  op: 'check' | 'convert' | 'explain' | 'decode_stream';
  from: Encoding;
  to: Encoding;
  input_hex: string;
  valid: boolean;
  errors?: { offset: number; len: number; kind: string }[];
  repaired_hex?: string;
  mode?: 'strict' | 'lossy';
  bom?: 'strip' | 'keep';
  output_hex?: string;
  chunks?: number[];
  chunk_outputs_hex?: string[];
  error_chunk?: number;
  items?: { offset: number; len: number; cp?: number; kind?: string }[];
}

const FOLDER = new URL('../../../vectors/', import.meta.url);
const CASES = 3247;

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const bare = ({ offset, len, kind }: { offset: number; len: number; kind: string }) => ({ offset, len, kind });

const files = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'));
const all = files.flatMap((name) =>
  readFileSync(new URL(name, FOLDER), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case),
);

test('no case is missing', () => expect(all.length).toBe(CASES));

const run: Record<Case['op'], (one: Case) => void> = {
  check,
  convert: conversion,
  explain: explanation,
  decode_stream: stream,
};

describe.each(Object.keys(run) as Case['op'][])('%s', (op) => {
  test('every case holds', () => {
    const cases = all.filter((one) => one.op === op);
    expect(cases.length).toBeGreaterThan(0);
    for (const one of cases) {
      try {
        run[op](one);
      } catch (error) {
        throw new Error(`${one.id}: ${(error as Error).message}`, { cause: error });
      }
    }
  });
});

function check({ from, input_hex, errors: expected = [], repaired_hex }: Case): void {
  const input = bytesOf(input_hex);
  const first = expected[0] ?? null;
  expect(validate(input, from)).toEqual(first);
  expect(errors(input, from).map(bare)).toEqual(expected);
  if (repaired_hex !== undefined || expected.length === 0) {
    expect(hexOf(repair(input, { encoding: from }))).toBe(repaired_hex ?? input_hex);
  }
  for (let cut = 0; cut <= input.length; cut += 1) {
    using validator = new Validator(from);
    expect(validator.push(input.subarray(0, cut)) ?? validator.push(input.subarray(cut)) ?? validator.finish()).toEqual(
      first,
    );
    using checker = new Checker({ encoding: from });
    checker.push(input.subarray(0, cut));
    checker.push(input.subarray(cut));
    checker.finish();
    expect(checker.firstErrors().map(bare)).toEqual(expected);
    const { bytes, codePoints } = checker.counts();
    expect([bytes, codePoints]).toEqual([input.length, count(input, from) - expected.length]);
  }
}

function withoutMark({ from, input_hex, bom }: Case): Uint8Array {
  const input = bytesOf(input_hex);
  const [first] = explain(input, from);
  return bom === 'strip' && first?.codePoint === 0xfeff ? input.subarray(first.len) : input;
}

function conversion(one: Case): void {
  const { from, to, mode, output_hex, errors: expected = [] } = one;
  const input = withoutMark(one);
  if (mode === 'lossy') {
    expect(hexOf(convert(input, { from, to, policy: 'replace' }))).toBe(output_hex);
  } else if (expected.length > 0) {
    expect(failure(() => convert(input, { from, to }))).toEqual(expected[0]);
  } else {
    expect(hexOf(convert(input, { from, to }))).toBe(output_hex);
  }
}

function failure(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ConvertError);
    return (error as ConvertError).error;
  }
  throw new Error('did not fail');
}

function explanation({ from, input_hex, items = [] }: Case): void {
  const explained = explain(bytesOf(input_hex), from);
  const plain = explained.map(({ offset, len, codePoint, kind }) =>
    kind === null ? { offset, len, cp: codePoint } : { offset, len, kind },
  );
  expect(plain).toEqual(items);
  for (const { bytes, codePoint, payload, base } of explained) {
    const gathered = bytes.reduce((sum, byte) => sum + (byte.value % 2 ** byte.payload) * 2 ** byte.position, 0);
    expect(gathered).toBe(payload);
    if (codePoint !== null) expect(payload + base).toBe(codePoint);
  }
}

function stream(one: Case): void {
  const { from, to, mode, chunks = [], chunk_outputs_hex, output_hex, error_chunk, errors: expected = [] } = one;
  using converter = new Converter({ from, to, policy: mode === 'strict' ? 'strict' : 'replace' });
  let rest = withoutMark(one);
  const outputs: string[] = [];
  for (const [index, size] of [...chunks, 0].entries()) {
    const last = index === chunks.length;
    const step = () => hexOf(last ? converter.finish() : converter.push(rest.subarray(0, size)));
    if (error_chunk === undefined || index < error_chunk) {
      outputs.push(step());
    } else {
      expect(failure(step)).toEqual(expected[0]);
    }
    rest = rest.subarray(size);
  }
  expect(rest.length).toBe(0);
  if (chunk_outputs_hex !== undefined) expect(outputs).toEqual(chunk_outputs_hex.slice(0, outputs.length));
  if (output_hex !== undefined) expect(outputs.join('')).toBe(output_hex);
}
