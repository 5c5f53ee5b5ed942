import { type Bytes, bytesOf, type Output, PIECE, pieces } from './bytes.js';
import { Closeable, Handle } from './handle.js';
import { type Exports, library, platform } from './library.js';

/** The unit of positions: bytes, UTF-16 code units or code points, by the names of the Language Server Protocol. */
export type PositionUnit = 'utf-8' | 'utf-16' | 'utf-32';

const UNITS: readonly string[] = ['utf-8', 'utf-16', 'utf-32'];

/** A position of the Language Server Protocol: a line, and the number of units before it in that line, both from 0. */
export interface LspPosition {
  line: number;
  character: number;
}

export interface TextIndexOptions {
  /**
   * The line ends that are recognised. `universal`, the default: LF, CR LF and CR, as the protocol prescribes. `lf`:
   * only LF. `unicode`: also VT, FF, NEL, LS and PS.
   */
  lineEnds?: 'lf' | 'universal' | 'unicode';
}

const LINE_ENDS: readonly string[] = ['lf', 'universal', 'unicode'];

/** Kinds of queries: see `index_ask` in ../src/library/mod.rs. */
const [POSITION, OFFSET, LSP_POSITION, LSP_OFFSET, LINE_COLUMN, OFFSET_AT, LINE, LINE_WITH_END, LENGTH, LINES] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
];

/** How many numbers are passed at a time; even, because some queries take two. */
const PAGE = PIECE / 8;

/**
 * The positions of a text in bytes, UTF-16 code units, code points and lines. Offsets count UTF-16 code units if it was
 * made from a string, or bytes if it was made from UTF-8, which may be invalid: an error is then one code point and one
 * UTF-16 code unit. The index keeps a copy of the text as UTF-8, and takes another 1.7 % of its size. Each query is a
 * search and a scan of at most a kilobyte of text, however long the text and its lines are.
 */
export class TextIndex extends Closeable {
  readonly #handle: Handle<Exports>;
  readonly #isString: boolean;

  constructor(text: string | Bytes, { lineEnds = 'universal' }: TextIndexOptions = {}) {
    const bytes = typeof text === 'string' ? platform.encoder.encode(text) : bytesOf(text);
    const ends = LINE_ENDS.indexOf(lineEnds);
    if (ends < 0) throw new RangeError(`lineEnds must be one of ${LINE_ENDS.join(', ')}, not ${String(lineEnds)}`);
    const handle = new Handle(library, ({ call }) => call.index(ends));
    super(handle);
    this.#handle = handle;
    this.#isString = typeof text === 'string';
    this.#put(bytes, 0, 0, 0);
  }

  /** The number of lines: one more than line ends. */
  get lines(): number {
    return this.#ask(LINES, 'utf-8', [])[0]!;
  }

  /** Returns the length of the text in a unit. */
  length(unit: PositionUnit): number {
    return this.#ask(LENGTH, unit, [])[0]!;
  }

  /** Returns the current text: a string, or bytes. Lone surrogates of a string have become U+FFFD. */
  text(): string | Output {
    const { number, wasm } = this.#handle;
    wasm.call.index_text(number);
    const text = this.#isString
      ? new platform.Decoder('utf-8', { ignoreBOM: true }).decode(wasm.output())
      : wasm.copied();
    return text;
  }

  /** Returns the position of an offset in a unit; beyond the end, the end's. */
  position(offset: number, unit: PositionUnit): number {
    return this.positions([offset], unit)[0]!;
  }

  /** Returns the positions of many offsets, in any order. Ascending ones are faster. */
  positions(offsets: readonly number[], unit: PositionUnit): number[] {
    return this.#ask(POSITION, unit, offsets);
  }

  /**
   * Returns the offset of a position in a unit; `undefined` if it is beyond the end. Within a character, such as
   * between two surrogates, it is the offset of the character.
   */
  offset(position: number, unit: PositionUnit): number | undefined {
    return this.offsets([position], unit)[0];
  }

  /** Returns the offsets of many positions, in any order. Ascending ones are faster. */
  offsets(positions: readonly number[], unit: PositionUnit): (number | undefined)[] {
    return this.#ask(OFFSET, unit, positions).map(found);
  }

