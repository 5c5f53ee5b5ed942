// Builds the package into dist/: the modules of the crate, the library with simd128 and without, and the JavaScript, as
// ES modules and for `require`. Needs the target that rustup adds or, where the compiler is the system's, the source of
// Rust's standard library (rust-web-src or rust-src).
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const target = 'wasm32-unknown-unknown';
const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

function run(program, args) {
  const { status, stdout, error } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error ?? status)
    throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `status ${status}`}\n${stdout ?? ''}`);
  return stdout.trim();
}

const rustc = process.env.RUSTC ?? 'rustc';
const installed = existsSync(run(rustc, ['--print', 'target-libdir', '--target', target]));
const source = installed ? [] : ['-Z', 'build-std=std,panic_abort'];
const targetFolder = JSON.parse(run('cargo', ['metadata', '--no-deps', '--format-version', '1'])).target_directory;

mkdirSync(`${here}dist`, { recursive: true });
const SIMD = { RUSTFLAGS: '-C target-feature=+simd128' };
const SMALL = { CARGO_PROFILE_RELEASE_OPT_LEVEL: 's' };
// These are fast enough without. For detection, this saves 17 kB, compressed, and costs a tenth of the speed.
const SMALLER = ['encodings', 'detect', 'document'].flatMap((name) => [
  '--config',
  `profile.release.package.utf8kit-${name}.opt-level="z"`,
]);
// Each module has one feature of the crate, and each build configuration a folder. Inlined modules are downloaded with
// every page, and compiled for size.
await Promise.all([
  compile('utf8kit-simd128', 'library', SIMD, 'utf8kit-simd128').then(() =>
    compile('utf8kit-inline', 'library', { ...SIMD, ...SMALL }, 'utf8kit-inline'),
  ),
  compile('utf8kit', 'library', {}, 'utf8kit')
    .then(() => compile('utf8kit-small', 'detect', SMALL, 'utf8kit-detect', SMALLER))
    .then(() => compile('utf8kit-small', 'document', SMALL, 'utf8kit-document', SMALLER))
    .then(() => compile('utf8kit-small', 'utf8', SMALL)),
]);

/** Compiles a feature of the crate in a folder of the target directory, and takes the module to dist. */
async function compile(folder, feature, env, name = `utf8kit-${feature}`, more = []) {
  const what = ['--package', 'utf8kit-wasm', '--no-default-features', '--features', feature];
  const where = ['--target', target, '--target-dir', `${targetFolder}/${folder}`];
  const args = ['build', '--quiet', '--release', ...what, ...where, ...source, ...more];
  const tools = installed ? {} : { RUSTC_BOOTSTRAP: '1', CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: linker() };
  const cargo = spawn('cargo', args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, RUSTFLAGS: '', ...tools, ...env },
  });
  const [status] = await once(cargo, 'close');
  if (status !== 0) throw new Error(`cargo ${args.join(' ')}: status ${status}`);
  const built = readFileSync(`${targetFolder}/${folder}/${target}/release/utf8kit_wasm.wasm`);
  writeFileSync(`${here}dist/${name}.wasm`, built);
  console.log(`${name}.wasm: ${built.length} bytes, compressed ${gzipSync(built, { level: 9 }).length}`);
}

const module = (name) => readFileSync(`${here}dist/${name}.wasm`);
await names();
pack();
run(process.execPath, [createRequire(import.meta.url).resolve('typescript/bin/tsc'), '--project', here]);
await commonJs();
await inOneFile();
selfTypes();
sizes();
for (const licence of ['LICENSE-APACHE', 'LICENSE-MIT']) copyFileSync(`${root}${licence}`, `${here}${licence}`);

/** Writes the names of the modules to js/names.ts, so that TypeScript knows them. */
async function names() {
  const listed = async (name, of) => {
    const { exports } = (await WebAssembly.instantiate(module(name))).instance;
    const { names, repair_names, damage_names } = exports;
    (names ?? repair_names ?? damage_names)(of);
    const bytes = new Uint8Array(exports.memory.buffer, exports.output(), exports.output_len());
    return new TextDecoder()
      .decode(bytes)
      .split('\n')
      .map((known) => `'${known}'`);
  };
  const list = async (constant, type, all, one, name, of) =>
    `/** ${all} */\nexport const ${constant} = [${(await listed(name, of)).join(', ')}] as const;\n\n` +
    `/** ${one} */\nexport type ${type} = (typeof ${constant})[number];\n`;
  const single = await listed('utf8kit', 4);
  const repairs = (await listed('utf8kit-detect'))
    .filter((name) => !single.includes(name))
    .map((name) => name.replace(/'(.*=)LABEL'/, '`$1${string}`'));
  const lists = [
    await list('ENCODINGS', 'Encoding', 'All encodings of the library, in its order.', 'One of them.', 'utf8kit', 1),
    await list('DIALECTS', 'Dialect', 'The dialects of UTF-8.', 'One of them.', 'utf8kit', 2),
    await list('ERROR_KINDS', 'ErrorKind', 'All kinds of errors.', 'One of them.', 'utf8kit', 3),
    await list('POLICIES', 'Policy', 'All policies for single errors.', 'One of them.', 'utf8kit', 4),
    `/** The repairs that need tables: see \`RepairOptions\`. */\nexport type Repair = ${repairs.join(' | ')};\n`,
    await list('DAMAGE_KINDS', 'DamageKind', 'All kinds of damage.', 'One of them.', 'utf8kit-document', 0),
  ];
  writeFileSync(`${here}js/names.ts`, `// Written by build.mjs: what the modules call things.\n${lists.join('\n')}`);
}

