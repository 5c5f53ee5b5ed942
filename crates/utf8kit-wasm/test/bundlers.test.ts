// Tests the package bundled by Vite, webpack, Parcel, esbuild and Rollup in a browser; bundled by wrangler, in
// Cloudflare's runtime; in Deno and in Bun, also compiled into a program; and with `require`.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from '@playwright/test';
import resolve from '@rollup/plugin-node-resolve';
import { build as esbuild } from 'esbuild';
import { Miniflare } from 'miniflare';
import { rollup } from 'rollup';
import { build as vite } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import webpack from 'webpack';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const ENTRY = `${HERE}fixture/app.js`;
const FILES = ['utf8kit.wasm', 'utf8kit-simd128.wasm', 'utf8kit-detect.wasm', 'utf8kit-document.wasm'];
const EXPECTED = {
  level: 'simd128',
  errors: ['overlong', 'unexpected_continuation'],
  repaired: 'a??',
  legacy: '日',
  document: [0x43, 0xe9, 0x0d, 0x0a],
  damage: ['replaced'],
  restored: [0x43, 0x63, 0xe9, 0x0a],
};
const folder = mkdtempSync(join(tmpdir(), 'utf8kit-'));

/** Runs a tool installed by npm; returns its output. */
function tool(name: string, args: string[], cwd: string = PACKAGE): string {
  const env = { ...process.env, NODE_ENV: 'production', WRANGLER_SEND_METRICS: 'false', DENO_NO_UPDATE_CHECK: '1' };
  const program = join(PACKAGE, '../../node_modules/.bin', name);
  return execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** The bundlers, which write app.js to a folder, and whether they find the modules by themselves. */
const bundlers: Record<string, { finds: boolean; bundle: (into: string) => Promise<unknown> }> = {
  vite: {
    finds: true,
    bundle: (into) =>
      vite({
        configFile: false,
        root: `${HERE}fixture`,
        base: './',
        logLevel: 'error',
        build: {
          outDir: into,
          target: 'es2022',
          rollupOptions: { input: ENTRY, output: { entryFileNames: 'app.js' }, preserveEntrySignatures: 'strict' },
        },
      }),
  },
  webpack: {
    finds: true,
    bundle: (into) =>
      new Promise((done, failed) =>
        webpack(
          {
            mode: 'production',
            target: 'web',
            context: HERE,
            entry: ENTRY,
            output: { path: into, filename: 'app.js', publicPath: 'auto' },
          },
          (error, stats) =>
            (error ?? stats?.hasErrors()) ? failed(error ?? new Error(stats!.toString())) : done(stats),
        ),
      ),
  },
  parcel: {
    finds: true,
    bundle: async (into) => {
      const project = join(HERE, 'fixture/parcel');
      mkdirSync(project, { recursive: true });
      // README.md's option for Parcel is in the package.json of the workspace; this one only marks the package's root.
      writeFileSync(join(project, 'package.json'), '{ "private": true }');
      writeFileSync(join(project, 'index.html'), '<!doctype html><script type="module" src="./app.js"></script>');
      cpSync(ENTRY, join(project, 'app.js'));
      const options = [
        '--dist-dir',
        into,
        '--public-url',
        './',
        '--no-cache',
        '--cache-dir',
        `${into}-cache`,
        '--no-source-maps',
      ];
      tool('parcel', ['build', 'index.html', ...options], project);
      rmSync(project, { recursive: true });
    },
  },
  esbuild: {
    finds: false,
    bundle: (into) =>
      esbuild({
        entryPoints: [ENTRY],
        bundle: true,
        platform: 'browser',
        format: 'esm',
        outfile: join(into, 'app.js'),
      }),
  },
  rollup: {
    finds: false,
    bundle: async (into) =>
      (await rollup({ input: ENTRY, plugins: [resolve({ browser: true })] })).write({
        file: join(into, 'app.js'),
        format: 'es',
      }),
  },
};

let server: Server;
let browser: Browser;
let origin: string;

beforeAll(async () => {
  const types: Record<string, string> = { '.js': 'text/javascript', '.html': 'text/html', '.wasm': 'application/wasm' };
  server = createServer((request, response) => {
    const path = join(folder, new URL(request.url!, 'http://x').pathname);
    if (!existsSync(path)) return void response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': types[extname(path)] ?? 'text/plain' }).end(readFileSync(path));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
});

afterAll(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true });
});

