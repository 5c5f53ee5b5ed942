// Tests that one bad call does not disable the next: large and hostile inputs, traps, memory, many streams.
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import {
  type Bytes,
  Checker,
  convert,
  Converter,
  count,
  describe as inWords,
  detect,
  errors,
  explain,
  outline,
  repair,
  validate,
  Validator,
} from 'utf8kit';

const HALF = 0.5 * 1024 ** 3;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The memory that arrays and modules use in this process. */
function used(): number {
  collect();
  const { arrayBuffers, external } = process.memoryUsage();
  return arrayBuffers + external;
}

const works = (): void => {
  expect(validate(Uint8Array.of(0x61, 0xff))).toEqual({ offset: 1, len: 1, kind: 'invalid_byte' });
  expect(repair(Uint8Array.of(0xff)).length).toBe(3);
};

describe('a large input of only errors', () => {
  test.each([20e6, 34e6, 200e6])('%d bytes', (length) => {
    const bytes = new Uint8Array(length).fill(0xff);
    const before = used();
    const found = errors(bytes);
    expect([found.length, found.at(-1)!.column]).toEqual([100_000, 100_000]);
    expect(validate(bytes)).toEqual({ offset: 0, len: 1, kind: 'invalid_byte' });
    expect(count(bytes)).toBe(length);
    works();
    expect(used() - before).toBeLessThan(32 * 1024 * 1024);
  });

  test('all of its errors, on request', () => {
    const found = errors(new Uint8Array(3e6).fill(0xff), 'utf-8', Infinity);
    expect([found.length, found.at(-1)]).toEqual([
      3e6,
      { offset: 3e6 - 1, len: 1, kind: 'invalid_byte', line: 1, column: 3e6 },
    ]);
    works();
  });

  test('repaired with a long replacement', () => {
    const bytes = new Uint8Array(50_000).fill(0x61);
    for (let at = 0; at < 1000; at += 1) bytes[50 * at] = 0xff;
    const replacement = 'é'.repeat(50_000);
    const repaired = repair(bytes, { replacement });
    expect(repaired.length).toBe(49_000 + 1000 * 100_000);
    expect([...repaired.subarray(0, 4), ...repaired.subarray(99_998, 100_002)]).toEqual([
      0xc3, 0xa9, 0xc3, 0xa9, 0xc3, 0xa9, 0x61, 0x61,
    ]);
    works();
    // Five gigabytes are more than an array can have.
    expect(() => repair(new Uint8Array(50_000).fill(0xff), { replacement })).toThrow(RangeError);
    works();
    const wide = convert(bytes, { to: 'utf-16le', policy: 'replace', replacement });
    expect(wide.length).toBe(2 * (49_000 + 1000 * 50_000));
  });
});

test('a trap starts a new instance: streams are closed, the next call works', async () => {
  const { library } = await import('../dist/library.js');
  const { Instance } = WebAssembly;
  const memories: WebAssembly.Memory[] = [];
  WebAssembly.Instance = class extends Instance {
    constructor(module: WebAssembly.Module) {
      super(module);
      memories.push(this.exports.memory as WebAssembly.Memory);
    }
  };
  try {
    library.running.lost = true;
    const validator = new Validator();
    const memory = memories.at(-1);
    const started = memories.length;
    // Use up the 4 GiB that a module can have, so that its allocator traps. Nothing touches that memory.
    memory!.grow(65_536 - memory!.buffer.byteLength / 65_536);
    const many: Checker[] = [];
    expect(() => {
      for (;;) many.push(new Checker({ countCodePoints: true }));
    }).toThrow(/out of memory/);
    works();
    expect(memories).toHaveLength(started + 1);
    expect(() => validator.push(Uint8Array.of(0x61))).toThrow(TypeError);
    for (const checker of many) checker.close();
    validator.close();
    works();
  } finally {
    WebAssembly.Instance = Instance;
  }
});

test('memory is released after a large input', async () => {
  const before = used();
  explain(new Uint8Array(262_144).fill(0xff));
  using checker = new Checker({ countCodePoints: true, keep: Infinity });
  checker.push(new Uint8Array(1e6).fill(0x41));
  checker.close();
  // The engine frees the memory of a module in a later task than the one that finds it unused.
  used();
  await setTimeout(50);
  expect(used() - before).toBeLessThan(16 * 1024 * 1024);
  works();
});

// In quadratic time, it would exceed the time limit of a test.
test('200,000 checkers are open at once, and close in any order', () => {
  const all = Array.from({ length: 200_000 }, () => new Checker());
  for (const checker of all.filter((_, place) => place % 2 === 1)) checker.close();
  const [first] = all;
  first!.push(Uint8Array.of(0xff));
  first!.finish();
  expect(first!.firstErrors()).toHaveLength(1);
  for (const checker of all) checker.close();
  works();
});

describe('arguments', () => {
  const broken = Uint8Array.of(0x61, 0xff);
  const takers: Record<string, (bytes: Bytes) => unknown> = {
    validate,
    errors,
    count,
    repair,
    explain,
    outline,
    detect,
    describe: (bytes) => inWords(bytes),
    convert: (bytes) => convert(bytes, { from: 'latin1' }),
    'convert from Shift_JIS': (bytes) => convert(bytes, { from: 'Shift_JIS' }),
    'validate Shift_JIS': (bytes) => validate(bytes, 'shift_jis'),
    Validator: (bytes) => new Validator().push(bytes),
    Checker: (bytes) => new Checker().push(bytes),
    Converter: (bytes) => new Converter({ policy: 'replace' }).push(bytes),
  };

  test.each(Object.entries(takers))('%s throws at detached buffers', (_, take) => {
    const buffer = new ArrayBuffer(8);
    const views = [
      new Uint8Array(buffer),
      new Uint8Array(buffer, 2, 2),
      new DataView(buffer),
      new Float64Array(buffer),
      buffer,
    ];
    structuredClone(buffer, { transfer: [buffer] });
    for (const view of views) expect(() => take(view), view.constructor.name).toThrow(TypeError);
    take(new Uint8Array());
    take(new ArrayBuffer(0));
  });

  test('limits', () => {
    for (const limit of [-1, -Infinity, NaN, '5' as unknown as number]) {
      expect(() => errors(broken, 'utf-8', limit)).toThrow(RangeError);
      expect(() => new Checker({ keep: limit })).toThrow(RangeError);
    }
    expect(errors(broken, 'utf-8', 0)).toEqual([]);
  });

  test('missing options', () => {
    expect(() => convert(broken, undefined as never)).toThrow(/\{ from, to \}/);
    expect(() => convert(broken, null as never)).toThrow(TypeError);
  });
});

test('half a gigabyte of clean text', () => {
  const text = new Uint8Array(HALF).fill(0x61);
  expect(validate(text)).toBeNull();
  expect(errors(text)).toEqual([]);
  works();
});
