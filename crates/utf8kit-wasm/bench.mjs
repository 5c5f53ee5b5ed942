// Compares the package with its peers: node bench.mjs, on a few lines of text of several lengths, or node bench.mjs
// FOLDER, on 64 KiB and 4 MiB of each file, which must be well-formed text. Nanoseconds per call, best of many runs, with
// flattened results; `to it` is the time of utf8kit as a multiple of the peer's. With --record, a row of means for each
// peer, as in bench/record/npm.md. The answers of a peer are compared with ours before it is measured.
import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpus } from 'node:os';
import chardet from 'chardet';
import Japanese from 'encoding-japanese';
import iconv from 'iconv-lite';
import jschardet from 'jschardet';
import stripBom from 'strip-bom';
import { convert, Decoder, detect, level, repair, validate } from 'utf8kit';

const isRecord = process.argv.includes('--record');
const folder = process.argv.slice(2).find((word) => !word.startsWith('--'));
const LINES = {
  English: 'The quick brown fox jumps over the lazy dog, again and again. ',
  French: 'Voix ambiguë d’un cœur qui, au zéphyr, préfère les jattes de kiwis. ',
  Russian: 'Съешь же ещё этих мягких французских булок, да выпей чаю. ',
  Chinese: '视野无限广，窗外有蓝天。天地玄黄，宇宙洪荒，日月盈昃，辰宿列张。',
};
const SCRIPTS = Object.fromEntries(
  folder ? contents(folder) : Object.entries(LINES).map(([name, line]) => [name, Buffer.from(line)]),
);
const FILE_SIZES = { '64 KiB': 65_536, '4 MiB': 1 << 22 };
const LINE_SIZES = {
  '16 B': 16,
  '256 B': 256,
  '1 KiB': 1024,
  '4 KiB': 4096,
  '64 KiB': 65_536,
  '1 MiB': 1 << 20,
  '16 MiB': 1 << 24,
};
const RECORD_SIZES = { '256 B': 256, '4 KiB': 4096, '64 KiB': 65_536 };
const SIZES = folder ? FILE_SIZES : isRecord ? RECORD_SIZES : LINE_SIZES;

/** Texts in encodings of one language each. */
const LEGACY = {
  'windows-1252': 'Voix ambiguë d’un cœur qui, au zéphyr, préfère les jattes de kiwis. ',
  'windows-1251': 'Съешь же ещё этих мягких французских булок, да выпей чаю. ',
  shift_jis: 'いろはにほへと、散りぬるを。我が世誰ぞ、常ならむ。テキストの文字コード。',
  'euc-kr': '키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다. ',
};
/** The most bytes of a text whose encoding is detected. */
const DETECTED = 65_536;

/** The names and contents of the files of a folder that are not empty. */
function contents(folder) {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ name }) => [name, readFileSync(join(folder, name))]).filter(([, bytes]) => bytes.length > 0);
}

/** Well-formed text of about `size` bytes. */
function text(script, size) {
  const bytes = Buffer.alloc(size + 1, SCRIPTS[script]);
  let end = size;
  while ((bytes[end] & 0xc0) === 0x80) end -= 1;
  return Uint8Array.prototype.slice.call(bytes, 0, end);
}

/** Nanoseconds per call of each, alternately, so that other load on the machine affects all of them. */
function times(works) {
  const best = works.map(() => Infinity);
  const calls = works.map(() => 1);
  const end = performance.now() + (isRecord ? 1000 : 250);
  do {
    works.forEach((work, index) => {
      const start = performance.now();
      for (let call = 0; call < calls[index]; call += 1) work();
      const took = performance.now() - start;
      if (took < 0.5) calls[index] *= 2;
      else best[index] = Math.min(best[index], (1e6 * took) / calls[index]);
    });
  } while (performance.now() < end || best.includes(Infinity));
  return best;
}

/** Reads the end, which flattens a concatenated string. */
const flat = (text) => text.charCodeAt(text.length - 1);

const [ours, fatal] = [new Decoder(), new Decoder('utf-8', { fatal: true })];
const [theirs, theirsFatal] = [new TextDecoder(), new TextDecoder('utf-8', { fatal: true })];

const tables = {
  decode: (bytes) => ({
    utf8kit: () => flat(ours.decode(bytes)),
    'iconv-lite': () => flat(iconv.decode(bytes, 'utf-8')),
    TextDecoder: () => flat(theirs.decode(bytes)),
  }),
  'decode, fatal': (bytes) => ({
    utf8kit: () => flat(fatal.decode(bytes)),
    TextDecoder: () => flat(theirsFatal.decode(bytes)),
  }),
  validate: (bytes) => ({
    utf8kit: () => validate(bytes),
    'buffer.isUtf8': () => isUtf8(bytes),
    TextDecoder: () => theirsFatal.decode(bytes),
  }),
  repair: (bytes) => ({
    utf8kit: () => repair(bytes),
    'TextDecoder + TextEncoder': () => new TextEncoder().encode(theirs.decode(bytes)),
  }),
};