type Run = {
  run: (wasm?: string, documents?: string) => Promise<object>;
  differences: (wasm?: string) => Promise<string[]>;
};

async function bundled(name: string) {
  const { bundle } = bundlers[name]!;
  const into = join(folder, name);
  await bundle(into);
  const hasPage = existsSync(join(into, 'index.html'));
  if (!hasPage)
    writeFileSync(join(into, 'index.html'), '<!doctype html><script type="module" src="./app.js"></script>');
  const page = await browser.newPage();
  await page.goto(`${origin}/${name}/index.html`);
  return { into, page };
}

describe.each(Object.keys(bundlers))('%s', (name) => {
  test('bundles it, and it runs in the browser', async () => {
    const { into, page } = await bundled(name);
    // esbuild and Rollup leave `new URL(..., import.meta.url)` unchanged, so the file is copied, or its URL is passed.
    if (!bundlers[name]!.finds) {
      cpSync(`${PACKAGE}dist/utf8kit-simd128.wasm`, join(into, 'named.wasm'));
      cpSync(`${PACKAGE}dist/utf8kit-document.wasm`, join(into, 'documents.wasm'));
      const named = await page.evaluate(() => (globalThis as unknown as Run).run('./named.wasm', './documents.wasm'));
      expect(named).toMatchObject(EXPECTED);
      await page.reload();
      for (const file of FILES) cpSync(`${PACKAGE}dist/${file}`, join(into, file));
    }
    const result = await page.evaluate(() => (globalThis as unknown as Run).run());
    expect(result).toMatchObject({ ...EXPECTED, early: 'utf8kit is not loaded: await init() first' });
    await page.close();
  });
});

/** The bundlers for Node.js, which write app.mjs to a folder. */
const forNode: Record<string, (into: string) => Promise<unknown>> = {
  esbuild: (into) =>
    esbuild({ entryPoints: [ENTRY], bundle: true, platform: 'node', format: 'esm', outfile: join(into, 'app.mjs') }),
  rollup: async (into) =>
    (
      await rollup({
        input: ENTRY,
        external: /^node:/,
        plugins: [resolve({ exportConditions: ['node'], preferBuiltins: true })],
      })
    ).write({ file: join(into, 'app.mjs'), format: 'es' }),
};

test.each(Object.keys(forNode))('%s bundles it for Node.js, including the modules', async (name) => {
  const into = join(folder, `node-${name}`);
  await forNode[name]!(into);
  const program = `import './app.mjs'; console.log(JSON.stringify(await globalThis.run()));`;
  writeFileSync(join(into, 'run.mjs'), program);
  const answer = execFileSync(process.execPath, ['run.mjs'], { cwd: into, encoding: 'utf8' });
  expect(JSON.parse(answer)).toMatchObject({ ...EXPECTED, early: 'worked' });
});

test("the legacy tables match the browser's", async () => {
  const { page } = await bundled('vite');
  const found = await page.evaluate(async () => {
    await (globalThis as unknown as Run).run();
    return (globalThis as unknown as Run).differences();
  });
  // Chromium loses its place after these two leads, where the standard has one error or two code points.
  expect(found.filter((difference) => !/^(big5 88|euc-jp a1):/.test(difference))).toEqual([]);
  await page.close();
});

test('a failed load can be retried, and reports what failed', async () => {
  const { page } = await bundled('vite');
  const outcome = await page.evaluate(async () => {
    const { run } = globalThis as unknown as Run;
    const failed = await run('./missing.wasm').catch((error: Error) => error.message);
    return [failed, await run()];
  });
  expect(outcome).toEqual([expect.stringContaining('missing.wasm answered 404'), expect.objectContaining(EXPECTED)]);
  await page.close();
});

