import { type Bytes, bytesOf, joined, type Output, PIECE, pieces, seemsAscii } from './bytes.js';
import { type AnyEncoding, encodingIndex, ownIndex } from './encoding.js';
import { ConvertError, errorFrom } from './error.js';
import { convertLegacy, LegacyConversion, type Repair, Repairer } from './legacy.js';
import { type Exports, library, platform } from './library.js';
import { type Policy, POLICIES } from './names.js';
import { Closeable, closing, type Conversion, Handle } from './handle.js';

export { POLICIES, type Policy };

export interface ConvertOptions {
  /** The encoding of the input. Default: UTF-8. */
  from?: AnyEncoding;
  /** The encoding of the output. Default: UTF-8. */
  to?: AnyEncoding;
  /** `strict`, the default for conversions, throws a ConvertError. */
  policy?: Policy;
  /** The text that replacing policies write, of any length. Default: U+FFFD. */
  replacement?: string;
}

export interface RepairOptions {
  encoding?: AnyEncoding;
  /**
   * Default: `replace`. In addition to the policies for single errors, there are `mojibake`, for text that was encoded
   * twice, `fallback=LABEL` and `fallback-lines=LABEL`, which decode errors, or whole lines with errors, from a legacy
   * encoding, and `unescape`, which undoes `escape`.
   */
  policy?: Policy | Repair;
  replacement?: string;
}

/** The most bytes that one call may write for replacements. */
const WRITTEN = 4 * 1024 * 1024;

/**
 * Converts from one encoding to another. Legacy encodings have the policies `strict`, `replace`, `remove`, `escape`.
 */
export function convert(source: Bytes, options: ConvertOptions): Output {
  const bytes = bytesOf(source);
  if (options === null || typeof options !== 'object') {
    throw new TypeError('convert needs options that name the encodings: { from, to }, each utf-8 if left out');
  }
  const { from = 'utf-8', to = 'utf-8', policy = 'strict', replacement } = options;
  const [own, other] = [ownIndex(from), ownIndex(to)];
  if (own === null || other === null) {
    if (replacement !== undefined) throw new RangeError(NO_REPLACEMENT);
    return convertLegacy(bytes, from, to, policy);
  }
  const long = replacement !== undefined && replacement.length > SHORT;
  if (bytes.length <= PIECE && !long) {
    const number = policyIndex(policy);
    if (replacement !== undefined) passReplacement(replacement);
    convertPiece(bytes, own, other, number);
    const converted = library.running.copied();
    library.rest();
    return converted;
  }
  return closing(new Converter(options), (converter) =>
    long ? convertLong(converter, bytes, options) : joined([...converter.each(bytes), converter.finish()]),
  );
}

/** Converts with a long replacement, into one array, whose length is known in advance. */
function convertLong(converter: Converter, bytes: Uint8Array, options: ConvertOptions): Output {
  const whole = new Uint8Array(lengthOf(bytes, options));
  let at = 0;
  const put = (part: Output): void => {
    whole.set(part, at);
    at += part.length;
  };
  for (const part of converter.each(bytes)) put(part);
  put(converter.finish());
  return at === whole.length ? whole : whole.slice(0, at);
}

/** Replacements of more UTF-16 units are written a few at a time. */
const SHORT = 16;

/** Returns an upper bound of the length of an output with a long replacement, without writing it. */
function lengthOf(bytes: Uint8Array, { replacement, ...options }: ConvertOptions): number {
  return closing(new Converter({ ...options, replacement: '' }), (counter) => {
    let length = 0;
    for (const part of counter.each(bytes)) length += part.length;
    length += counter.finish().length;
    return length + counter.changes * ownLength(replacement!, options.to ?? 'utf-8');
  });
}

/** Returns the length of a text in an encoding, with `?` for characters that it cannot represent. */
function ownLength(text: string, to: AnyEncoding): number {
  return closing(
    new Converter({ to, policy: 'replace', replacement: '?' }),
    (converter) => converter.push(platform.encoder.encode(text)).length + converter.finish().length,
  );
}

/** Arrays of up to this many bytes are made faster here than by TextEncoder. */
const SMALL = 64;

/** The engine's decoder, for short repairs. */
let decoder: TextDecoder | undefined;

/** Repairs by the engine's decoder and encoder, where that is faster. Returns `null` where it is not. */
function byEngine(bytes: Uint8Array): Output | null {
  const { repair, repairAscii } = platform.handed;
  if (bytes.length > repair && (bytes.length > repairAscii || !seemsAscii(bytes))) return null;
  decoder ??= new platform.Decoder('utf-8', { ignoreBOM: true });
  let text: string;
  try {
    text = decoder.decode(bytes as Uint8Array<ArrayBuffer>);
  } catch {
    // The engine may refuse shared memory.
    return null;
  }
  if (bytes.length >= SMALL) return platform.encoder.encode(text);
  const wasm = library.running;
  const written = wasm.putText(text);
  return wasm.input().slice(0, written);
}

const DEFAULTS: RepairOptions = {};

/** Repairs: the output has the encoding of the input, and the policy handles every error. */
export function repair(source: Bytes, options: RepairOptions = DEFAULTS): Output {
  // The shortest path, for short inputs. A detached input has length zero.
  const isQuick = options === DEFAULTS && source instanceof Uint8Array && source.length > 0;
  return (isQuick && byEngine(source)) || repaired(source, options);
}

