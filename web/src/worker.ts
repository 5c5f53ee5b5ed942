// Reads files in pieces: checks a file, or makes a repaired copy or a copy in UTF-8. To cancel, the owner terminates
// it.
import {
  Checker,
  convert,
  Converter,
  type Counts,
  Decoder,
  detect,
  type Encoding,
  ENCODINGS,
  type Guess,
  type Histogram,
  init,
  initLegacy,
  type Meant,
  misread,
  type Occurrence,
  type PlacedError,
  type Policy,
  type Suggestion,
  type Repair,
  Repairer,
  type Step,
} from 'utf8kit';
import { compare, type Damage, init as initDocuments, restore } from 'utf8kit/document';
import { LIKELIER_THAN_FILE, likely, READ } from './likely.ts';
import { type BrokenName, brokenNames, writableNames } from './names.ts';
import { changedLines, convertedLines, type Line } from './preview.ts';
import { renamed, storedNames } from './zip.ts';

export type Task =
  | { do: 'check'; file: File; encoding: Encoding; keep: number }
  | { do: 'repair'; file: File; encoding: Encoding; policy: Policy }
  | { do: 'repair-lines'; file: File; policy: Repair }
  | { do: 'to-utf-8'; file: File; label: string; artifact: Repair | null }
  | { do: 'read-again'; file: File; how: Step[] }
  | { do: 'rename'; file: File; broken: BrokenName[] }
  | { do: 'compare'; file: File; old: File };

export interface Checked {
  counts: Counts;
  errors: PlacedError[];
  histogram: Histogram;
  occurrences: Occurrence[];
  seconds: number;
  /** The suggestion, if any. */
  advice: Advice | null;
  /** The names in an archive, if it is one that can be read. */
  names: Names | null;
}

/** The number of names in an archive, and those that are not as they were meant. */
export interface Names {
  count: number;
  broken: BrokenName[];
}

/** A suggestion for a file, with its first lines before and after. */
export interface Advice {
  guess: Guess;
  /** `null` if it is not text. */
  suggestion: Suggestion | null;
  /** Whether the suggestion may garble the unexamined rest of a long file, because most of that is UTF-8. */
  garbles: boolean;
  lines: Line[];
  /** The likely meaning of garbled text in it, if any. */
  readings: Meant[];
}

export type Message =
  | { is: 'ready' }
  | { is: 'progress'; bytes: number; errors: number }
  | { is: 'checked'; checked: Checked }
  | { is: 'copied'; blob: Blob; changes: number }
  | { is: 'compared'; damage: Damage[]; restored: Blob }
  | { is: 'failed'; reason: string };

/** Number of bytes read at a time. */
const STEP = 4 * 1024 * 1024;
/** Number of bytes that detection reads. */
const SAMPLE = 1024 * 1024;
/** Milliseconds between two progress messages. */
const PAUSE = 100;

const say = (message: Message): void => postMessage(message);

/** Iterates over the file's bytes, reading the next piece while the current one is processed. */
async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  const read = (at: number): Promise<ArrayBuffer> => file.slice(at, at + STEP).arrayBuffer();
  let next = read(0);
  for (let at = 0; at < file.size; at += STEP) {
    const piece = await next;
    if (at + STEP < file.size) next = read(at + STEP);
    yield new Uint8Array(piece);
  }
}

/** Reports the progress from time to time. */
function teller(errors: () => number): (bytes: number) => void {
  let reported = performance.now();
  return (bytes) => {
    if (performance.now() - reported < PAUSE) return;
    reported = performance.now();
    say({ is: 'progress', bytes, errors: errors() });
  };
}

async function check(file: File, encoding: Encoding, keep: number): Promise<Message> {
  const start = performance.now();
  const checker = new Checker({ encoding, keep, countCodePoints: true });
  const tell = teller(() => checker.counts().errors);
  let bytes = 0;
  for await (const piece of piecesOf(file)) {
    checker.push(piece);
    tell((bytes += piece.length));
  }
  checker.finish();
  const seconds = (performance.now() - start) / 1000;
  const counts = checker.counts();
  const occurrences = checker.codePoints();
  const checked = { counts, errors: checker.firstErrors(), histogram: checker.histogram(), occurrences, seconds };
  const beyond = occurrences.reduce((sum, { codePoint, count }) => (codePoint > 0x7f ? sum + count : sum), 0);
  const advice = await advised(file, encoding, counts.errors, beyond);
  return { is: 'checked', checked: { ...checked, advice, names: await namesIn(file) } };
}

/** Returns the names in an archive. The check does not fail if they cannot be read. */
async function namesIn(file: File): Promise<Names | null> {
  try {
    const names = await storedNames(file);
    if (!names || names.length === 0) return null;
    await initLegacy();
    return { count: names.length, broken: brokenNames(names) };
  } catch {
    return null;
  }
}