/** Writes the modules as JavaScript: compressed for Node.js, and as text, for bundles. */
function pack() {
  const packed = (...names) =>
    names.map((name) => {
      const small = brotliCompressSync(module(name), { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } });
      return `'${name}.wasm':'${small.toString('base64')}'`;
    });
  const write = (name, modules) => {
    writeFileSync(`${here}dist/${name}.js`, `export const MODULES = {${modules.join(',')}};\n`);
    declare(name, 'MODULES', 'Record<string, string>', 'The modules by file name: compressed by brotli, in base64.');
  };
  write('packed', packed('utf8kit-simd128', 'utf8kit'));
  write('packed-detect', packed('utf8kit-detect'));
  write('packed-document', packed('utf8kit-document'));
  const inlined = [
    ['SIMD128', 'utf8kit-inline'],
    ['UTF8', 'utf8kit-utf8'],
  ].map(([constant, name]) => `export const ${constant} = '${letters(module(name))}';\n`);
  writeFileSync(`${here}dist/inlined.js`, inlined.join(''));
  declare('inlined', 'SIMD128, UTF8', 'string', 'Modules as text, which `unpacked` in bytes.ts reads.');
  for (const name of ['inline', 'utf8']) rmSync(`${here}dist/utf8kit-${name}.wasm`);
}

/** Writes the types of a module of constants where TypeScript finds them. */
function declare(name, constants, type, what) {
  const each = constants.split(', ').map((constant) => `export declare const ${constant}: ${type};\n`);
  writeFileSync(`${here}js/${name}.d.ts`, `// Written by build.mjs: ${what}\n${each.join('')}`);
}

/**
 * Writes each byte as two letters: A to P and a to p. Because the two halves of a byte look different, Brotli's result
 * is 2 % smaller than for hexadecimal, and 35 % smaller than for base64.
 */
function letters(bytes) {
  const letter = (first, value) => String.fromCharCode(first.charCodeAt(0) + value);
  return Array.from(bytes, (byte) => letter('A', byte >> 4) + letter('a', byte & 15)).join('');
}

/** Bundles each inlined entry into one file, for content delivery networks. */
async function inOneFile() {
  const entryPoints = ['inline', 'utf8'].map((name) => `${here}dist/${name}.js`);
  await build({
    entryPoints,
    outdir: `${here}dist`,
    allowOverwrite: true,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
  });
}

