// Which readings of garbled text are likely.
import type { Meant } from 'utf8kit';

/** The minimum margin in nats by which a reading must be likelier than the text itself. */
const LIKELIER = 5;
/** The same for a file, which is more often correct. */
export const LIKELIER_THAN_FILE = 12;
/** By how many nats it may be less likely if the text itself is doubtful. */
const DOUBT = 4;
/** A reading this far behind the first one is not shown; if the first one is this far ahead, it is likely. */
const BEHIND = 30;
const AHEAD = 8;
const SHOWN = 5;
/** The most characters of a text that are read. */
export const READ = 4096;

interface Likely {
  readings: Meant[];
  first: boolean;
}

/** Moves a reading to the front. */
export const preferring = (best: Meant | undefined, { readings, first }: Likely): Likely =>
  best ? { readings: [best, ...readings.filter(({ text }) => text !== best.text)], first: true } : { readings, first };

/** Returns the readings that are likely, and whether the first one stands out; it is never certain. */
export function likely(text: string, all: Meant[], likelier = LIKELIER): Likely {
  // A single character may be anything.
  const isOne = text.match(/[^\0-\x7f]/g)?.length === 1;
  const [best] = all;
  if (!best || isOne || best.nats < likelier) return { readings: [], first: false };
  const readings = all.filter(({ nats }) => nats >= Math.max(0, best.nats - BEHIND)).slice(0, SHOWN);
  return { readings, first: readings.length === 1 || best.nats > readings[1]!.nats + AHEAD };
}

/** Reports whether a text may equally have been another one, although none is likely. */
export const isDoubtful = (all: Meant[]): boolean => all.length > 0 && all[0]!.nats > -DOUBT;
