// Tests the package bundled for servers and run without its files: by webpack, esbuild and Rollup, as ES modules and
// for `require`, in workers and in contexts of node:vm; inlined; its types; and the published package.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import resolve from '@rollup/plugin-node-resolve';
import { build, type BuildOptions } from 'esbuild';
import { rollup } from 'rollup';
import { afterAll, describe, expect, test } from 'vitest';
import webpack from 'webpack';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
// Entries are next to the tests, so that they find the package; bundles are run in an empty folder.
const entries = mkdtempSync(join(PACKAGE, 'test/fixture/servers-'));
const empty = realpathSync(mkdtempSync(join(tmpdir(), 'utf8kit-servers-')));
afterAll(() => [entries, empty].forEach((folder) => rmSync(folder, { recursive: true })));

const USE = `console.log(JSON.stringify([
  level(), errors(Uint8Array.of(97, 255)).length, new Decoder('sjis').decode(Uint8Array.of(0x93, 0xfa)),
  detect(Uint8Array.of(97)).encoding, new Document(Uint8Array.of(0x93, 0xfa), { encoding: 'sjis' }).text(),
]));
`;
const EXPECTED = '["simd128",1,"日","utf-8","日"]';

function entry(name: string, text: string): string {
  const file = join(entries, name);
  writeFileSync(file, text);
  return file;
}

const imports = entry(
  'imports.mjs',
  `import { Decoder, detect, errors, level } from 'utf8kit';\nimport { Document } from 'utf8kit/document';\n${USE}`,
);
const requires = entry(
  'requires.cjs',
  `const { Decoder, detect, errors, level } = require('utf8kit');\nconst { Document } = ` +
    `require('utf8kit/document');\n${USE}`,
);
const inlined = entry(
  'inlined.mjs',
  `import { errors, level, repair } from 'utf8kit/inline';\nconsole.log(JSON.stringify([level(), ` +
    `errors(Uint8Array.of(97, 255)).length, [...repair(Uint8Array.of(255))]]));\n`,
);

/** Runs a program in Node.js; returns its output. */
const run = (...args: string[]): string =>
  execFileSync(process.execPath, args, { cwd: empty, encoding: 'utf8' }).trim();

async function byEsbuild(file: string, name: string, options: BuildOptions): Promise<string> {
  const outfile = join(empty, name);
  await build({ entryPoints: [file], outfile, bundle: true, platform: 'node', logLevel: 'error', ...options });
  return outfile;
}

describe('bundled for Node.js', () => {
  test.each<[string, string, string, BuildOptions]>([
    ['ES modules, as such', imports, 'a.mjs', { format: 'esm' }],
    ['ES modules, as CommonJS', imports, 'b.cjs', { format: 'cjs' }],
    ['require, as CommonJS', requires, 'c.cjs', { format: 'cjs' }],
    ['ES modules, minified', imports, 'd.mjs', { format: 'esm', minify: true }],
  ])('by esbuild: %s', async (_, file, name, options) => {
    expect(run(await byEsbuild(file, name, options))).toBe(EXPECTED);
  });

  test.each([
    ['imports', imports],
    ['requires', requires],
  ])('by webpack: %s', async (name, file) => {
    await new Promise((done, failed) =>
      webpack(
        {
          mode: 'production',
          target: 'node',
          context: PACKAGE,
          entry: file,
          output: { path: empty, filename: `webpack-${name}.cjs` },
        },
        (error, stats) => ((error ?? stats?.hasErrors()) ? failed(error ?? new Error(stats!.toString())) : done(stats)),
      ),
    );
    expect(run(join(empty, `webpack-${name}.cjs`))).toBe(EXPECTED);
  });

  test('by Rollup', async () => {
    const bundle = await rollup({
      input: imports,
      external: /^node:/,
      plugins: [resolve({ exportConditions: ['node'] })],
      onwarn: () => undefined,
    });
    await bundle.write({ file: join(empty, 'rollup.mjs'), format: 'es' });
    expect(run(join(empty, 'rollup.mjs'))).toBe(EXPECTED);
  });

  test('in a worker, and in a context of node:vm', async () => {
    const file = await byEsbuild(requires, 'context.cjs', { format: 'cjs' });
    expect(run('--eval', `new (require('node:worker_threads').Worker)(${JSON.stringify(file)})`)).toBe(EXPECTED);
    const source = `require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8')`;
    const globals = '{ require, console, module: {}, exports: {} }';
    const context = `require('node:vm').runInNewContext(${source}, ${globals})`;
    expect(run('--eval', context)).toBe(EXPECTED);
  });
});

