// Previews the first lines of a file before and after a repair.
import { type Change, convert, type Repair, repair } from 'utf8kit';

/** A line: its number, from 1, and its text before and after. */
export interface Line {
  number: number;
  before: string;
  after: string;
}

/** Number of lines that are shown, and the most bytes of each. */
const LINES = 5;
const LONGEST = 160;

const LINE_FEED = 0x0a;
const decoder = new TextDecoder();

/** Returns the start and the end of the line around some bytes, at most this far from them. */
function lineAround(bytes: Uint8Array, at: number): [number, number] {
  const start = bytes.lastIndexOf(LINE_FEED, at - 1) + 1;
  const end = bytes.indexOf(LINE_FEED, at);
  return [at - start > LONGEST ? at - LONGEST / 2 : start, Math.min(end < 0 ? bytes.length : end, at + LONGEST)];
}

function numberOf(bytes: Uint8Array, at: number): number {
  let lines = 1;
  for (let next = bytes.indexOf(LINE_FEED); next >= 0 && next < at; next = bytes.indexOf(LINE_FEED, next + 1))
    lines += 1;
  return lines;
}

/** Returns the lines that contain changes, each with all of its changes. */
export function changedLines(bytes: Uint8Array, changes: Change[]): Line[] {
  const lines: Line[] = [];
  for (let next = 0; next < changes.length && lines.length < LINES;) {
    const [start, end] = lineAround(bytes, changes[next]!.offset);
    const parts: Uint8Array[] = [];
    const number = numberOf(bytes, changes[next]!.offset);
    let at = start;
    do {
      const { offset, before, after } = changes[next]!;
      parts.push(bytes.subarray(at, offset), after);
      at = offset + before.length;
      next += 1;
    } while (next < changes.length && changes[next]!.offset < end);
    parts.push(bytes.subarray(at, Math.max(at, end)));
    const after = parts.map((part) => decoder.decode(part)).join('');
    lines.push({ number, before: decoder.decode(bytes.subarray(start, end)), after });
  }
  return lines;
}

/** Returns the first non-ASCII lines, decoded as UTF-8 and in their own encoding. */
export function convertedLines(bytes: Uint8Array, encoding: string, artifact: Repair | null = null): Line[] {
  const whole = artifact ? repair(bytes, { policy: artifact }) : bytes;
  const text = decoder.decode(convert(whole, { from: encoding, policy: 'replace' })).replace(/^\ufeff/, '');
  const after = text.split(/[\n\x85]/).map((line, index) => [index + 1, line.slice(0, LONGEST)] as const);
  const shown = after.filter(([, line]) => /[^\0-\x7f]/.test(line));
  const first = (shown.length > 0 ? shown : after).slice(0, LINES);
  const before = decoder.decode(bytes).split('\n');
  return first.map(([number, line]) => ({ number, before: (before[number - 1] ?? '').slice(0, LONGEST), after: line }));
}
