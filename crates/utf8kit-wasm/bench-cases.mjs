// What bench-built-in.mjs measures, in Node.js and in browsers alike: functions beside what the engine has.
import { convert, Decoder, encodeText, init, initLegacy, repair, validate } from 'utf8kit';
import { platform } from './dist/library.js';

const LINES = {
  English: 'The quick brown fox jumps over the lazy dog, again and again. ',
  French: 'Voix ambiguë d’un cœur qui, au zéphyr, préfère les jattes de kiwis. ',
  Russian: 'Съешь же ещё этих мягких французских булок, да выпей чаю. ',
  Chinese: '视野无限广，窗外有蓝天。天地玄黄，宇宙洪荒，日月盈昃，辰宿列张。',
  emoji: '😀🎉🚀🌍👍🔥💡🎵🍕🐙🌈⚡️😎🤖🧩🎲',
};
const SIZES = [16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1 << 20];
/** Rounds of each case, and milliseconds of each side of a round, and before the first one. */
const [ROUNDS, BATCH, WARM] = [41, 0.5, 50];

const encoder = new TextEncoder();

/** Text of about `size` bytes of UTF-8, of whole characters. */
function text(line, size) {
  const bytes = encoder.encode(line.repeat(Math.ceil((size + 4) / encoder.encode(line).length)));
  let end = size;
  while ((bytes[end] & 0xc0) === 0x80) end -= 1;
  return new TextDecoder().decode(bytes.subarray(0, end));
}

function utf16(text) {
  const bytes = new Uint8Array(2 * text.length);
  for (let at = 0; at < text.length; at += 1) {
    bytes[2 * at] = text.charCodeAt(at) & 0xff;
    bytes[2 * at + 1] = text.charCodeAt(at) >> 8;
  }
  return bytes;
}

/** Reads the end, which makes a string that was put together flat. */
const flat = (text) => text.charCodeAt(text.length - 1);

/** A fatal decoder's answer to whether bytes are well-formed. */
function decodes(decoder, bytes) {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Ours and the engine's, for a text. */
const operations = (isUtf8) => ({
  decode: (text) => decoding(encoder.encode(text), 'utf-8', {}),
  'decode, fatal': (text) => decoding(encoder.encode(text), 'utf-8', { fatal: true }),
  'decode UTF-16': (text) => decoding(utf16(text), 'utf-16le', {}),
  encodeText: (text) => {
    const theirs = new TextEncoder();
    return [() => encodeText(text), () => theirs.encode(text)];
  },
  validate: (text) => {
    const bytes = encoder.encode(text);
    const fatal = new TextDecoder('utf-8', { fatal: true });
    return [() => validate(bytes), isUtf8 ? () => isUtf8(bytes) : () => decodes(fatal, bytes)];
  },
  repair: (text) => repairing(encoder.encode(text)),
  'repair, an error in 1 KiB': (text) => {
    const bytes = encoder.encode(text);
    for (let at = 8; at < bytes.length; at += 1024) bytes[at] = 0xff;
    return repairing(bytes);
  },
  'convert UTF-16': (text) => {
    const [theirs, bytes] = [new TextDecoder('utf-16le', { ignoreBOM: true }), utf16(text)];
    return [() => convert(bytes, { from: 'utf-16le' }), () => encoder.encode(theirs.decode(bytes))];
  },
  'decode Shift_JIS': (text) => legacy(text, 'shift_jis'),
  'decode windows-1251': (text) => legacy(text, 'windows-1251'),
});

function decoding(bytes, label, options) {
  const [ours, theirs] = [new Decoder(label, options), new TextDecoder(label, options)];
  return [() => flat(ours.decode(bytes)), () => flat(theirs.decode(bytes))];
}

function repairing(bytes) {
  const theirs = new TextDecoder('utf-8', { ignoreBOM: true });
  return [() => repair(bytes), () => encoder.encode(theirs.decode(bytes))];
}

/** `null` if the encoding lacks much of the text. */
function legacy(text, label) {
  const bytes = convert(encoder.encode(text), { to: label, policy: 'replace' });
  return new Decoder(label).decode(bytes) === text ? decoding(bytes, label, {}) : null;
}

/** The medians of nanoseconds a call of each, in turns, so that what else the machine does concerns all of them. */
function times(works) {
  const calls = works.map((work) => {
    // Until the engine has compiled it for speed.
    const start = performance.now();
    let [count, took] = [0, 0];
    for (; took < WARM; took = performance.now() - start) {
      work();
      count += 1;
    }
    return Math.max(1, Math.round((count * BATCH) / took));
  });
  const all = works.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    works.forEach((work, index) => {
      const start = performance.now();
      for (let call = 0; call < calls[index]; call += 1) work();
      all[index].push((1e6 * (performance.now() - start)) / calls[index]);
    });
  }
  return all.map((one) => one.sort((a, b) => a - b)[ROUNDS >> 1]);
}

/**
 * Measures the operations whose names contain `wanted`. Returns rows of operation, script, bytes, and nanoseconds a call
 * of ours and of the engine's. With `alone`, nothing is handed over to the engine, to find out where that pays.
 */
export async function measure({ wanted = '', alone = false, isUtf8 = null }) {
  await init();
  await initLegacy();
  if (alone) Object.assign(platform, { handed: NOTHING, ascii: () => null, isUtf8: undefined });
  const rows = [];
  for (const [operation, worksOf] of Object.entries(operations(isUtf8))) {
    if (!operation.includes(wanted)) continue;
    for (const size of SIZES) {
      for (const [script, line] of Object.entries(LINES)) {
        const works = worksOf(text(line, size));
        if (works) rows.push([operation, script, size, ...times(works)]);
      }
    }
  }
  return rows;
}

const NOTHING = { utf8: -1, ascii: -1, utf16: -1, repair: -1 };
