// Legacy encodings, detection, and the repairs that need them: a second module (see ../src/detect).
import { type Bytes, bytesOf, joined, type Output, PIECE, pieces } from './bytes.js';
import { ConvertError, type PlacedError } from './error.js';
import { encodingOf } from './labels.js';
import { Library, platform, type Shared, type WasmSource } from './library.js';
import { nameOf } from './name.js';
import { POLICIES, type Policy, type Repair } from './names.js';
import { Closeable, closing, type Conversion, Handle } from './handle.js';
import { Pairs } from './pairs.js';

interface Exports extends Shared {
  decoder(len: number): number;
  decode(handle: number, len: number, last: number, fatal: number): number;
  decode_whole(len: number, labelLen: number, fatal: number): number;
  pairs(len: number): void;
  legacy_checker(len: number): number;
  check(handle: number, len: number, last: number): number;
  legacy_converter(len: number, invalid: number): number;
  repairer(len: number): number;
  legacy_push(handle: number, len: number, last: number): number;
  again(handle: number): void;
  changes(handle: number): void;
  legacy_encode(len: number, codePoint: number): void;
  canonical(len: number): void;
  detect(len: number): number;
  guess(whole: number): void;
  candidates(len: number, cut: number): void;
  misread(len: number): void;
  read_names(len: number): void;
  language(len: number): void;
  readability(len: number): number;
}

const tables = new Library<Exports>(
  () => 'utf8kit-detect.wasm',
  'the legacy encodings are not loaded: await initLegacy() first',
);

/**
 * Loads the tables of the legacy encodings, and detection. In Node.js, Deno and Bun, this happens automatically. In
 * browsers, a `Decoder` of a legacy encoding works without them, through the browser's own TextDecoder; everything else
 * about legacy encodings needs them.
 */
export function initLegacy(source?: WasmSource | PromiseLike<WasmSource>): Promise<void> {
  return tables.load(source);
}

/** Opens a stream of the module by its names. */
function opened(names: string[], open: (call: Exports, len: number) => number): Handle<Exports> {
  return new Handle(tables, (wasm) => {
    const number = open(wasm.call, wasm.putText(names.join('\n')));
    if (number < 0) throw new RangeError(`unknown encoding or policy among ${names.join(', ')}`);
    return number;
  });
}

/**
 * Decodes a legacy encoding. A fatal decoder throws a TypeError at the first error.
 * @internal
 */
export interface LegacyDecoder {
  decode(bytes: Uint8Array, last: boolean): string;
  close(): void;
}

/** @internal */
export function legacyDecoder(name: string, fatal: boolean): LegacyDecoder {
  if (tables.loaded) return new TableDecoder(name, fatal);
  const decoder = new platform.Decoder(name, { fatal });
  return { decode: (bytes, last) => decoder.decode(bytes, { stream: !last }), close: () => undefined };
}

/** Multi-byte encodings, for which a comparison of all characters would take long. */
const WIDE: readonly string[] = ['gbk', 'gb18030', 'big5', 'euc-jp', 'iso-2022-jp', 'shift_jis', 'euc-kr'];

/** Whether the engine decodes a single-byte encoding as the standard requires. Determined once. */
const agreed = new Map<string, boolean>();

/**
 * Reports whether the engine can decode an encoding instead of the tables. It is faster, but not always correct.
 * @internal
 */
export function engineAgrees(name: string): boolean {
  let agrees = agreed.get(name);
  if (agrees === undefined) {
    if (!tables.loaded) return false;
    agrees = !WIDE.includes(name) && decodesAlike(name);
    agreed.set(name, agrees);
  }
  return agrees;
}

/** Compares the engine with the tables for all bytes, or, if errors are fatal, for all bytes with a character. */
function decodesAlike(name: string): boolean {
  try {
    const [lax, fatal] = [false, true].map((fatal) => new platform.Decoder(name, { fatal }));
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const text = wholeLegacy(all, name, false)!;
    const [good, bad] = [all.filter((byte) => text[byte] !== '\ufffd'), all.filter((byte) => text[byte] === '\ufffd')];
    const refuses = (byte: number): boolean => {
      try {
        fatal!.decode(Uint8Array.of(byte));
        return false;
      } catch {
        return true;
      }
    };
    const known = text.replaceAll('\ufffd', '');
    return lax!.decode(all) === text && fatal!.decode(good) === known && Array.from(bad).every(refuses);
  } catch {
    // Node.js lacks some encodings.
    return false;
  }
}

/** The tables requested so far of encodings of one and two bytes per character; `null` for other encodings. */
const pairs = new Map<string, Pairs | null>();

