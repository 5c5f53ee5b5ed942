// Names in archives: what each is, and what it should be.
import { fixMojibake, type Guess, readNames, repair, validate } from 'utf8kit';
import type { StoredName } from './zip.ts';

/** A name that is not as it was meant. */
export interface BrokenName {
  /** Its index in the archive. */
  index: number;
  /** The name, with bytes that are not UTF-8 as `\xHH`. */
  stored: string;
  /** `null` if it is in no known encoding. */
  meant: string | null;
  why: 'encoding' | 'twice' | 'field' | 'unmarked' | 'unknown';
  /** The encoding of a name that is not UTF-8. */
  encoding: string;
  certainty: Guess['certainty'];
}

const decoder = new TextDecoder();

/** Returns the names that are not as they were meant. */
export function brokenNames(names: StoredName[]): BrokenName[] {
  const read = readNames(names.map(({ bytes }) => bytes));
  const texts = names.map(({ bytes }) => (validate(bytes) === null ? decoder.decode(bytes) : null));
  // A line end in a name would shift the lines.
  const lines = texts.map((text) => (text === null || /[\r\n]/.test(text) ? '' : text));
  const fixed = fixMojibake(lines.join('\n')).split('\n');
  return names.flatMap(({ bytes, known, marked }, index): BrokenName[] => {
    const [text, line] = [texts[index]!, fixed[index]];
    const plain = { index, encoding: 'utf-8', certainty: 'certain' } as const;
    if (text === null) {
      const stored = decoder.decode(repair(bytes, { policy: 'escape' }));
      if (known !== null) return [{ ...plain, stored, meant: known, why: 'field' }];
      const found = read[index];
      if (!found) return [{ ...plain, stored, meant: null, why: 'unknown' }];
      return [
        { index, stored, meant: found.text, why: 'encoding', encoding: found.encoding, certainty: found.certainty },
      ];
    }
    if (known !== null && known !== text) return [{ ...plain, stored: text, meant: known, why: 'field' }];
    if (line && line !== text && fixed.length === lines.length && lines[index] !== '')
      return [{ ...plain, stored: text, meant: line, why: 'twice' }];
    const isAscii = !/[^\0-\x7f]/.test(text);
    return marked || isAscii ? [] : [{ ...plain, stored: text, meant: text, why: 'unmarked' }];
  });
}

/** Returns the names that can be written, by index: those that are known well, and that stay in their folder. */
export function writableNames(broken: BrokenName[]): Map<number, string> {
  const isPlain = (name: string): boolean => !/[\0-\x1f\x7f-\x9f\\\ufffd]|(?:^|\/)\.{0,2}(?:\/|$)./.test(name);
  return new Map(
    broken.flatMap(({ index, meant, certainty }) =>
      meant !== null && certainty !== 'possible' && isPlain(meant) ? [[index, meant] as const] : [],
    ),
  );
}
