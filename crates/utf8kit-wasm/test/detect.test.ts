// Tests `utf8kit/detect`: encodings and mojibake; the command `utf8kit`; the download sizes.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { candidates, detect, fixMojibake, language, misread, readability, readNames } from 'utf8kit/detect';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

test('an encoding, with certainty and alternatives', () => {
  const bytes = Buffer.from('cff0e8e2e5f22c20ece8f02120ddf2ee20f2e5eaf1f22e', 'hex');
  const { encoding, certainty, alternatives, evidence } = detect(bytes);
  expect(encoding).toBe('windows-1251');
  expect(['certain', 'likely']).toContain(certainty);
  expect(alternatives).toBeInstanceOf(Array);
  expect(evidence.length).toBeGreaterThan(0);
  expect(candidates(bytes)[0]!.encoding).toBe('windows-1251');
  expect(detect(Buffer.from('504b0304140000000800d9b2775b000000009a00000000000000030000', 'hex')).encoding).toBeNull();
});

test('candidates for garbled text, the likeliest first, with how it was garbled', () => {
  const [first, second] = misread('schÃ¶n und groÃŸ');
  expect(first!.text).toBe('schön und groß');
  expect(first!.how).toEqual([{ meant: 'utf-8', read: 'windows-1252' }]);
  expect(first!.nats).toBeGreaterThan(second!.nats);
  expect(misread('Ã\u{192}Â¼ber')[0]!.how).toHaveLength(2);
  expect(misread('Zo\\u00c3\\u00ab')[0]!.text).toBe('Zoë');
  expect(misread('plain')).toEqual(expect.any(Array));
  expect([readability('All of it is plain text.'), readability('xQ~z}k§JvW{qZ#¶pXw|ƒkVj@zq±Ky')]).toEqual([1, 0]);
  expect(fixMojibake('cafÃ©\nplain é\n')).toBe('café\nplain é\n');
  expect(fixMojibake('naïve')).toBe('naïve');
  expect(() => fixMojibake(1 as unknown as string)).toThrow(TypeError);
  expect(createRequire(import.meta.url)('utf8kit/detect').fixMojibake('cafÃ©')).toBe('café');
});

test('the language of a text, and names as they were meant', () => {
  expect(language('Grüße aus Köln, das Wetter ist schön')).toBe('de');
  expect(language('x = 1')).toBeNull();
  const stored = ['Größe.txt', 'Übersicht 2019.pdf', 'plain.txt'].map((name) => Buffer.from(name, 'latin1'));
  const [first, second, plain, utf8] = readNames([...stored, Buffer.from('Straße.txt')]);
  expect(first).toMatchObject({ encoding: 'windows-1252', text: 'Größe.txt' });
  expect(second!.text).toBe('Übersicht 2019.pdf');
  expect([plain, utf8]).toEqual([null, null]);
  expect(readNames([])).toEqual([]);
  // Names beyond the memory of one call are left alone.
  expect(readNames([Buffer.alloc(300_000, 0xe9)])).toEqual([null]);
});

test('the command checks, names encodings and undoes mojibake, without Rust', () => {
  const folder = mkdtempSync(join(tmpdir(), 'utf8kit-'));
  const file = (name: string, bytes: Uint8Array): string => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const good = file('good.txt', Buffer.from('Grüße\n'));
  const bad = file('bad.txt', Buffer.from('one\ncaf\xe9 \xc0\xaf\n', 'latin1'));
  const twice = file('twice.txt', Buffer.from('GrÃ¼ÃŸe aus KÃ¶ln\n'));
  const run = (...args: string[]) => spawnSync(process.execPath, [`${dist}cli.js`, ...args], { encoding: 'utf8' });
  expect(run('check', good)).toMatchObject({ status: 0, stdout: `${good}: well-formed, 6 code points\n` });
  const checked = run('check', good, bad);
  expect(checked.status).toBe(1);
  expect(checked.stdout).toContain(`${bad}:2:4: truncated sequence, 1 byte at byte 7\n`);
  expect(checked.stdout).toContain(`${bad}: 3 errors\n`);
  expect(checked.stdout).toContain(`${bad}:2:7: unexpected continuation byte, 1 byte at byte 10\n`);
  expect(checked.stdout).not.toContain('_');
  expect(run('detect', twice).stdout).toContain('utf-8, encoded twice through windows-1252');
  const german = file('german.txt', Buffer.from('Schöne Grüße aus Köln, das Wetter ist heute gut\n', 'latin1'));
  expect(run('detect', german).stdout).toMatch(/: windows-1252, .*; language de\n$/);
  expect(run('fix-mojibake', twice).stdout).toBe('Grüße aus Köln\n');
  expect(run('fix-mojibake', bad)).toMatchObject({ status: 2, stdout: '' });
  expect(run('check', join(folder, 'none'))).toMatchObject({ status: 2 });
  expect(run('nonsense')).toMatchObject({ status: 2, stdout: '' });
  expect(execFileSync(process.execPath, [`${dist}cli.js`, 'check', '-'], { input: 'x', encoding: 'utf8' })).toContain(
    'well-formed',
  );
});

test('downloads are small enough for a page, and README.md has their sizes', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  for (const [file, most] of [
    ['utf8.js', 60_000],
    ['utf8kit.wasm', 110_000],
    ['utf8kit-simd128.wasm', 160_000],
    ['utf8kit-detect.wasm', 940_000],
    ['utf8kit-document.wasm', 1_150_000],
  ] as const) {
    const size = gzipSync(readFileSync(dist + file), { level: 9 }).length;
    expect(size, file).toBeLessThanOrEqual(most);
    const said = Number(new RegExp(`\`${file}\` \\| \\d+ k \\| (\\d+) k`).exec(readme)?.[1]);
    expect(said, file).toBe(Math.round(size / 1000));
  }
});