/** Names the types of each file in it, as JSR requires. JSR rejects types that extend global ones. */
function selfTypes() {
  const files = readdirSync(`${here}dist`).filter((name) => name.endsWith('.js'));
  for (const file of files) {
    let types = file.replace(/\.js$/, '.d.ts');
    if (!existsSync(`${here}dist/${types}`)) continue;
    const declared = readFileSync(`${here}dist/${types}`, 'utf8');
    const own = declared.replace(/^declare global \{\n[^]*?^\}\n/m, '');
    if (own !== declared) {
      types = file.replace(/\.js$/, '.jsr.d.ts');
      writeFileSync(`${here}dist/${types}`, own);
    }
    const program = readFileSync(`${here}dist/${file}`, 'utf8');
    if (program.startsWith('#!')) continue;
    writeFileSync(`${here}dist/${file}`, `/* @ts-self-types="./${types}" */\n${program}`);
  }
}

/** Writes the sizes of the loaded files into README.md. */
function sizes() {
  const rows = [
    ['utf8kit-simd128.wasm', 'the library, with simd128'],
    ['utf8kit.wasm', 'the library, without simd128'],
    ['utf8kit-detect.wasm', '`utf8kit/detect`: legacy encodings, detection, mojibake, loaded on first use'],
    ['utf8kit-document.wasm', '`utf8kit/document`: documents, with the legacy encodings'],
    ['inline.js', '`utf8kit/inline`: the library with simd128, and its JavaScript'],
    ['utf8.js', '`utf8kit/utf8`: `validate` and `Decoder`, for UTF-8 alone'],
  ].map(([file, what]) => {
    const bytes = readFileSync(`${here}dist/${file}`);
    const kilobytes = [bytes, gzipSync(bytes, { level: 9 }), brotliCompressSync(bytes)].map(
      ({ length }) => `${Math.round(length / 1000)} k`,
    );
    return `| \`${file}\` | ${kilobytes.join(' | ')} | ${what} |`;
  });
  const readme = readFileSync(`${here}README.md`, 'utf8');
  const table = [
    '<!-- sizes -->',
    '| file | bytes | gzip | brotli | |',
    '|---|---|---|---|---|',
    ...rows,
    '<!-- end of sizes -->',
  ].join('\n');
  const written = readme.replace(/<!-- sizes -->[^]*<!-- end of sizes -->/, table);
  if (written !== readme) writeFileSync(`${here}README.md`, written);
}

/** One file for `require`, and its types, which TypeScript reads as CommonJS in a folder that says so. */
async function commonJs() {
  const folder = `${here}dist/cjs`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  await build({
    entryPoints: ['node', 'inline', 'utf8', 'detect-node', 'document-node', 'iconv-lite'].map(
      (name) => `${here}dist/${name}.js`,
    ),
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
  });
  writeFileSync(`${folder}/package.json`, '{ "type": "commonjs" }\n');
  for (const name of readdirSync(`${here}dist`))
    if (/^[^.]+\.d\.ts$/.test(name)) cpSync(`${here}dist/${name}`, `${folder}/${name}`);
}

/** The system's compiler has no linker for WebAssembly, so use the linker of LLVM or of rustup's compiler. */
function linker() {
  const programs = (process.env.PATH ?? '')
    .split(':')
    .flatMap((folder) =>
      ['rust-lld', 'wasm-ld', 'wasm-ld-19', 'wasm-ld-16', 'wasm-ld-14'].map((name) => `${folder}/${name}`),
    );
  const inToolchain = `${run(rustc, ['--print', 'sysroot'])}/lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld`;
  const found = [...programs, inToolchain].find((file) => existsSync(file));
  if (!found)
    throw new Error('no linker for WebAssembly: rustup target add wasm32-unknown-unknown, or apt-get install lld');
  return found;
}
