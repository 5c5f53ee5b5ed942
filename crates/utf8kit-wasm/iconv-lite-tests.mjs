// Runs iconv-lite's own tests on `utf8kit/iconv-lite`, and on iconv-lite itself: node iconv-lite-tests.mjs FOLDER.
// FOLDER is iconv-lite's source with its tests, which the package on npm lacks, such as Debian's source package
// `node-iconv-lite`. What the tests need is installed next to a copy of them, in a temporary folder.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NEEDED = ['async@3', 'errto@0.2', 'iconv@3', 'mocha@10', 'safer-buffer@2', 'semver@6', 'unorm@1'];

const [source] = process.argv.slice(2);
if (!source || !existsSync(join(source, 'test'))) {
  console.error('usage: node iconv-lite-tests.mjs FOLDER');
  process.exit(2);
}
const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
const ours = createRequire(import.meta.url).resolve('utf8kit/iconv-lite');
const folder = mkdtempSync(join(tmpdir(), 'iconv-lite-'));
writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
const npm = ['install', '--no-audit', '--no-fund', '--silent', `iconv-lite@${version}`, ...NEEDED];
execFileSync('npm', npm, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });

/** Runs every file of tests on a module, which the tests find in the folder above theirs. */
function results(name, module) {
  const place = join(folder, name);
  mkdirSync(place);
  cpSync(join(source, 'test'), join(place, 'test'), { recursive: true });
  // Its table of encodings generates tests.
  const [own, its] = [module, join(folder, 'node_modules/iconv-lite')].map((one) => `require(${JSON.stringify(one)})`);
  const table = `const its = ${its};\nits.encode('', 'utf8');\n`;
  writeFileSync(join(place, 'index.js'), `${table}module.exports = { ...${own}, encodings: its.encodings };\n`);
  const all = { passed: 0, failed: [] };
  for (const file of readdirSync(join(place, 'test')).filter((file) => /[-.]test\.js$/.test(file))) {
    // Some limit their time, which a busy machine exceeds.
    const test = join(place, 'test', file);
    writeFileSync(test, readFileSync(test, 'utf8').replace(/this\.timeout\(\d+\)/g, 'this.timeout(0)'));
    const found = run(place, file);
    for (const { fullTitle, err } of found.tests) {
      if (!err.message) all.passed += 1;
      else all.failed.push(`${file}: ${fullTitle}: ${err.message.split('\n')[0].slice(0, 200)}`);
    }
    if (found.broken) all.failed.push(`${file}: does not load: ${found.broken}`);
  }
  return all;
}

/** Runs a file of tests. */
function run(cwd, file) {
  const mocha = join(folder, 'node_modules/mocha/bin/mocha.js');
  const args = [mocha, '--reporter', 'json', '--timeout', '0', '--no-config', '--no-opts', join('test', file)];
  const options = { cwd, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] };
  let output;
  try {
    output = execFileSync(process.execPath, args, options);
  } catch (error) {
    output = error.stdout;
    if (!output.includes('"stats"'))
      return { tests: [], broken: error.stderr.split('\n').find(Boolean) ?? 'no result' };
  }
  const { tests, pending } = JSON.parse(output.slice(output.indexOf('{\n')));
  const skipped = new Set(pending.map(({ fullTitle }) => fullTitle));
  return { tests: tests.filter(({ fullTitle }) => !skipped.has(fullTitle)), broken: null };
}

console.log(`tests of iconv-lite ${version}, Node.js ${process.versions.node}`);
const theirs = results('theirs', join(folder, 'node_modules/iconv-lite'));
const own = results('ours', ours);
for (const [name, { passed, failed }] of [
  ['iconv-lite', theirs],
  ['utf8kit/iconv-lite', own],
]) {
  console.log(`${name}: ${passed} of ${passed + failed.length} pass`);
  for (const one of failed) console.log(`  ${one}`);
}
