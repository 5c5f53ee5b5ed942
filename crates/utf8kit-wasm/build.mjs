// Builds the package into dist/: the library for WebAssembly with simd128 and without, the legacy encodings, and the
// JavaScript, as ES modules and for `require`. Needs the target that rustup adds or, where the compiler is the
// system's, the source of Rust's standard library (rust-web-src or rust-src).
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const target = 'wasm32-unknown-unknown';
const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

function run(program, args, env = {}) {
  const { status, stdout, error } = spawnSync(program, args, {
    cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env },
  });
  if (error ?? status) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `status ${status}`}\n${stdout ?? ''}`);
  return stdout.trim();
}

const rustc = process.env.RUSTC ?? 'rustc';
const installed = existsSync(run(rustc, ['--print', 'target-libdir', '--target', target]));
const source = installed ? [] : ['-Z', 'build-std=std,panic_abort'];
const targetFolder = JSON.parse(run('cargo', ['metadata', '--no-deps', '--format-version', '1'])).target_directory;

mkdirSync(`${here}dist`, { recursive: true });
for (const [name, crate, flags] of [
  ['utf8kit-simd128', 'utf8kit-wasm', '-C target-feature=+simd128'],
  ['utf8kit', 'utf8kit-wasm', ''],
  ['utf8kit-text', 'utf8kit-wasm-text', ''],
]) {
  const folder = `${targetFolder}/${flags ? 'utf8kit-simd128' : 'utf8kit'}`;
  run('cargo', ['build', '--quiet', '--release', '--package', crate, '--target', target, '--target-dir', folder, ...source], {
    RUSTFLAGS: flags,
    ...(name === 'utf8kit-text' ? { CARGO_PROFILE_RELEASE_OPT_LEVEL: 's' } : {}),
    ...(installed ? {} : { RUSTC_BOOTSTRAP: '1', CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: linker() }),
  });
  const built = readFileSync(`${folder}/${target}/release/${crate.replaceAll('-', '_')}.wasm`);
  writeFileSync(`${here}dist/${name}.wasm`, built);
  console.log(`${name}.wasm: ${built.length} bytes, compressed ${gzipSync(built, { level: 9 }).length}`);
}

run(process.execPath, [createRequire(import.meta.url).resolve('typescript/bin/tsc'), '--project', here]);
await commonJs();
for (const licence of ['LICENSE-APACHE', 'LICENSE-MIT']) copyFileSync(`${root}${licence}`, `${here}${licence}`);

/** One file for `require`, and its types, which TypeScript reads as CommonJS in a folder that says so. */
async function commonJs() {
  const folder = `${here}dist/cjs`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  await build({
    entryPoints: [`${here}dist/node.js`], outfile: `${folder}/node.js`,
    bundle: true, platform: 'node', format: 'cjs', target: 'node20',
    define: { 'import.meta.url': 'entry' },
    banner: { js: "const entry = require('node:url').pathToFileURL(__dirname);" },
  });
  writeFileSync(`${folder}/package.json`, '{ "type": "commonjs" }\n');
  for (const name of readdirSync(`${here}dist`)) if (name.endsWith('.d.ts')) cpSync(`${here}dist/${name}`, `${folder}/${name}`);
}

/** The system's compiler comes without a linker for WebAssembly: that of LLVM, or of the compiler of rustup. */
function linker() {
  const programs = (process.env.PATH ?? '').split(':').flatMap((folder) => ['rust-lld', 'wasm-ld', 'wasm-ld-19', 'wasm-ld-16', 'wasm-ld-14'].map((name) => `${folder}/${name}`));
  const inToolchain = `${run(rustc, ['--print', 'sysroot'])}/lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld`;
  const found = [...programs, inToolchain].find((file) => existsSync(file));
  if (!found) throw new Error('no linker for WebAssembly: rustup target add wasm32-unknown-unknown, or apt-get install lld');
  return found;
}
