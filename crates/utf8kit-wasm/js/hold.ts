/** How much of the end of a text is held back until more arrives: nothing, or a character as readers see it. */
export type HoldBack = 'none' | 'grapheme';

/** The most bytes of UTF-8 that are held back. */
const MAX = 256;

/**
 * A text that arrives in pieces and leaves in whole extended grapheme clusters, which readers see as one character. The
 * pieces together are the unchanged text.
 *
 * The last cluster is held back until the next one begins, or the text ends; line feeds and other controls are not,
 * because nothing combines with them. A cluster of more than 256 bytes in UTF-8 is passed on as it arrives. The
 * clusters follow the engine's `Intl.Segmenter`.
 */
export class Hold {
  #held = '';
  readonly #segmenter = segmenter();

  /** Adds a piece; returns the text with which no further piece can combine. */
  push(piece: string): string {
    const text = this.#held + piece;
    const end = this.#settled(text);
    this.#held = text.slice(end);
    return text.slice(0, end);
  }

  /** Ends the text; returns the text that was held back. */
  finish(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }

  /** The text that is held back. */
  get held(): string {
    return this.#held;
  }

  /** The length of the part of a text with which nothing can combine. */
  #settled(whole: string): number {
    // The first half of a surrogate pair waits for the other one.
    const text = whole.charCodeAt(whole.length - 1) >> 10 === 0x36 ? whole.slice(0, -1) : whole;
    if (text === '' || text.endsWith('\n')) return text.length;
    const last = this.#segmenter.segment(text).containing(text.length - 1)!;
    const end = text.slice((text.codePointAt(text.length - 2) ?? 0) > 0xffff ? -2 : -1);
    const isOpen = end === '\r' || this.#segmenter.segment(`${end}\u0300`).containing(0)!.segment.length > end.length;
    return isOpen && (3 * last.segment.length <= MAX || utf8Length(last.segment) <= MAX) ? last.index : text.length;
  }
}

let known: Intl.Segmenter | undefined;

function segmenter(): Intl.Segmenter {
  if (!('Segmenter' in Intl)) throw new Error('to hold back graphemes takes Intl.Segmenter, which this engine lacks');
  return (known ??= new Intl.Segmenter('en', { granularity: 'grapheme' }));
}

function utf8Length(text: string): number {
  let length = 0;
  for (const c of text) length += c < '\x80' ? 1 : c < '\u0800' ? 2 : c.length === 1 ? 3 : 4;
  return length;
}

/**
 * Returns the `Hold` of an option.
 * @internal
 */
export function holdOf(option: HoldBack = 'none'): Hold | null {
  if (option === 'grapheme') return new Hold();
  if (option === 'none') return null;
  throw new RangeError(`hold is 'none' or 'grapheme', not '${String(option)}'`);
}