test('require', () => {
  const program =
    "const { level, errors } = require('utf8kit'); console.log(JSON.stringify([level(), errors(new " +
    'Uint8Array([0x61, 0xff]).buffer)]))';
  const answer = execFileSync(process.execPath, ['--input-type=commonjs', '--eval', program], {
    cwd: PACKAGE,
    encoding: 'utf8',
  });
  expect(JSON.parse(answer)).toEqual(['simd128', [{ offset: 1, len: 1, kind: 'invalid_byte', line: 1, column: 2 }]]);
});

test('the archive', () => {
  const [{ files }] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json'], {
      cwd: PACKAGE,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'README.md',
      'LICENSE-APACHE',
      'LICENSE-MIT',
      ...FILES.map((file) => `dist/${file}`),
      'dist/cjs/node.js',
    ]),
  );
  expect(paths.filter((path) => !/^(dist\/|README\.md$|LICENSE-|package\.json$)/.test(path))).toEqual([]);
});

describe('in', () => {
  const project = join(HERE, 'fixture/runtimes');
  const program = join(project, 'program.mjs');
  const expected = 'simd128 日 Caf\\xe9';

  beforeAll(() => {
    mkdirSync(project, { recursive: true });
    writeFileSync(
      program,
      `import { Decoder, level } from 'utf8kit';
import { Document } from 'utf8kit/document';
const document = new Document(Uint8Array.of(0x63, 0x61, 0x66, 0xe9), { encoding: 'latin1' });
document.replace(0, 1, 'C');
const bytes = Array.from(document.toBytes(), (byte) =>
  byte < 128 ? String.fromCharCode(byte) : '\\\\x' + byte.toString(16));
console.log(level(), new Decoder('sjis').decode(Uint8Array.of(0x93, 0xfa)), bytes.join(''));
`,
    );
  });
  afterAll(() => rmSync(project, { recursive: true }));

  test('Deno, without a permission to read', () => {
    expect(tool('deno', ['run', '--node-modules-dir=manual', program])).toBe(expected);
  });

  test('Bun', () => {
    expect(tool('bun', ['run', program])).toBe(expected);
  });

  test('Bun, compiled', () => {
    const compiled = join(folder, 'compiled');
    tool('bun', ['build', '--compile', program, '--outfile', compiled]);
    expect(execFileSync(compiled, { cwd: folder, encoding: 'utf8' }).trim()).toBe(expected);
  });

  test('Cloudflare Workers, bundled by wrangler', async () => {
    writeFileSync(
      join(project, 'worker.mjs'),
      `import { init, level, validate } from 'utf8kit';
import { Document, init as initDocuments } from 'utf8kit/document';
import library from 'utf8kit/utf8kit-simd128.wasm';
import documents from 'utf8kit/utf8kit-document.wasm';
export default {
  async fetch() {
    const early = await init().then(() => 'worked', (error) => error.message);
    await init(library);
    await initDocuments(documents);
    const text = new Document(Uint8Array.of(0x93, 0xfa), { encoding: 'sjis' }).text();
    return Response.json([level(), validate(Uint8Array.of(0xff)).kind, text, early.includes('await init(wasm)')]);
  },
};
`,
    );
    const into = join(folder, 'worker');
    const options = ['--dry-run', '--outdir', into, '--name', 'utf8kit', '--compatibility-date', '2025-01-01'];
    tool('wrangler', ['deploy', 'worker.mjs', ...options], project);
    const modules = readdirSync(into).filter((file) => /\.(?:js|mjs|wasm)$/.test(file));
    modules.sort((a) => (a.startsWith('worker.') ? -1 : 1));
    const worker = new Miniflare({
      compatibilityDate: '2025-01-01',
      modulesRoot: into,
      modules: modules.map((file) => {
        const type = file.endsWith('.wasm') ? ('CompiledWasm' as const) : ('ESModule' as const);
        return { type, path: join(into, file) };
      }),
    });
    try {
      const answer = await worker.dispatchFetch('http://localhost/');
      expect(await answer.json()).toEqual(['simd128', 'invalid_byte', '日', true]);
    } finally {
      await worker.dispose();
    }
  });
});
