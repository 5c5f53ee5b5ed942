// Which readings of garbled text are likely.
import type { Meant } from 'utf8kit';

/** By how many nats a reading is likelier than the text itself, at least. */
const LIKELIER = 5;
/** A file is more often what it seems. */
export const LIKELIER_THAN_FILE = 12;
/** By how many nats it may be less likely where the text itself is in doubt. */
const DOUBT = 4;
/** So far behind the first one, another is not worth a look; so far ahead, the first one is likely. */
const BEHIND = 30;
const AHEAD = 8;
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
export function likely(text: string, all: Meant[], likelier = LIKELIER): Likely {
  // One character alone may be any.
  const isOne = text.match(/[^\0-\x7f]/g)?.length === 1;
  const [best] = all;
  if (!best || isOne || best.nats < likelier) return { readings: [], first: false };
  const readings = all.filter(({ nats }) => nats >= Math.max(0, best.nats - BEHIND)).slice(0, SHOWN);
  return { readings, first: readings.length === 1 || best.nats > readings[1]!.nats + AHEAD };
}

/** Reports whether a text may as well have been another one, though none is likely. */
export const isDoubtful = (all: Meant[]): boolean => all.length > 0 && all[0]!.nats > -DOUBT;