/** Returns the library's suggestion. The check does not fail if detection cannot be loaded. */
async function advised(file: File, encoding: Encoding, errors: number, beyond: number): Promise<Advice | null> {
  try {
    await initLegacy();
    const sample = new Uint8Array(await file.slice(0, SAMPLE).arrayBuffer());
    const guess = detect(sample, { whole: file.size <= SAMPLE });
    const { artifact, mixed, notes } = guess;
    const plain = { guess, suggestion: null, garbles: false, lines: [], readings: [] };
    if (guess.encoding === null) return plain;
    // In some encodings, all bytes are text. If the user chose one of them, it is right.
    if (encoding !== 'utf-8' && errors === 0 && !/^utf-(?:16|32)/.test(guess.encoding)) return null;
    const noted = notes.length > 0 ? plain : null;
    const suggestion: Suggestion | null = guess.suggestion ?? (artifact && { do: 'repair', policy: artifact });
    if (suggestion?.do === 'repair') {
      // Single errors are repaired further down.
      const byLine = encoding === 'utf-8' && suggestion.policy !== 'replace';
      return (byLine ? repairedLines(guess, sample, suggestion) : null) ?? noted;
    }
    if (suggestion && suggestion.from !== encoding) {
      const garbles = file.size > SAMPLE && beyond > errors;
      return { ...plain, suggestion, garbles, lines: convertedLines(sample, suggestion.from, artifact) };
    }
    if (errors === 0) return (encoding === 'utf-8' ? misreadText(guess, sample) : null) ?? noted;
    // No encoding is likely, so show previews in each possible one.
    const read = (meant: string): string[] => convertedLines(sample, meant).map(({ after }) => after);
    const names = mixed || guess.encoding === encoding ? [] : [guess.encoding, ...guess.alternatives];
    const readings = names.map((meant) => ({
      text: read(meant).join('\n'),
      how: [{ meant, read: encoding }],
      nats: 0,
    }));
    return readings.length > 0 ? { ...plain, readings } : noted;
  } catch {
    return null;
  }
}

/** Returns the likely meaning of well-formed text, by its first non-ASCII lines; `null` if it reads well. */
function misreadText(guess: Guess, sample: Uint8Array): Advice | null {
  const lines = new TextDecoder()
    .decode(sample)
    .split(/\r?\n/)
    .filter((line) => /[^\0-\x7f]|\\u00|\\x/.test(line));
  const text = lines.join('\n').slice(0, READ);
  const { readings, first } = likely(text, misread(text), LIKELIER_THAN_FILE);
  return first ? { guess, suggestion: null, garbles: false, lines: [], readings } : null;
}

/** Makes a repaired copy of misdecoded text; fails if that would lose anything. */
async function readAgain(file: File, how: Step[]): Promise<Message> {
  await initLegacy();
  let bytes: Uint8Array<ArrayBuffer> = new Uint8Array(await file.arrayBuffer());
  for (const { meant, read } of how.toReversed()) bytes = convert(convert(bytes, { to: read }), { from: meant });
  return { is: 'copied', blob: new Blob([bytes]), changes: 0 };
}

/** Makes a copy of an archive with correct names. */
async function withNames(file: File, broken: BrokenName[]): Promise<Message> {
  const names = writableNames(broken);
  return { is: 'copied', blob: await renamed(file, names), changes: names.size };
}

/** Compares a file with its old version, and undoes the damage. */
async function compared(file: File, old: File): Promise<Message> {
  await initDocuments();
  const [before, after] = await Promise.all([old.arrayBuffer(), file.arrayBuffer()]);
  const { damage } = compare(before, after);
  return { is: 'compared', damage, restored: new Blob([restore(before, after)]) };
}

/** Returns a repair of lines, with the lines that it changes in the sample; `null` if it changes none. */
function repairedLines(guess: Guess, sample: Uint8Array, suggestion: Suggestion & { do: 'repair' }): Advice | null {
  const repairer = new Repairer(suggestion.policy as Repair);
  try {
    for (const pass of [1, 2]) {
      if (pass === 2) repairer.again();
      repairer.push(sample);
      repairer.finish();
    }
    const lines = changedLines(sample, repairer.firstChanges());
    return lines.length > 0 ? { guess, suggestion, garbles: false, lines, readings: [] } : null;
  } finally {
    repairer.close();
  }
}

