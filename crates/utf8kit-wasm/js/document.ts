// Documents, and damage between two versions of a file: a module of its own (see ../src/document.rs).
import { type Bytes, bytesOf, type Output, pieces } from './bytes.js';
import { Closeable, Handle } from './handle.js';
import { type Instance, Library, platform, type Shared, type WasmSource } from './library.js';
import { nameOf } from './name.js';
import { DAMAGE_KINDS, type DamageKind } from './names.js';

export type { Bytes, Output } from './bytes.js';
export type { WasmModule, WasmSource } from './library.js';
export { DAMAGE_KINDS, type DamageKind } from './names.js';

interface Exports extends Shared {
  give(which: number, len: number): void;
  document(len: number, exact: number, unencodable: number): number;
  text(handle: number): void;
  bytes(handle: number): void;
  facts(handle: number): void;
  replace(handle: number, start: number, end: number): number;
  set_text(handle: number): number;
  bytes_range(handle: number, start: number, end: number): number;
  text_range(handle: number, start: number, end: number): void;
  opaque(handle: number): void;
  compare_versions(): void;
  restore_version(listed: number): void;
  list(oldStart: number, oldEnd: number, newStart: number, newEnd: number): void;
}

const documents = new Library<Exports>(() => 'utf8kit-document.wasm', 'documents are not loaded: await init() first');

/**
 * Loads the module of documents. In browsers and workers this must be awaited before anything else is called; in
 * Node.js, Deno and Bun it is optional. Without an argument it loads the file of the package. Later calls do nothing.
 * After a failure it can be called again.
 */
export function init(source?: WasmSource | PromiseLike<WasmSource>): Promise<void> {
  return documents.load(source);
}

/** The start and the end of a range. */
export type Span = [start: number, end: number];

export interface DocumentOptions {
  /**
   * The encoding, by any name that `convert` takes. Default: by a byte order mark, a declaration or detection.
   */
  encoding?: string;
  /**
   * `lf`, the default, shows every line end as a line feed; a new one is written as the line end of its neighbours.
   * `exact` shows them unchanged.
   */
  lineEnds?: 'lf' | 'exact';
  /**
   * The handling of characters that the encoding lacks. `refuse`, the default, throws an EditError. `transliterate`
   * writes the nearest equivalent, and throws if there is none. `escape` writes `\u20AC`. `recode` turns the whole
   * document into UTF-8, as reported by `isRecoded`.
   */
  unencodable?: 'refuse' | 'transliterate' | 'escape' | 'recode';
}

const LINE_ENDS = ['lf', 'exact'];
const UNENCODABLE = ['refuse', 'transliterate', 'escape', 'recode'];

/** Thrown by an edit with a character that the encoding lacks. The document is then unchanged. */
export class EditError extends Error {
  override readonly name = 'EditError';

  constructor(
    /** The character. */
    readonly codePoint: number,
    /** The encoding that lacks it. */
    readonly encoding: string,
    /** Its place in the new text, in UTF-16 code units. */
    readonly offset: number,
    /** Its line and column there, both from 1. Columns count code points. */
    readonly line: number,
    readonly column: number,
  ) {
    super(`${line}:${column}: ${encoding} lacks U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`);
  }
}

/**
 * A text in any encoding that can be edited. Unedited text keeps its bytes. The text has no byte order mark, and has
 * U+FFFD for bytes that are not text. Positions count UTF-16 code units, as in JavaScript's strings.
 */
export class Document extends Closeable {
  readonly #handle: Handle<Exports>;
  #text: string | undefined;

  constructor(source: Bytes, { encoding = '', lineEnds = 'lf', unencodable = 'refuse' }: DocumentOptions = {}) {
    const bytes = bytesOf(source);
    const exact = indexIn(LINE_ENDS, 'lineEnds', lineEnds);
    const number = indexIn(UNENCODABLE, 'unencodable', unencodable);
    const name = nameOf(encoding);
    const handle = new Handle(documents, (wasm) => {
      give(wasm, 0, bytes);
      const opened = wasm.call.document(wasm.putText(name), exact, number);
      if (opened < 0) throw new RangeError(`unknown encoding: ${encoding}`);
      return opened;
    });
    super(handle);
    this.#handle = handle;
  }

