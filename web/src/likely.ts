// Which readings of garbled text are likely.
import { type Meant, readability } from 'utf8kit';

/** So well a likely reading reads at least, and so much better than the text itself. */
export const WELL = 0.55;
const BETTER = 0.15;
/** So far behind the first one, another is not worth a look; so far ahead, the first one is likely. */
const BEHIND = 0.45;
const AHEAD = 0.15;
const SHOWN = 5;
/** The most characters of a text that are read. */
export const READ = 4096;

interface Likely {
  readings: Meant[];
  first: boolean;
}

/** Puts a reading first. */
export const preferring = (best: Meant | undefined, { readings, first }: Likely): Likely =>
  best ? { readings: [best, ...readings.filter(({ text }) => text !== best.text)], first: true } : { readings, first };

/** Returns the readings that are likely, and whether the first one stands out; it is never certain. */
export function likely(text: string, all: Meant[], better = BETTER): Likely {
  // What is written as numbers reads well as what it is; one character alone may be any.
  const beyond = text.match(/[^\0-\x7f]/g)?.length ?? 0;
  const own = beyond === 0 ? 0 : beyond === 1 ? 1 : readability(text);
  const [best] = all;
  if (!best || best.score < WELL || best.score < own + better) return { readings: [], first: false };
  const readings = all.filter(({ score }) => score >= Math.max(WELL, best.score - BEHIND)).slice(0, SHOWN);
  return { readings, first: readings.length === 1 || best.score > readings[1]!.score + AHEAD };
}