/**
 * Returns the tables of an encoding of one and two bytes per character; `null` for other encodings, or if the module is
 * not loaded.
 * @internal
 */
export function pairsOf(name: string): Pairs | null {
  let found = pairs.get(name);
  if (found === undefined) {
    if (!tables.loaded) return null;
    const wasm = tables.running;
    wasm.call.pairs(wasm.putText(name));
    const units = new Uint16Array(wasm.copied().buffer);
    found = units.length > 0 ? new Pairs(units) : null;
    pairs.set(name, found);
  }
  return found;
}

/** The labels of encodings as bytes. */
const labels = new Map<string, Uint8Array>();

/** The most bytes that the module decodes at once, which leaves space for a label after them. */
const WHOLE = PIECE - 64;

/**
 * Decodes a whole input by the tables. Returns `null` if they are not loaded, or if it is too long.
 * @internal
 */
export function wholeLegacy(bytes: Uint8Array, name: string, fatal: boolean): string | null {
  if (!tables.loaded) return null;
  if (bytes.length > WHOLE) return pairsOf(name) && longPairs(bytes, name, fatal);
  decodeWhole(bytes, name, fatal);
  return tables.running.utf16(true);
}

/** Decodes at most `WHOLE` bytes. The result is in the module's output. */
function decodeWhole(bytes: Uint8Array, name: string, fatal: boolean): void {
  let label = labels.get(name);
  if (!label) labels.set(name, (label = platform.encoder.encode(name)));
  const wasm = tables.running;
  wasm.putBoth(bytes, label);
  if (wasm.call.decode_whole(bytes.length, label.length, Number(fatal))) throw invalid(name);
}

/** Bytes below this are characters by themselves, because they are never second bytes. */
const ALONE = 0x30;

/** Decodes a long input in parts that end with a character of one byte. Returns `null` if it has too few of them. */
function longPairs(bytes: Uint8Array, name: string, fatal: boolean): string | null {
  // A byte becomes at most one code unit.
  const units = new Uint8Array(2 * bytes.length);
  let length = 0;
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(start + WHOLE, bytes.length);
    if (end < bytes.length) while (end > start && bytes[end - 1]! >= ALONE) end -= 1;
    if (end === start) return null;
    decodeWhole(bytes.subarray(start, end), name, fatal);
    const part = tables.running.output();
    units.set(part, length);
    length += part.length;
    start = end;
  }
  return platform.utf16(units.buffer, 0, length, true);
}

const invalid = (name: string): TypeError => new TypeError(`The encoded data was not valid ${name}`);

const EMPTY = new Uint8Array();

class TableDecoder extends Closeable implements LegacyDecoder {
  readonly #handle: Handle<Exports>;

  constructor(
    private readonly name: string,
    private readonly fatal: boolean,
  ) {
    const handle = opened([name], (call, len) => call.decoder(len));
    super(handle);
    this.#handle = handle;
  }

  decode(bytes: Uint8Array, last: boolean): string {
    let text = '';
    for (const piece of pieces(bytes)) text += this.#step(piece, false);
    return last ? text + this.#step(EMPTY, true) : text;
  }

  #step(piece: Uint8Array, last: boolean): string {
    const { number, wasm } = this.#handle;
    const failed = wasm.call.decode(number, wasm.put(piece), Number(last), Number(this.fatal));
    if (failed) throw invalid(this.name);
    return wasm.utf16(true);
  }
}

/**
 * Returns the first errors of a text in a legacy encoding.
 * @internal
 */
export function legacyErrors(bytes: Uint8Array, name: string, limit: number): PlacedError[] {
  return closing(
    opened([name], (call, len) => call.legacy_checker(len)),
    ({ number, wasm }) => {
      const found: PlacedError[] = [];
      for (const piece of [...pieces(bytes, STEP), EMPTY]) {
        wasm.call.check(number, wasm.put(piece), Number(piece === EMPTY));
        const all = wasm.numbers();
        for (let at = 0; at < all.length && found.length < limit; at += 4) {
          found.push({
            offset: all[at]!,
            len: all[at + 1]!,
            kind: 'malformed',
            line: all[at + 2]! + 1,
            column: all[at + 3]! + 1,
          });
        }
        if (found.length >= limit) break;
      }
      return found;
    },
  );
}

/** Errors are taken from the module after this many bytes, so that it holds few, however many there are. */
const STEP = 64 * 1024;

/**
 * Converts if one of the encodings is not the library's own.
 * @internal
 */
