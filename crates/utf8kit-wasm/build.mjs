// Builds the library for WebAssembly twice, with simd128 and without, into dist/: by the target that rustup adds, or,
// where the compiler is the system's, by the source of Rust's standard library (rust-web-src or rust-src).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const target = 'wasm32-unknown-unknown';
const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

function run(program, args, env = {}) {
  const { status, stdout, error } = spawnSync(program, args, {
    cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env },
  });
  if (error ?? status) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `status ${status}`}`);
  return stdout.trim();
}

const rustc = process.env.RUSTC ?? 'rustc';
const installed = existsSync(run(rustc, ['--print', 'target-libdir', '--target', target]));
const source = installed ? [] : ['-Z', 'build-std=std,panic_abort'];
const targetFolder = JSON.parse(run('cargo', ['metadata', '--no-deps', '--format-version', '1'])).target_directory;

mkdirSync(`${here}dist`, { recursive: true });
for (const [name, flags] of [['utf8kit-simd128', '-C target-feature=+simd128'], ['utf8kit', '']]) {
  const folder = `${targetFolder}/${name}`;
  run('cargo', ['build', '--quiet', '--release', '--package', 'utf8kit-wasm', '--target', target, '--target-dir', folder, ...source], {
    RUSTFLAGS: flags,
    ...(installed ? {} : { RUSTC_BOOTSTRAP: '1', CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: linker() }),
  });
  const built = readFileSync(`${folder}/${target}/release/utf8kit_wasm.wasm`);
  const compressed = gzipSync(built, { level: 9 });
  writeFileSync(`${here}dist/${name}.wasm.gz`, compressed);
  console.log(`${name}.wasm: ${built.length} bytes, compressed ${compressed.length}`);
}

/** The system's compiler comes without a linker for WebAssembly: that of LLVM, or of the compiler of rustup. */
function linker() {
  const programs = (process.env.PATH ?? '').split(':').flatMap((folder) => ['rust-lld', 'wasm-ld', 'wasm-ld-19', 'wasm-ld-16', 'wasm-ld-14'].map((name) => `${folder}/${name}`));
  const inToolchain = `${run(rustc, ['--print', 'sysroot'])}/lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld`;
  const found = [...programs, inToolchain].find((file) => existsSync(file));
  if (!found) throw new Error('no linker for WebAssembly: rustup target add wasm32-unknown-unknown, or apt-get install lld');
  return found;
}