  /** Returns the text, with the edits. */
  text(): string {
    return (this.#text ??= this.#result('text', (wasm) => decode(wasm.output())));
  }

  /**
   * Replaces a part of the text. Common parts of the old and the new text keep their bytes. Throws a RangeError if the
   * part is not in the text, or begins or ends within a surrogate pair, and an EditError if the encoding lacks a
   * character.
   */
  replace(start: number, end: number, text: string): void {
    const done = isSpan(start, end) && this.#edit(text, start, ({ call }, number) => call.replace(number, start, end));
    if (!done) throw notInText(start, end);
  }

  /**
   * Makes `text` the text, by a small edit: equal parts keep their bytes. Throws an EditError like `replace`.
   */
  setText(text: string): void {
    this.#edit(text, 0, ({ call }, number) => call.set_text(number));
  }

  /** Returns the bytes. Unedited text gives exactly its original bytes. */
  toBytes(): Output {
    return this.#result('bytes', (wasm) => wasm.copied());
  }

  /** The names of the encodings: one, or UTF-8 and the encoding of the other lines. */
  get encodings(): string[] {
    return this.#result('facts', (wasm) => wasm.lines());
  }

  /** The length of the byte order mark at the start, in bytes; 0 if there is none. */
  get mark(): number {
    return this.#result('facts', (wasm) => wasm.numbers()[0]!);
  }

  /** Whether anything was edited. */
  get isEdited(): boolean {
    return this.#result('facts', (wasm) => wasm.numbers()[1] === 1);
  }

  /** Whether an edit has turned the whole document into UTF-8. */
  get isRecoded(): boolean {
    return this.#result('facts', (wasm) => wasm.numbers()[2] === 1);
  }

  /** Returns the range of `toBytes()` for a range of the text. */
  toBytesRange(start: number, end: number): Span {
    const { number, wasm } = this.#handle;
    if (!isSpan(start, end) || wasm.call.bytes_range(number, start, end)) throw notInText(start, end);
    return spanAt(wasm.numbers(), 0);
  }

  /** Returns the range of the text for a range of `toBytes()`. */
  toTextRange(start: number, end: number): Span {
    if (!isSpan(start, end)) throw new RangeError(`not a range: ${start} to ${end}`);
    const { number, wasm } = this.#handle;
    wasm.call.text_range(number, start, end);
    return spanAt(wasm.numbers(), 0);
  }

  /** Returns the places of the original text that stand for bytes that are not text. */
  opaque(): { text: Span; bytes: Span }[] {
    const ends = this.#result('opaque', (wasm) => wasm.numbers());
    return rows(ends, 4).map((at) => ({ text: spanAt(ends, at), bytes: spanAt(ends, at + 2) }));
  }

  /** Makes an edit with a text that begins at a position. Reports whether there is such a position. */
  #edit(text: string, start: number, edit: (wasm: Instance<Exports>, number: number) => number): boolean {
    if (typeof text !== 'string') throw new TypeError('expected a string');
    const { number, wasm } = this.#handle;
    const lone = text.search(/\p{Surrogate}/u);
    if (lone >= 0) {
      const lines = (this.text().slice(0, start) + text.slice(0, lone)).split('\n');
      const [offset, column] = [lines.join('\n').length, [...lines.at(-1)!].length + 1];
      throw new EditError(text.charCodeAt(lone), this.encodings[0]!, offset, lines.length, column);
    }
    give(wasm, 0, platform.encoder.encode(text));
    const outcome = edit(wasm, number);
    if (outcome === LACKING) {
      const [offset, line, column, codePoint] = wasm.numbers();
      throw new EditError(codePoint!, wasm.lines()[0]!, offset!, line!, column!);
    }
    if (outcome === 0) this.#text = undefined;
    return outcome === 0;
  }

