import { ConvertError, type Encoding, lastError } from './encoding.js';
import { encodingIndex, library, numbers, output, pieces, put, Stream } from './library.js';

/** What is done about an error, and about a value that the target cannot hold. */
export type Policy =
  | 'strict' | 'replace' | 'replace-byte' | 'replace-run' | 'java' | 'remove' | 'escape' | 'same-length';

/** All policies, in the library's order. */
export const POLICIES: readonly Policy[] = [
  'strict', 'replace', 'replace-byte', 'replace-run', 'java', 'remove', 'escape', 'same-length',
];

export interface ConvertOptions {
  from?: Encoding;
  to?: Encoding;
  /** `strict`, the default of a conversion, throws a ConvertError. */
  policy?: Policy;
  /** What the policies that replace put in its place: U+FFFD. */
  replacement?: string;
}

/** Converts. */
export function convert(bytes: Uint8Array, options: ConvertOptions): Uint8Array<ArrayBuffer> {
  const converter = new Converter(options);
  try {
    return joined([...converter.each(bytes), converter.finish()]);
  } finally {
    converter.close();
  }
}

/** Repairs: the same encoding in and out, every error dealt with by the policy. */
export function repair(
  bytes: Uint8Array,
  { encoding = 'utf-8', policy = 'replace', replacement }: { encoding?: Encoding; policy?: Policy; replacement?: string } = {},
): Uint8Array<ArrayBuffer> {
  return convert(bytes, { from: encoding, to: encoding, policy, ...(replacement === undefined ? {} : { replacement }) });
}

/** Converts or repairs a stream. */
export class Converter extends Stream {
  /** How many bytes of the stream are dealt with. */
  offset = 0;
  /** How many places of it were changed. */
  changes = 0;

  constructor({ from = 'utf-8', to = 'utf-8', policy = 'strict', replacement = '\ufffd' }: ConvertOptions) {
    const number = POLICIES.indexOf(policy);
    if (number < 0) throw new RangeError(`unknown policy: ${policy}`);
    const ends = [encodingIndex(from), encodingIndex(to)] as const;
    super(library.converter(...ends, number, put(new TextEncoder().encode(replacement))));
  }

  /** Takes a piece: what no further input can change. A strict converter throws its first ConvertError again and again. */
  push(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    return joined([...this.each(bytes)]);
  }

  /** The same, a part at a time. */
  *each(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
    for (const piece of pieces(bytes)) yield this.#answer(library.push(this.handle, put(piece)));
  }

  /** Ends the stream: the rest. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#answer(library.finish(this.handle));
  }

  /** How many bytes wait for more. */
  get pending(): number {
    return library.pending(this.handle);
  }

  #answer(failed: number): Uint8Array<ArrayBuffer> {
    if (failed) throw new ConvertError(lastError());
    const [offset, changes] = numbers() as [number, number];
    this.offset = offset;
    this.changes += changes;
    return output().slice();
  }
}

function joined(parts: Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
