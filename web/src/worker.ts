// Reads a file in pieces: checks it, or makes a repaired copy. Ended by its owner when cancelled.
import { Checker, type Counts, type Encoding, type Histogram, type Occurrence, type PlacedError, type Policy, Converter, init } from 'utf8kit';

export type Task =
  | { do: 'check'; file: File; encoding: Encoding; keep: number }
  | { do: 'repair'; file: File; encoding: Encoding; policy: Policy };

export interface Checked {
  counts: Counts;
  errors: PlacedError[];
  histogram: Histogram;
  occurrences: Occurrence[];
  seconds: number;
}

export type Message =
  | { is: 'ready' }
  | { is: 'progress'; bytes: number; errors: number }
  | { is: 'checked'; checked: Checked }
  | { is: 'repaired'; blob: Blob; changes: number }
  | { is: 'failed'; reason: string };

/** How much is read at a time. */
const STEP = 4 * 1024 * 1024;
/** Milliseconds between two words on the progress. */
const PAUSE = 100;

await init();

const say = (message: Message): void => postMessage(message);

/** The file's bytes; the next piece is read while this one is worked on. */
async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  const read = (at: number): Promise<ArrayBuffer> => file.slice(at, at + STEP).arrayBuffer();
  let next = read(0);
  for (let at = 0; at < file.size; at += STEP) {
    const piece = await next;
    if (at + STEP < file.size) next = read(at + STEP);
    yield new Uint8Array(piece);
  }
}

/** Tells how far it is, now and then. */
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
  const checked = { counts: checker.counts(), errors: checker.firstErrors(), histogram: checker.histogram(), occurrences: checker.codePoints(), seconds };
  return { is: 'checked', checked };
}

/** The copy refers to the file wherever nothing changed, so that it takes no more room than its repairs. */
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
  return { is: 'repaired', blob: new Blob(parts), changes: converter.changes };
}

addEventListener('message', ({ data }: MessageEvent<Task>) => {
  const work = data.do === 'check' ? check(data.file, data.encoding, data.keep) : repair(data.file, data.encoding, data.policy);
  work.then(say, (reason: unknown) => say({ is: 'failed', reason: String(reason) }));
});
// What is sent while the library is still loading would be lost.
say({ is: 'ready' });