  #result<R>(what: 'text' | 'bytes' | 'facts' | 'opaque', take: (wasm: Instance<Exports>) => R): R {
    const { number, wasm } = this.#handle;
    wasm.call[what](number);
    return take(wasm);
  }
}

/** The return value of an edit if the encoding lacks a character. */
const LACKING = 2;

/** A damaged place: it was not edited, and its bytes changed. Adjacent places of the same kind are joined. */
export interface Damage {
  kind: DamageKind;
  /** Its bytes in the old version, and in the new one. */
  old: Span;
  new: Span;
  /** Its line and column in the new version, both from 1. Columns count code points. */
  line: number;
  column: number;
  /** Whether it is uncertain which bytes were here. `restore` leaves such a place unchanged. */
  doubtful: boolean;
}

/** The differences between two versions of a file. */
export interface Comparison {
  /** The encoding of the new version. */
  encoding: string;
  /** The damage, in order. */
  damage: Damage[];
  /** The edits, in order: the bytes in the old version, and in the new one. */
  edits: { old: Span; new: Span }[];
}

/** Finds the damage between two versions of a file: unedited text whose bytes changed. */
export function compare(old: Bytes, changed: Bytes): Comparison {
  const wasm = given(old, changed);
  wasm.call.compare_versions();
  const [count, ...all] = wasm.numbers();
  const edits = all.splice(8 * count!);
  const comparison = {
    encoding: wasm.lines()[0]!,
    damage: rows(all, 8).map((at) => ({
      kind: DAMAGE_KINDS[all[at]!]!,
      old: spanAt(all, at + 1),
      new: spanAt(all, at + 3),
      line: all[at + 5]!,
      column: all[at + 6]!,
      doubtful: all[at + 7] === 1,
    })),
    edits: rows(edits, 4).map((at) => ({ old: spanAt(edits, at), new: spanAt(edits, at + 2) })),
  };
  documents.rest();
  return comparison;
}

/**
 * Returns the new version of a file with damage undone and its edits kept. Undoes the places in `damage`, which
 * `compare` found between the same versions, or all of them. Doubtful places stay unchanged.
 */
export function restore(old: Bytes, changed: Bytes, damage?: readonly Damage[]): Output {
  const places = damage?.map((place) => [...place.old, ...place.new].map(Number) as [number, number, number, number]);
  const wasm = given(old, changed);
  for (const place of places ?? []) wasm.call.list(...place);
  wasm.call.restore_version(Number(damage !== undefined));
  const restored = wasm.copied();
  documents.rest();
  return restored;
}

/** Passes two versions of a file to the module. */
function given(old: Bytes, changed: Bytes): Instance<Exports> {
  const versions = [old, changed].map(bytesOf);
  const wasm = documents.running;
  versions.forEach((bytes, which) => give(wasm, which, bytes));
  return wasm;
}

function give(wasm: Instance<Exports>, which: number, bytes: Uint8Array): void {
  for (const piece of pieces(bytes)) wasm.call.give(which, wasm.put(piece));
}

/** Returns the start of each row of this many numbers. */
function rows({ length }: ArrayLike<number>, width: number): number[] {
  return Array.from({ length: length / width }, (_, row) => row * width);
}

const spanAt = (ends: ArrayLike<number>, at: number): Span => [ends[at]!, ends[at + 1]!];

const decode = (bytes: Output): string => new platform.Decoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** Reports whether two numbers can be the ends of a range. */
const isSpan = (start: number, end: number): boolean =>
  Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end <= 0xffff_ffff;

function notInText(start: number, end: number): RangeError {
  return new RangeError(`${start} to ${end} is not a part of the text, or cuts a surrogate pair`);
}

/** Returns the index of an option's value. */
function indexIn(values: readonly string[], option: string, value: string): number {
  const index = values.indexOf(value);
  if (index < 0) throw new RangeError(`${option} must be one of ${values.join(', ')}, not ${String(value)}`);
  return index;
}
