import { type Bytes, bytesOf, joined, pieces } from './bytes.js';
import { ConvertError, type Encoding, encodingIndex, lastError } from './encoding.js';
import { library, numbers, output, PIECE, put } from './library.js';
import { Stream } from './stream.js';

/** All policies, in the library's order. */
export const POLICIES = [
  'strict', 'replace', 'replace-byte', 'replace-run', 'java', 'remove', 'escape', 'same-length',
] as const;

/** What to do about an error, and about a value that the target cannot represent. */
export type Policy = (typeof POLICIES)[number];

export interface ConvertOptions {
  from?: Encoding;
  to?: Encoding;
  /** `strict`, the default for conversions, throws a ConvertError. */
  policy?: Policy;
  /** The text that replacing policies write, of any length. Default: U+FFFD. */
  replacement?: string;
}

export interface RepairOptions {
  encoding?: Encoding;
  /** Default: `replace`. */
  policy?: Policy;
  replacement?: string;
}

/** Converts from one encoding to another. */
export function convert(source: Bytes, options: ConvertOptions): Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(source);
  if (bytes.length <= PIECE) {
    convertPiece(bytes, options);
    return output().slice();
  }
  const converter = new Converter(options);
  try {
    return joined([...converter.each(bytes), converter.finish()]);
  } finally {
    converter.close();
  }
}

/** Repairs: the output has the encoding of the input, and the policy handles every error. */
export function repair(source: Bytes, { encoding = 'utf-8', policy = 'replace', replacement }: RepairOptions = {}): Uint8Array<ArrayBuffer> {
  return convert(source, { from: encoding, to: encoding, policy, ...(replacement === undefined ? {} : { replacement }) });
}

/** Converts one piece that is the whole input. The result is in the library's output. */
export function convertPiece(bytes: Uint8Array, options: ConvertOptions): void {
  if (library().convert(...settings(options), put(bytes))) throw new ConvertError(lastError());
}

/** Returns the library's numbers for the options, and passes it the replacement for the next converter. */
function settings({ from = 'utf-8', to = 'utf-8', policy = 'strict', replacement }: ConvertOptions): [number, number, number] {
  const number = POLICIES.indexOf(policy);
  if (number < 0) throw new RangeError(`unknown policy: ${String(policy)}`);
  const ends = [encodingIndex(from), encodingIndex(to)] as const;
  if (replacement !== undefined) {
    library().replacement(0);
    for (const piece of pieces(new TextEncoder().encode(replacement))) library().replacement(put(piece));
  }
  return [...ends, number];
}

/** Converts or repairs a stream. */
export class Converter extends Stream {
  /** The number of bytes of the stream that were processed. */
  offset = 0;
  /** The number of places that were changed. */
  changes = 0;

  constructor(options: ConvertOptions) {
    super(library().converter(...settings(options)));
  }

  /**
   * Adds a piece; returns the output that no further input can change. A strict converter throws its first ConvertError
   * every time.
   */
  push(bytes: Bytes): Uint8Array<ArrayBuffer> {
    return joined([...this.each(bytes)]);
  }

  /** Adds a piece like `push`, but yields the output in parts. */
  *each(bytes: Bytes): Generator<Uint8Array<ArrayBuffer>> {
    for (const piece of pieces(bytesOf(bytes))) {
      this.advance(piece);
      yield output().slice();
    }
  }

  /** Ends the stream; returns the rest of the output. */
  finish(): Uint8Array<ArrayBuffer> {
    this.advance(null);
    return output().slice();
  }

  /** The number of bytes that need more input. */
  get pending(): number {
    return library().pending(this.handle);
  }

  /**
   * Adds one piece, or ends the stream. The result is in the library's output.
   * @internal
   */
  advance(piece: Uint8Array | null): void {
    const failed = piece ? library().push(this.handle, put(piece)) : library().finish(this.handle);
    if (failed) throw new ConvertError(lastError());
    const [offset, changes] = numbers() as unknown as [number, number];
    this.offset = offset;
    this.changes += changes;
  }
}