describe('inlined', () => {
  test.each<[string, BuildOptions]>([
    ['i.mjs', { format: 'esm', platform: 'browser' }],
    ['i.cjs', { format: 'cjs' }],
    ['i.js', { format: 'iife', platform: 'browser' }],
  ])('as %s', async (name, options) => {
    expect(run(await byEsbuild(inlined, name, options))).toBe('["simd128",1,[239,191,189]]');
  });

  test('110 kB or less, compressed', () => {
    expect(brotliCompressSync(readFileSync(`${PACKAGE}dist/inline.js`)).length).toBeLessThanOrEqual(110_000);
  });
});

describe('only for UTF-8', () => {
  test('15 kB or less, compressed', () => {
    expect(brotliCompressSync(readFileSync(`${PACKAGE}dist/utf8.js`)).length).toBeLessThanOrEqual(15_000);
  });

  test('validates and decodes like the whole package', async () => {
    const small = await import('utf8kit/utf8');
    const whole = await import('utf8kit');
    const long = new Uint8Array(200_000).fill(0x61);
    long[150_000] = 0xff;
    const cut = new Uint8Array(65_537).fill(0x61);
    cut.set([0xe2, 0x82, 0xac], 65_534);
    for (const bytes of [
      [],
      [0x61],
      [0xc0, 0xaf],
      [0xe2, 0x82],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0x80],
      [0x61, 0xff],
      long,
      cut,
    ].map((one) => Uint8Array.from(one))) {
      expect(small.validate(bytes)).toEqual(whole.validate(bytes));
      expect(new small.Decoder().decode(bytes)).toBe(new whole.Decoder().decode(bytes));
    }
    expect(() => new small.Decoder('sjis')).toThrow(RangeError);
    expect(() => new small.Decoder('utf8', { fatal: true }).decode(Uint8Array.of(0xff))).toThrow(TypeError);
    expect(() => small.validate('text' as never)).toThrow(TypeError);
  });
});

describe('types', () => {
  const program = `import { validate, Decoder, DecoderStream, RepairStream, type EncodingError } from 'utf8kit';
import { repair } from 'utf8kit/inline';
import wasm from 'utf8kit/utf8kit-simd128.wasm';
import { init } from 'utf8kit';
import { compare, Document, type Damage } from 'utf8kit/document';
export const damage: readonly Damage[] = compare(new Document(new Uint8Array()).toBytes(), new Uint8Array()).damage;
export const error: EncodingError | null = validate(new ArrayBuffer(1));
export const loaded: Promise<void> = init(wasm);
export const streams = [new DecoderStream().readable, new RepairStream().writable];
export const text: string = new Decoder('utf-8', { fatal: true }).decode(repair(new Uint8Array()));
`;
  // attw includes TypeScript 5.6.
  const here = createRequire(import.meta.url);
  const compilers = [here, createRequire(here.resolve('@arethetypeswrong/core'))].map((from) =>
    from.resolve('typescript/bin/tsc'),
  );
  const check = (tsc: string, files: string[], lib: string[]): string => {
    const options = {
      noEmit: true,
      strict: true,
      target: 'es2022',
      module: 'nodenext',
      lib,
      types: [],
      exactOptionalPropertyTypes: true,
    };
    const project = entry('tsconfig.json', JSON.stringify({ compilerOptions: options, files }));
    return spawnSync(process.execPath, [tsc, '--project', project], { encoding: 'utf8' }).stdout;
  };

  test.each(compilers)('%s, for import and require, with and without the types of browsers', (compiler) => {
    const files = ['types.mts', 'types.cts'].map((name) => entry(name, program));
    expect(check(compiler, files, ['es2022'])).toBe('');
    expect(check(compiler, files, ['es2022', 'dom'])).toBe('');
  });
});

/** Runs a tool installed by npm; returns its output. */
const tool = (name: string, ...args: string[]): string =>
  execFileSync('npx', ['--no-install', name, ...args], {
    cwd: PACKAGE,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

test('JSR accepts the package, with its types, in the version of npm', () => {
  interface Manifest {
    version: string;
    exports: Record<string, unknown>;
  }
  const read = (file: string): Manifest => JSON.parse(readFileSync(`${PACKAGE}${file}`, 'utf8')) as Manifest;
  const [jsr, npm] = [read('jsr.json'), read('package.json')];
  expect(jsr.version).toBe(npm.version);
  const programs = Object.keys(npm.exports).filter((entry) => !/\.(?:wasm|json)$/.test(entry));
  expect(Object.keys(jsr.exports)).toEqual(expect.arrayContaining(programs));
  // Slow types are an error of it, unless they are allowed.
  tool('deno', 'publish', '--dry-run', '--allow-dirty');
});

test('publint and attw find nothing', () => {
  expect(tool('publint', '--strict')).toContain('All good!');
  expect(tool('attw', '--pack', '.', '--no-emoji')).toContain('No problems found');
});