  /**
   * Returns the line and column of an offset, both from 1. A line end is the last one or two characters of its line.
   */
  lineColumn(offset: number, unit: PositionUnit = 'utf-32'): { line: number; column: number } {
    const [line, column] = this.#ask(LINE_COLUMN, unit, [offset]);
    return { line: line!, column: column! };
  }

  /** Returns the offset of a line and column, both from 1; `undefined` if there is no such line or column. */
  offsetAt(line: number, column: number, unit: PositionUnit = 'utf-32'): number | undefined {
    return found(this.#ask(OFFSET_AT, unit, [line, column])[0]!);
  }

  /** Returns the start and the end of a line (from 1), with or without its line end. */
  line(line: number, { withEnd = false }: { withEnd?: boolean } = {}): [start: number, end: number] | undefined {
    const [start, end] = this.#ask(withEnd ? LINE_WITH_END : LINE, 'utf-8', [line]);
    return start! < 0 ? undefined : [start!, end!];
  }

  /** Returns the position of an offset. Within CR LF, it is the end of the line. */
  lspPosition(offset: number, unit: PositionUnit = 'utf-16'): LspPosition {
    return this.lspPositions([offset], unit)[0]!;
  }

  /** Returns the positions of many offsets, in any order. Ascending ones are faster. */
  lspPositions(offsets: readonly number[], unit: PositionUnit = 'utf-16'): LspPosition[] {
    const numbers = this.#ask(LSP_POSITION, unit, offsets);
    return offsets.map((_, at) => ({ line: numbers[2 * at]!, character: numbers[2 * at + 1]! }));
  }

  /**
   * Returns the offset of a position, clamped as the protocol prescribes: beyond the end of a line it is the end of the
   * line, before its line end. Beyond the last line it is the end of the text.
   */
  lspOffset(position: LspPosition, unit: PositionUnit = 'utf-16'): number {
    return this.lspOffsets([position], unit)[0]!;
  }

  /** Returns the offsets of many positions, in any order. Ascending ones are faster. */
  lspOffsets(positions: readonly LspPosition[], unit: PositionUnit = 'utf-16'): number[] {
    const numbers = positions.flatMap(({ line, character }) => [line, character]);
    return this.#ask(LSP_OFFSET, unit, numbers);
  }

  /**
   * Replaces a part of the text, at a cost proportional to the change. Throws a RangeError if the part is not in the
   * text, or begins or ends within a surrogate pair.
   */
  edit(start: number, end: number, text: string | Bytes): void {
    if (this.#isString !== (typeof text === 'string')) throw new TypeError('expected what the text is');
    const bytes = typeof text === 'string' ? platform.encoder.encode(text) : bytesOf(text);
    const isRange = [start, end].every((at) => Number.isInteger(at) && at >= 0 && at <= 0xffff_ffff);
    if (!isRange || !this.#put(bytes, this.#own, start, end)) {
      throw new RangeError(`${start} to ${end} is not a part of the text, or cuts a surrogate pair`);
    }
  }

  /** The number of the unit of offsets. */
  get #own(): number {
    return this.#isString ? 1 : 0;
  }

  #put(bytes: Uint8Array, unit: number, start: number, end: number): boolean {
    const { number, wasm } = this.#handle;
    for (const piece of pieces(bytes)) wasm.call.index_give(number, wasm.put(piece));
    return wasm.call.index_edit(number, unit, start, end) === 0;
  }

  #ask(what: number, unit: PositionUnit, questions: readonly number[]): number[] {
    const index = UNITS.indexOf(unit);
    if (index < 0) throw new RangeError(`unit must be one of ${UNITS.join(', ')}, not ${String(unit)}`);
    const { number, wasm } = this.#handle;
    const page = (some: readonly number[]): number[] => {
      // Little-endian, as in the module.
      const bytes = new DataView(new ArrayBuffer(8 * some.length));
      some.forEach((question, at) => bytes.setFloat64(8 * at, question, true));
      wasm.call.index_ask(number, what, 4 * this.#own + index, wasm.put(new Uint8Array(bytes.buffer)));
      return Array.from(wasm.numbers());
    };
    if (questions.length <= PAGE) return page(questions);
    const pages: number[][] = [];
    for (let at = 0; at < questions.length; at += PAGE) pages.push(page(questions.slice(at, at + PAGE)));
    return pages.flat();
  }
}

/** Returns a number that must exist. */
const found = (number: number): number | undefined => (number < 0 ? undefined : number);
