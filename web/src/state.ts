// What is looked at, and the fragment of the address that says so.
import { type Encoding, ENCODINGS } from 'utf8kit';
import type { Notation } from './notation.ts';

export interface State {
  view: 'text' | 'file';
  encoding: Encoding;
  bytes: Uint8Array;
  /** How the source shows the bytes. */
  notation: Notation;
}

const NOTATIONS: readonly Notation[] = ['text', 'hex', 'code points', 'escapes'];

/** The fragment of a state. */
export function fragment({ view, encoding, bytes, notation }: State): string {
  if (view === 'file') return '#file';
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `#${encoding}/${notation.replace(' ', '-')}/${hex}`;
}

/** The state of a fragment; what is not understood is left out. */
export function fromFragment(text: string): Partial<State> {
  if (text === '#file') return { view: 'file' };
  const [encoding, notation, hex] = text.replace(/^#/, '').split('/');
  const state: Partial<State> = { view: 'text' };
  if (ENCODINGS.includes(encoding as Encoding)) state.encoding = encoding as Encoding;
  const known = NOTATIONS.find((one) => one.replace(' ', '-') === notation);
  if (known) state.notation = known;
  if (hex !== undefined && /^(?:[0-9a-f]{2})*$/i.test(hex)) {
    state.bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  }
  return state;
}
