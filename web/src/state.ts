// The state of the page, and its fragment in the address.
import { type Encoding, ENCODINGS } from 'utf8kit';
import { type Notation, NOTATIONS } from './notation.ts';

export interface State {
  view: 'text' | 'file';
  encoding?: Encoding;
  notation?: Notation;
  bytes?: Uint8Array;
  /** The index of the selected character. */
  selected?: number;
}

/** The length of the longest text that is put into a link. */
export const LINKED = 4096;

/**
 * Returns the fragment of a text: its encoding, its notation, its bytes, and the selected character unless it is the
 * first.
 */
export function fragment(encoding: Encoding, notation: Notation, bytes: Uint8Array, selected: number): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `#${encoding}/${notation.replace(' ', '-')}/${hex}${selected > 0 ? `/${selected}` : ''}`;
}

/** Parses a fragment, ignoring unknown parts. */
export function fromFragment(text: string): State {
  if (['', '#', '#file', '#garbled'].includes(text)) return { view: 'file' };
  const [encoding, notation, hex, selected] = text.replace(/^#/, '').split('/');
  const state: State = { view: 'text' };
  if (ENCODINGS.includes(encoding as Encoding)) state.encoding = encoding as Encoding;
  const known = NOTATIONS.find((one) => one.replace(' ', '-') === notation);
  if (known) state.notation = known;
  if (hex !== undefined && /^(?:[0-9a-f]{2})*$/i.test(hex)) {
    state.bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  }
  if (selected !== undefined && /^\d{1,7}$/.test(selected)) state.selected = Number(selected);
  return state;
}
