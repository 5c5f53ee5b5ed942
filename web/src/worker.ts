// Reads files in pieces: checks one, or makes a repaired copy, or a copy in UTF-8. Its owner terminates it to cancel.
import {
  Checker, Converter, type Counts, Decoder, detect, type Encoding, type Guess, type Histogram, init, initLegacy, type Occurrence, type PlacedError, type Policy,
} from 'utf8kit';

export type Task =
  | { do: 'check'; file: File; encoding: Encoding; keep: number }
  | { do: 'repair'; file: File; encoding: Encoding; policy: Policy }
  | { do: 'to-utf-8'; file: File; label: string };

export interface Checked {
  counts: Counts;
  errors: PlacedError[];
  histogram: Histogram;
  occurrences: Occurrence[];
  seconds: number;
  /** The guessed encoding of the file, if it looks like another one. */
  guess: Guess | null;
}

export type Message =
  | { is: 'ready' }
  | { is: 'progress'; bytes: number; errors: number }
  | { is: 'checked'; checked: Checked }
  | { is: 'copied'; blob: Blob; changes: number }
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
  let told = performance.now();
  return (bytes) => {
    if (performance.now() - told < PAUSE) return;
    told = performance.now();
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
  // Text contains no NUL, but every other byte of ASCII in UTF-16 is one, and it is well-formed UTF-8.
  const doubtful = counts.errors > 0 || occurrences.some(({ codePoint }) => codePoint === 0);
  return { is: 'checked', checked: { ...checked, guess: doubtful ? await guessed(file, encoding) : null } };
}

/** Returns the library's guess, if it is another encoding. The check does not fail if detection cannot be loaded. */
async function guessed(file: File, encoding: Encoding): Promise<Guess | null> {
  try {
    await initLegacy();
    const guess = detect(await file.slice(0, SAMPLE).arrayBuffer(), { whole: file.size <= SAMPLE });
    return guess.encoding !== null && guess.encoding !== encoding ? guess : null;
  } catch {
    return null;
  }
}

/** The copy refers to the file wherever nothing changed, so it only takes memory for its repairs. */
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

/** Makes a copy in UTF-8. What the encoding cannot represent becomes U+FFFD, and is counted. */
async function toUtf8(file: File, label: string): Promise<Message> {
  await initLegacy();
  const decoder = new Decoder(label);
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

function work(task: Task): Promise<Message> {
  if (task.do === 'check') return check(task.file, task.encoding, task.keep);
  return task.do === 'repair' ? repair(task.file, task.encoding, task.policy) : toUtf8(task.file, task.label);
}

const failed = (reason: unknown): void => say({ is: 'failed', reason: reason instanceof Error ? reason.message : String(reason) });

addEventListener('message', ({ data }: MessageEvent<Task>) => void work(data).then(say, failed));
// Messages sent while the library is loading would be lost.
init().then(() => say({ is: 'ready' }), failed);