/** Text in a legacy encoding, of about `size` bytes, which ends with a whole character. */
function legacy(name, size) {
  const line = Buffer.from(convert(Buffer.from(LEGACY[name]), { from: 'utf-8', to: name }));
  return new Uint8Array(Buffer.concat(Array(Math.max(1, Math.floor(size / line.length))).fill(line)));
}

const legacyTables = {
  'decode a legacy encoding': (bytes, name) => {
    const [own, its] = [new Decoder(name), new TextDecoder(name)];
    return {
      utf8kit: () => flat(own.decode(bytes)),
      'iconv-lite': () => flat(iconv.decode(bytes, name)),
      ...(name === 'shift_jis' && {
        'encoding-japanese': () => flat(Japanese.convert(bytes, { from: 'SJIS', to: 'UNICODE', type: 'string' })),
      }),
      TextDecoder: () => flat(its.decode(bytes)),
    };
  },
  'UTF-8 to a legacy encoding': (bytes, name) => {
    const utf8 = convert(bytes, { from: name, to: 'utf-8' });
    return {
      utf8kit: () => convert(utf8, { from: 'utf-8', to: name }).length,
      'iconv-lite': () => iconv.encode(iconv.decode(utf8, 'utf-8'), name).length,
      ...(name === 'shift_jis' && {
        'encoding-japanese': () => Japanese.convert(utf8, { from: 'UTF8', to: 'SJIS', type: 'array' }).length,
      }),
    };
  },
  'detect an encoding': (bytes) => ({
    utf8kit: () => detect(bytes).encoding,
    chardet: () => chardet.detect(bytes),
    jschardet: () => jschardet.detect(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).encoding,
    'encoding-japanese': () => Japanese.detect(bytes),
  }),
};

const markedTables = {
  'decode without the mark': (bytes) => {
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    return { utf8kit: () => flat(ours.decode(marked)), 'strip-bom': () => flat(stripBom(marked.toString())) };
  },
};

/** Reports where an answer differs from that of utf8kit. Detection has no answer that all spell in the same way. */
function compared(operation, name, works) {
  const [own, ...others] = Object.values(works).map((work) => work());
  const isSame = (one) => one === own || (typeof own === 'object' && typeof one !== 'number');
  const names = Object.keys(works);
  if (operation.startsWith('detect'))
    return console.log(`${name}: ${names.map((one, index) => `${one} ${[own, ...others][index]}`).join(', ')}`);
  others.forEach((one, index) => {
    const isBoolean = typeof one === 'boolean' || operation === 'validate';
    if (!isBoolean && !isSame(one)) console.log(`${operation}, ${name}: ${names[index + 1]} has another answer`);
  });
}

/** Prints the times of an operation, and returns the means of the ratios for each peer and size. */
function run(operation, works, inputs, sizes) {
  const means = new Map();
  if (!isRecord) console.log(`\n${operation}`);
  for (const [label, size] of Object.entries(sizes)) {
    for (const name of inputs.names) {
      const bytes = inputs.make(name, size);
      const all = works(bytes, name);
      if (!operation.startsWith('detect') || label === Object.keys(sizes)[0]) compared(operation, name, all);
      const [own, ...others] = times(Object.values(all));
      const peers = Object.keys(all).slice(1);
      const shown = peers.map((peer, index) => {
        const key = `${peer}\t${label}`;
        const ratios = means.get(key) ?? [];
        means.set(key, [...ratios, own / others[index]]);
        return `${peer} ${others[index].toFixed(0)} ${`${(own / others[index]).toFixed(2)}x`}`;
      });
      if (!isRecord)
        console.log(`  ${name.padEnd(14)}${label.padEnd(8)}${own.toFixed(0).padStart(12)}   ${shown.join('   ')}`);
    }
  }
  const mean = (ratios) => Math.exp(ratios.reduce((sum, one) => sum + Math.log(one), 0) / ratios.length);
  const peers = [...new Set([...means.keys()].map((key) => key.split('\t')[0]))];
  for (const peer of peers) {
    const cells = Object.keys(sizes).map((label) => mean(means.get(`${peer}\t${label}`)).toFixed(2));
    console.log(isRecord ? `| ${operation} | ${peer} | ${cells.join(' | ')} |` : `  mean, ${peer}: ${cells.join(' ')}`);
  }
}

console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus()[0].model}, Node.js ${process.version}, ${level()}`);
const utf8 = { names: Object.keys(SCRIPTS), make: text };
const old = { names: Object.keys(LEGACY), make: legacy };
for (const [operation, works] of Object.entries({ ...tables, ...markedTables })) run(operation, works, utf8, SIZES);
const short = Object.fromEntries(Object.entries(SIZES).filter(([, size]) => size <= DETECTED));
for (const [operation, works] of Object.entries(legacyTables)) run(operation, works, old, short);