function repaired(source: Bytes, { encoding = 'utf-8', policy = 'replace', replacement }: RepairOptions): Output {
  if (POLICIES.includes(policy as Policy)) {
    return convert(source, {
      from: encoding,
      to: encoding,
      policy: policy as Policy,
      ...(replacement === undefined ? {} : { replacement }),
    });
  }
  const bytes = bytesOf(source);
  if (replacement !== undefined) throw new RangeError(`the policy ${policy} has no replacement`);
  return closing(new Repairer(policy as Repair, encoding), (repairer) => repairer.whole(bytes));
}

/**
 * Converts one piece that is the whole input, by the library's numbers. The result is in the library's output.
 * @internal
 */
export function convertPiece(bytes: Uint8Array, from: number, to: number, policy: number): void {
  const wasm = library.running;
  if (wasm.call.convert(from, to, policy, wasm.put(bytes))) throw new ConvertError(errorFrom(wasm.numbers()));
}

const policyIndices = new Map<string, number>(POLICIES.map((known, index) => [known, index]));

/**
 * Returns the library's index of a policy.
 * @internal
 */
export function policyIndex(policy: Policy): number {
  const index = policyIndices.get(policy);
  if (index === undefined) throw new RangeError(`unknown policy: ${String(policy)}`);
  return index;
}

/** Passes the replacement for the next converter to the library. */
function passReplacement(replacement: string): void {
  const [wasm, bytes] = [library.running, platform.encoder.encode(replacement)];
  wasm.call.replacement(0);
  for (const piece of pieces(bytes)) wasm.call.replacement(wasm.put(piece));
}

/** A conversion between encodings of the library. */
class OwnConversion implements Conversion {
  offset = 0;
  changes = 0;
  readonly close: () => void;
  readonly #handle: Handle<Exports>;

  constructor({ from = 'utf-8', to = 'utf-8', policy = 'strict', replacement }: ConvertOptions) {
    const numbers = [encodingIndex(from), encodingIndex(to), policyIndex(policy)] as const;
    if (replacement !== undefined) passReplacement(replacement);
    this.#handle = new Handle(library, ({ call }) => call.converter(...numbers));
    this.close = this.#handle.close;
  }

  get pending(): number {
    const { number, wasm } = this.#handle;
    return wasm.call.pending(number);
  }

  advance(piece: Uint8Array | null): void {
    const { number, wasm } = this.#handle;
    const failed = piece ? wasm.call.push(number, wasm.put(piece)) : wasm.call.finish(number);
    const numbers = wasm.numbers();
    if (failed) throw new ConvertError(errorFrom(numbers));
    this.offset = numbers[0]!;
    this.changes += numbers[1]!;
  }

  output(): Output {
    return this.#handle.wasm.output();
  }

  utf16(scalar: boolean): string {
    return this.#handle.wasm.utf16(scalar);
  }
}

/** Opens a conversion in the module that has its encodings. */
function conversionOf(options: ConvertOptions): Conversion {
  const { from = 'utf-8', to = 'utf-8', policy = 'strict', replacement } = options;
  if (ownIndex(from) !== null && ownIndex(to) !== null) return new OwnConversion(options);
  if (replacement !== undefined) throw new RangeError(NO_REPLACEMENT);
  return new LegacyConversion(from, to, policy);
}

const NO_REPLACEMENT = 'conversions of legacy encodings have no other replacement';

/** Converts or repairs a stream. Legacy encodings have the policies that they have for `convert`. */
export class Converter extends Closeable {
  readonly #conversion: Conversion;
  /** How many bytes are passed at a time, which limits the output. */
  readonly #step: number;

  constructor(options: ConvertOptions) {
    const conversion = conversionOf(options);
    super(conversion);
    this.#conversion = conversion;
    const replacement = 4 * (options.replacement?.length ?? 0);
    this.#step = Math.max(1, Math.min(PIECE, Math.floor(WRITTEN / Math.max(replacement, 1))));
  }

  /**
   * Adds a piece; returns the output that no further input can change. A strict converter throws its first ConvertError
   * every time.
   */
  push(bytes: Bytes): Output {
    return joined([...this.each(bytes)]);
  }

  /** Adds a piece like `push`, but yields the output in parts. */
  *each(bytes: Bytes): Generator<Output> {
    for (const piece of pieces(bytesOf(bytes), this.#step)) {
      this.advance(piece);
      yield this.output().slice();
    }
  }

  /** Ends the stream; returns the rest of the output. */
  finish(): Output {
    this.advance(null);
    return this.output().slice();
  }

  /** The number of bytes of the stream that were processed; approximate for legacy encodings. */
  get offset(): number {
    return this.#conversion.offset;
  }

  /** The number of places that were changed. */
  get changes(): number {
    return this.#conversion.changes;
  }

  /** The number of bytes that need more input; approximate for legacy encodings. */
  get pending(): number {
    return this.#conversion.pending;
  }

  /**
   * Adds one piece, or ends the stream. The result is in the library's output.
   * @internal
   */
  advance(piece: Uint8Array | null): void {
    this.#conversion.advance(piece);
  }

  /** @internal */
  output(): Output {
    return this.#conversion.output();
  }

  /** @internal */
  utf16(scalar: boolean): string {
    return this.#conversion.utf16(scalar);
  }
}
