// The measurements of bench-built-in.mjs, in Node.js and in browsers: functions compared with the engine's.
import { convert, Decoder, encodeText, init, initLegacy, repair, validate } from 'utf8kit';
import { platform, setPlatform } from './dist/library.js';

const LINES = {
  English: 'The quick brown fox jumps over the lazy dog, again and again. ',
  French: 'Voix ambiguë d’un cœur qui, au zéphyr, préfère les jattes de kiwis. ',
  Russian: 'Съешь же ещё этих мягких французских булок, да выпей чаю. ',
  Chinese: '视野无限广，窗外有蓝天。天地玄黄，宇宙洪荒，日月盈昃，辰宿列张。',
  emoji: '😀🎉🚀🌍👍🔥💡🎵🍕🐙🌈⚡️😎🤖🧩🎲',
};
const SIZES = [16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1 << 20];
/** The milliseconds before the first round, and of each of its four parts; the rounds of a measurement. */
const [WARM, BATCH, ROUNDS] = [50, 0.3, 31];
/** The size of the texts that warm the module up. */
const HOT = 65_536;
/** A ratio above this is measured again, up to this many times in all. */
const [LIMIT, AGAIN] = [1.08, 4];

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

/** Reads the end, which flattens a concatenated string. */
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
const OPERATIONS = {
  decode: (text) => decoding(encoder.encode(text), 'utf-8', {}),
  'decode, fatal': (text) => decoding(encoder.encode(text), 'utf-8', { fatal: true }),
  'decode UTF-16': (text) => decoding(utf16(text), 'utf-16le', {}),
  encodeText: (text) => {
    const theirs = new TextEncoder();
    return [() => encodeText(text), () => theirs.encode(text)];
  },
  validate: (text, isUtf8) => {
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
};

/** The names of the measurements. */
export const NAMES = Object.keys(OPERATIONS);

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

/** Calls for some milliseconds; returns how many times a millisecond. */
function repeated(work, milliseconds) {
  let [calls, took] = [0, 0];
  for (const start = performance.now(); took < milliseconds; took = performance.now() - start) {
    work();
    calls += 1;
  }
  return calls / took;
}

/** Returns the middle of numbers. */
const median = (all) => all.toSorted((a, b) => a - b)[all.length >> 1];

/**
 * Compares ours and the engine's. A round runs each of them twice, ours, theirs, theirs, ours, so that other load on
 * the machine affects both; a disturbed round does not change the median of the rounds' ratios. A ratio above the limit
 * is measured again, and the median is taken over all rounds. Returns it, and the engine's median nanoseconds per call.
 */
function compare([ours, theirs]) {
  const time = (work, calls) => {
    const start = performance.now();
    for (let call = 0; call < calls; call += 1) work();
    return performance.now() - start;
  };
  const [own, other] = [ours, theirs].map((work) => Math.max(1, Math.round(BATCH * repeated(work, WARM))));
  const [ratios, nanoseconds] = [[], []];
  for (let measured = 0; measured < AGAIN && (measured === 0 || median(ratios) > LIMIT); measured += 1) {
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = time(ours, own);
      const engine = time(theirs, other) + time(theirs, other);
      ratios.push((first + time(ours, own)) / own / (engine / other));
      nanoseconds.push((1e6 * engine) / 2 / other);
    }
  }
  return [median(ratios), median(nanoseconds)];
}

/**
 * Measures an operation. Returns rows of script, bytes, how many times as long ours takes, and the engine's nanoseconds
 * per call. With `alone`, nothing is handed over to the engine, to find out where that pays.
 */
export async function measure({ operation, alone = false, isUtf8 = null }) {
  await init();
  await initLegacy();
  if (alone) setPlatform({ ...platform, handed: NOTHING, ascii: () => null, isUtf8: undefined });
  const worksOf = (line, size) => OPERATIONS[operation](text(line, size), isUtf8);
  // Warm up until the engine has optimised the module, which would take long with short texts.
  for (const line of Object.values(LINES)) worksOf(line, HOT)?.forEach((work) => repeated(work, WARM));
  const rows = [];
  for (const size of SIZES) {
    for (const [script, line] of Object.entries(LINES)) {
      const works = worksOf(line, size);
      if (works) rows.push([script, size, ...compare(works)]);
    }
  }
  return rows;
}

const NOTHING = { utf8: -1, ascii: -1, utf16: -1, encode: Infinity, repair: -1, repairAscii: -1 };