export function convertLegacy(bytes: Uint8Array, from: string, to: string, policy: Policy): Output {
  const converter = legacyConverter(from, to, policy);
  return closing(converter, (handle) => joined(pushed(handle, bytes, true)));
}

/** Opens a converter of a stream. */
function legacyConverter(from: string, to: string, policy: Policy): Handle<Exports> {
  const invalid = POLICIES.indexOf(policy);
  if (invalid < 0) throw new RangeError(`the policies are ${POLICIES.join(', ')}, not ${String(policy)}`);
  return opened([from, to].map(nameOf), (call, len) => call.legacy_converter(len, invalid));
}

/**
 * A conversion of a stream, if one of the encodings is not the library's own.
 * @internal
 */
export class LegacyConversion implements Conversion {
  offset = 0;
  changes = 0;
  pending = 0;
  readonly close: () => void;
  readonly #handle: Handle<Exports>;
  #error: ConvertError | undefined;

  constructor(from: string, to: string, policy: Policy) {
    this.#handle = legacyConverter(from, to, policy);
    this.close = this.#handle.close;
  }

  advance(piece: Uint8Array | null): void {
    const { number, wasm } = this.#handle;
    if (this.#error) throw this.#error;
    const failed = wasm.call.legacy_push(number, wasm.put(piece ?? EMPTY), Number(piece === null));
    const numbers = wasm.numbers();
    if (failed) throw (this.#error = lackingError(numbers));
    this.offset += (piece?.length ?? 0) + this.pending - numbers[1]!;
    [this.changes, this.pending] = [numbers[0]!, numbers[1]!];
  }

  output(): Output {
    return this.#handle.wasm.output();
  }

  utf16(scalar: boolean): string {
    return this.#handle.wasm.utf16(scalar);
  }
}

/** Returns the error of a strict conversion. */
function lackingError([offset, len, lacking]: Float64Array): ConvertError {
  return new ConvertError({ offset: offset!, len: len!, kind: lacking! < 0 ? 'malformed' : 'unrepresentable' });
}

/** Pushes bytes, and yields the output in parts. */
function* pushed({ number, wasm }: Handle<Exports>, bytes: Uint8Array, last: boolean): Generator<Output> {
  const all = [...pieces(bytes)];
  if (last && all.length === 0) all.push(EMPTY);
  for (const [index, piece] of all.entries()) {
    const failed = wasm.call.legacy_push(number, wasm.put(piece), Number(last && index === all.length - 1));
    if (failed) throw lackingError(wasm.numbers());
    yield wasm.copied();
  }
}

export type { Repair } from './names.js';

/** A change of a repair: its offset, and the old and the new bytes, at most 400 of each. */
export interface Change {
  offset: number;
  before: Output;
  after: Output;
}

/** Repairs a stream by a policy that needs tables. */
export class Repairer extends Closeable {
  /** The number of places that were changed. */
  changes = 0;
  readonly #handle: Handle<Exports>;

  constructor(policy: Repair, encoding: string = 'utf-8') {
    const handle = opened([policy, nameOf(encoding)], (call, len) => call.repairer(len));
    super(handle);
    this.#handle = handle;
  }

  /** Adds a piece; returns the output that no further input can change. */
  push(bytes: Bytes): Output {
    return joined([...this.each(bytes)]);
  }

  /** Adds a piece like `push`, but yields the output in parts. */
  *each(bytes: Bytes): Generator<Output> {
    for (const part of pushed(this.#handle, bytesOf(bytes), false)) {
      this.changes = this.#handle.wasm.numbers()[0]!;
      yield part;
    }
  }

  /** Ends the stream; returns the rest of the output. */
  finish(): Output {
    const [rest] = pushed(this.#handle, EMPTY, true);
    this.changes = this.#handle.wasm.numbers()[0]!;
    return rest!;
  }

  /** Returns the first 50 changes. */
  firstChanges(): Change[] {
    const { number, wasm } = this.#handle;
    wasm.call.changes(number);
    const [all, bytes] = [wasm.numbers(), wasm.output()];
    const changes: Change[] = [];
    for (let at = 0, start = 0; at < all.length; at += 3) {
      const [middle, end] = [start + all[at + 1]!, start + all[at + 1]! + all[at + 2]!];
      changes.push({ offset: all[at]!, before: bytes.slice(start, middle), after: bytes.slice(middle, end) });
      start = end;
    }
    return changes;
  }

  /**
   * Restarts for the same input, with the evidence of the first pass: the encodings that its lines went through decide
   * about lines that could have gone through several.
   */
  again(): void {
    const { number, wasm } = this.#handle;
    wasm.call.again(number);
    this.changes = 0;
  }

  /**
   * Repairs a whole input, with the evidence of a first pass over it.
   * @internal
   */
  whole(bytes: Uint8Array): Output {
    for (const part of pushed(this.#handle, bytes, true)) void part;
    this.again();
    return joined([...this.each(bytes), this.finish()]);
  }
}

/**
 * Undoes double encoding line by line: text that was decoded from a wrong encoding and saved as UTF-8. Other lines stay
 * unchanged. In browsers, after `initLegacy`.
 */
export function fixMojibake(text: string): string {
  if (typeof text !== 'string') throw new TypeError('expected a string');
  const bytes = platform.encoder.encode(text);
  return closing(new Repairer('mojibake'), (repairer) => {
    const repaired = repairer.whole(bytes);
    return repairer.changes === 0 ? text : new platform.Decoder('utf-8', { ignoreBOM: true }).decode(repaired);
  });
}

/**
 * Returns the bytes of a code point in a legacy encoding, or `null` if it cannot represent it. In browsers, after
 * `initLegacy`.
 */
export function encodeLegacy(codePoint: number, label: string): Output | null {
  const { name, own } = encodingOf(label);
  if (own) throw new RangeError(`not a legacy encoding: ${label}`);
  const wasm = tables.running;
  wasm.call.legacy_encode(wasm.putText(name), codePoint);
  const bytes = wasm.copied();
  return bytes.length > 0 ? bytes : null;
}

/**
 * Returns the canonical name of an encoding of any kind, in lower case; `null` if it is unknown.
 * @internal
 */
export function canonicalName(label: string): string | null {
  const wasm = tables.running;
  wasm.call.canonical(wasm.putText(label));
  return new platform.Decoder().decode(wasm.output()) || null;
}

/**
 * An action that makes an input UTF-8: a conversion, without the byte order mark if `stripMark`, or a repair by a
 * policy.
 */
export type Suggestion =
  { do: 'convert'; from: string; stripMark: boolean } | { do: 'repair'; policy: Policy | Repair };

/** Parses the suggestion of the module. */
function suggestionOf(words: string): Suggestion | null {
  const [work, what, mark] = words.split(' ');
  if (!what) return null;
  if (work === 'convert') return { do: 'convert', from: what, stripMark: mark === 'strip' };
  return { do: 'repair', policy: what as Policy | Repair };
}

/** The best guess at an encoding. */
export interface Guess {
  /** Its name; `null` if the bytes are not text. */
  encoding: string | null;
  certainty: 'certain' | 'likely' | 'possible';
  /** The encoding from which UTF-8 was misdecoded before it was encoded as UTF-8 again, if it was. */
  misdecodedAs: string | null;
  /** The encoding of the lines that are not UTF-8, if most of the others are. */
  mixed: string | null;
  /** Other encodings that it may be in, the likeliest first. */
  alternatives: string[];
  /** The policy of a `Repairer` that undoes lossless damage, to apply before the suggestion; or `null`. */
  artifact: Repair | null;
  /** The action that makes the input UTF-8 and keeps all undamaged text; `null` if none is needed or known. */
  suggestion: Suggestion | null;
  /** Whether the suggestion is sure. Otherwise, check its result. */
  sure: boolean;
  /** Other facts that users should know, in plain English: lost text, a wrong declaration. */
  notes: string[];
  /** The evidence, in plain English. */
  evidence: string[];
}

/**
 * Guesses the encoding of bytes, which are the whole input unless `whole` is false. In browsers, after `initLegacy`.
 */
export function detect(source: Bytes, { whole = true }: { whole?: boolean } = {}): Guess {
  const bytes = bytesOf(source);
  const wasm = tables.running;
  for (const piece of pieces(bytes)) if (!wasm.call.detect(wasm.put(piece))) break;
  wasm.call.guess(Number(whole));
  const [facts, rest] = [wasm.lines(), 9];
  const [encoding, certainty, misdecodedAs, mixed, others, suggestion, sure, artifact, notes] = facts as [
    string,
    ...string[],
  ];
  const evidence = rest + Number(notes);
  tables.rest();
  return {
    encoding: encoding || null,
    certainty: certainty as Guess['certainty'],
    misdecodedAs: misdecodedAs || null,
    mixed: mixed || null,
    alternatives: others ? others.split(' ') : [],
    artifact: (artifact || null) as Repair | null,
    suggestion: suggestionOf(suggestion!),
    sure: sure !== '',
    notes: facts.slice(rest, evidence),
    evidence: facts.slice(evidence),
  };
}

/** An encoding that bytes may be in. */
export interface Candidate {
  encoding: string;
  /** Its probability: 1 is certain. */
  score: number;
}

/**
 * Returns the encodings that bytes may be in, the likeliest first, which is the guess of `detect`. If several give the
 * same text, only the most frequent one is listed. Empty if the bytes are not text. Examines the first 256 KiB. In
 * browsers, after `initLegacy`.
 */
export function candidates(source: Bytes): Candidate[] {
  const bytes = bytesOf(source);
  const wasm = tables.running;
  const first = bytes.subarray(0, PIECE);
  wasm.call.candidates(wasm.put(first), Number(first.length < bytes.length));
  const lines = wasm.lines();
  tables.rest();
  const found = lines.filter(Boolean).map((line) => line.split(' ') as [string, string]);
  return found.map(([score, encoding]) => ({ encoding, score: Number(score) }));
}

/** A step by which text was garbled: it was in one encoding, and was read in another. */
export interface Step {
  meant: string;
  /** `escapes` if bytes or characters were written as numbers. */
  read: string;
}

/** A candidate for the original of garbled text. */
export interface Meant {
  /** The text. U+FFFD stands for a character that is lost. */
  text: string;
  /** The steps by which it was garbled, in order. */
  how: Step[];
  /** How much likelier it is, in nats, than that the garbled text was intended. */
  nats: number;
}

/**
 * Returns candidates for the original of garbled text, the likeliest first, from its first 4 KiB. None is certain: see
 * `fixMojibake`. In browsers, after `initLegacy`.
 */
export function misread(text: string): Meant[] {
  const wasm = tables.running;
  wasm.call.misread(wasm.putText(text.slice(0, 4096)));
  const [all, bytes, decoder] = [wasm.numbers(), wasm.output(), new platform.Decoder('utf-8', { ignoreBOM: true })];
  const found: Meant[] = [];
  for (let at = 0, start = 0; at < all.length; at += 3) {
    const [nats, middle] = [all[at]!, start + all[at + 1]!];
    const end = middle + all[at + 2]!;
    const names = decoder.decode(bytes.subarray(start, middle)).split(' ');
    const how = names.flatMap((meant, index) => (index % 2 === 0 ? [{ meant, read: names[index + 1]! }] : []));
    found.push({ text: decoder.decode(bytes.subarray(middle, end)), how, nats });
    start = end;
  }
  tables.rest();
  return found;
}

/** A file name that is not UTF-8, as read in a legacy encoding. */
export interface ReadName {
  encoding: string;
  certainty: Guess['certainty'];
  text: string;
}

/**
 * Infers the encoding of file names that are stored together, as in an archive; names in UTF-8 are evidence for the
 * others. `null` for a name that is UTF-8 or in no known encoding, and for names after the first 256 KiB. In browsers,
 * after `initLegacy`.
 */
export function readNames(names: readonly Bytes[]): (ReadName | null)[] {
  // A NUL ends a name; what contains one is no name.
  const all = names.map(bytesOf).map((name) => (name.includes(0) ? EMPTY : name));
  const input = new Uint8Array(PIECE);
  let [length, fitting] = [0, 0];
  for (const name of all) {
    if (length + name.length + 1 > PIECE) break;
    input.set(name, length);
    length += name.length + 1;
    fitting += 1;
  }
  const wasm = tables.running;
  wasm.call.read_names(wasm.put(input.subarray(0, Math.max(0, length - 1))));
  const lines = wasm.lines();
  tables.rest();
  return all.map((name, index) => {
    const [encoding, certainty] = index < fitting ? lines[index]!.split(' ') : [];
    if (!encoding) return null;
    const text = new platform.Decoder().decode(convertLegacy(name, encoding, 'utf-8', 'replace'));
    return { encoding, certainty: certainty as Guess['certainty'], text };
  });
}

/**
 * Returns the ISO 639 code of the language of a text, by its first 64 Ki characters; `null` if its words do not tell.
 * In browsers, after `initLegacy`.
 */
export function language(text: string): string | null {
  const wasm = tables.running;
  wasm.call.language(wasm.putText(text.slice(0, PIECE / 4)));
  return wasm.lines()[0] || null;
}

/**
 * Returns the share of a text's first 64 Ki characters that reads as some language. In browsers, after `initLegacy`.
 */
export function readability(text: string): number {
  const wasm = tables.running;
  return wasm.call.readability(wasm.putText(text.slice(0, PIECE / 4)));
}