/** The copy refers to the file for unchanged parts, so only its repairs take memory. */
async function repair(file: File, encoding: Encoding, policy: Policy): Promise<Message> {
  const converter = new Converter({ from: encoding, to: encoding, policy });
  const tell = teller(() => converter.changes);
  const parts: Blob[] = [];
  let kept = 0;
  const take = (from: number, changed: boolean, repaired: Uint8Array<ArrayBuffer>): void => {
    if (!changed) return;
    parts.push(file.slice(kept, from), new Blob([repaired]));
    kept = converter.offset;
  };
  for await (const piece of piecesOf(file)) {
    const steps = converter.each(piece);
    for (;;) {
      const { offset, changes } = converter;
      const step = steps.next();
      if (step.done) break;
      take(offset, converter.changes > changes, step.value);
    }
    tell(converter.offset);
  }
  const { offset, changes } = converter;
  const rest = converter.finish();
  take(offset, converter.changes > changes, rest);
  parts.push(file.slice(kept));
  return { is: 'copied', blob: new Blob(parts), changes: converter.changes };
}

/** Makes a copy with some lines repaired. The first pass finds the encodings that lines went through. */
async function repairLines(file: File, policy: Repair): Promise<Message> {
  await initLegacy();
  const repairer = new Repairer(policy);
  const parts: Blob[] = [];
  const passes = policy === 'mojibake' ? 2 : 1;
  let bytes = 0;
  const tell = teller(() => repairer.changes);
  for (let pass = 1; pass <= passes; pass += 1) {
    if (pass > 1) repairer.again();
    const take = (part: Uint8Array<ArrayBuffer>): void => {
      if (pass === passes) parts.push(new Blob([part]));
    };
    for await (const piece of piecesOf(file)) {
      take(repairer.push(piece));
      tell((bytes += piece.length / passes));
    }
    take(repairer.finish());
  }
  return { is: 'copied', blob: new Blob(parts), changes: repairer.changes };
}

/** Makes a copy in UTF-8. Malformed characters become U+FFFD, and are counted. */
async function toUtf8(file: File, label: string, artifact: Repair | null): Promise<Message> {
  if (artifact) {
    const repaired = await repairLines(file, artifact);
    return repaired.is === 'copied' ? toUtf8(new File([repaired.blob], file.name), label, null) : repaired;
  }
  const own = ENCODINGS.find((encoding) => encoding === label);
  if (own) return converted(file, own);
  await initLegacy();
  let decoder: Decoder;
  try {
    decoder = new Decoder(label);
  } catch {
    // A code page that the standard does not have. The lines of EBCDIC end with U+0085.
    const whole = convert(await file.arrayBuffer(), { from: label, policy: 'replace' });
    const text = new Decoder().decode(whole).replaceAll('\x85', '\n');
    return { is: 'copied', blob: new Blob([text]), changes: text.split('\ufffd').length - 1 };
  }
  const encoder = new TextEncoder();
  const parts: Blob[] = [];
  let [bytes, changes] = [0, 0];
  const tell = teller(() => changes);
  const take = (text: string): void => {
    changes += text.split('\ufffd').length - 1;
    parts.push(new Blob([encoder.encode(text)]));
  };
  for await (const piece of piecesOf(file)) {
    take(decoder.decode(piece, { stream: true }));
    tell((bytes += piece.length));
  }
  take(decoder.decode());
  return { is: 'copied', blob: new Blob(parts), changes };
}

/** Makes a copy in UTF-8 from an encoding of the library. A byte order mark is left out. */
async function converted(file: File, from: Encoding): Promise<Message> {
  const converter = new Converter({ from, to: 'utf-8', policy: 'replace' });
  const parts: Blob[] = [];
  const tell = teller(() => converter.changes);
  const take = (part: Uint8Array<ArrayBuffer>): void => {
    const marked = parts.length === 0 && part[0] === 0xef && part[1] === 0xbb && part[2] === 0xbf;
    if (part.length > 0) parts.push(new Blob([marked ? part.subarray(3) : part]));
  };
  for await (const piece of piecesOf(file)) {
    take(converter.push(piece));
    tell(converter.offset);
  }
  take(converter.finish());
  return { is: 'copied', blob: new Blob(parts), changes: converter.changes };
}

function work(task: Task): Promise<Message> {
  if (task.do === 'check') return check(task.file, task.encoding, task.keep);
  if (task.do === 'compare') return compared(task.file, task.old);
  if (task.do === 'rename') return withNames(task.file, task.broken);
  if (task.do === 'read-again') return readAgain(task.file, task.how);
  if (task.do === 'repair-lines') return repairLines(task.file, task.policy);
  return task.do === 'repair'
    ? repair(task.file, task.encoding, task.policy)
    : toUtf8(task.file, task.label, task.artifact);
}

const failed = (reason: unknown): void =>
  say({ is: 'failed', reason: reason instanceof Error ? reason.message : String(reason) });

addEventListener('message', ({ data }: MessageEvent<Task>) => void work(data).then(say, failed));
// Messages sent while the library is loading would be lost.
init().then(() => say({ is: 'ready' }), failed);
