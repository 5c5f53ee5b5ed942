// Compares decoding, validating and repairing with their peers: node bench.mjs, on a few lines of text of several
// lengths, or node bench.mjs FOLDER, on 64 KiB and 4 MiB of each file, which must be well-formed text. Nanoseconds per
// call, best of many runs, with flattened results; `to it` is the time of utf8kit as a multiple of the peer's.
import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { Decoder, level, repair, validate } from 'utf8kit';

const folder = process.argv[2];
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
const SIZES = folder ? FILE_SIZES : LINE_SIZES;

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
  const end = performance.now() + 250;
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

console.log(`node ${process.version}, ${level()}; ns a call`);
for (const [operation, works] of Object.entries(tables)) {
  const peers = Object.keys(works(new Uint8Array())).slice(1);
  const heads = peers.map((peer) => `${peer.padStart(27)}   to it`);
  console.log(`\n${operation.padEnd(32)}${'utf8kit'.padStart(12)}${heads.join('')}`);
  for (const [name, size] of Object.entries(SIZES)) {
    const logarithms = peers.map(() => 0);
    for (const script of Object.keys(SCRIPTS)) {
      const [own, ...others] = times(Object.values(works(text(script, size))));
      const ratio = (other) => `${(own / other).toFixed(2)}x`.padStart(8);
      const shown = others.map((other) => `${other.toFixed(0).padStart(27)}${ratio(other)}`);
      console.log(`${script.padEnd(24)}${name.padEnd(8)}${own.toFixed(0).padStart(12)}${shown.join('')}`);
      others.forEach((other, peer) => {
        logarithms[peer] += Math.log(own / other);
      });
    }
    const means = logarithms.map((sum) => `${Math.exp(sum / Object.keys(SCRIPTS).length).toFixed(2)}x`.padStart(35));
    console.log(`${'geometric mean'.padEnd(24)}${name.padEnd(20)}${means.join('')}`);
  }
}
