// The streams as TransformStreams, for `pipeThrough`.
import { type Bytes, bytesOf, type Output, viewOf } from './bytes.js';
import { Converter, type ConvertOptions, POLICIES, type Policy, type RepairOptions } from './convert.js';
import { Decoder, type DecoderOptions } from './decoder.js';
import { ConvertError, type EncodingError } from './error.js';
import { type HoldBack, holdOf } from './hold.js';
import { type Repair, Repairer } from './legacy.js';
import { platform } from './library.js';
import type { Dialect, Encoding } from './names.js';
import { unitsOf } from './text.js';
import { Validator } from './validate.js';

declare global {
  // TypeScript knows these only with the types of browsers or Node.js. Without them, they are empty.
  interface ReadableStream<R = any> {}
  interface WritableStream<W = any> {}
}

/** A stream with a writable and a readable side. */
abstract class Transform<In, Out extends { length: number }> {
  readonly #stream: TransformStream<In, Out>;

  /** Takes functions for the output of a chunk, at the end, and before an error. */
  protected constructor(transform: (chunk: In) => Out, flush: () => Out, before?: (error: unknown) => Out) {
    const send = (work: () => Out, controller: TransformStreamDefaultController<Out>): void => {
      const put = (piece: Out | undefined): void => {
        if (piece && piece.length > 0) controller.enqueue(piece);
      };
      try {
        put(work());
      } catch (error) {
        put(before?.(error));
        throw error;
      }
    };
    this.#stream = new TransformStream({
      transform: (chunk, controller) => send(() => transform(chunk), controller),
      flush: (controller) => send(flush, controller),
    });
  }

  get readable(): ReadableStream<Out> {
    return this.#stream.readable;
  }

  get writable(): WritableStream<In> {
    return this.#stream.writable;
  }
}

/**
 * A stream of text. Text held back before an error is not lost, nor is the text before it in the same piece, if known.
 */
abstract class TextTransform extends Transform<Bytes, string> {
  protected constructor(
    hold: HoldBack | undefined,
    decode: (chunk: Bytes) => string,
    flush: () => string,
    before: (error: unknown) => string = () => '',
  ) {
    const held = holdOf(hold);
    super(
      (chunk) => (held ? held.push(decode(chunk)) : decode(chunk)),
      () => (held ? held.push(flush()) + held.finish() : flush()),
      (error) => (held ? held.push(before(error)) + held.finish() : before(error)),
    );
  }
}

export interface DecoderStreamOptions extends DecoderOptions {
  /** Whether to hold back the last character, as readers see it, until the next one begins: see `Hold`. */
  hold?: HoldBack;
}

/**
 * A TextDecoderStream with the encodings of `Decoder`. If it is `fatal`, the piece with the error gives no text, like
 * there; `Utf8DecoderStream` gives the text before the error.
 */
export class DecoderStream extends TextTransform {
  readonly #decoder: Decoder;

  constructor(label: string = 'utf-8', options: DecoderStreamOptions | null = {}) {
    const decoder = new Decoder(label, options);
    super(
      options?.hold,
      (chunk) => decoder.decode(viewOf(chunk), { stream: true }),
      () => decoder.decode(),
    );
    this.#decoder = decoder;
  }

  get encoding(): string {
    return this.#decoder.encoding;
  }

  get fatal(): boolean {
    return this.#decoder.fatal;
  }

  get ignoreBOM(): boolean {
    return this.#decoder.ignoreBOM;
  }
}

/**
 * A TextEncoderStream for every encoding of the library. Characters that it cannot represent are replaced, or handled
 * by the policy.
 */
export class EncoderStream extends Transform<string, Output> {
  readonly encoding: Encoding;

  constructor(encoding: Encoding = 'utf-8', options: Pick<ConvertOptions, 'policy' | 'replacement'> = {}) {
    const converter = new Converter({ policy: 'replace', ...options, from: 'wtf-16le', to: encoding });
    super(
      (chunk) => converter.push(unitsOf(`${chunk}`)),
      () => ended(converter),
    );
    this.encoding = encoding;
  }
}

/**
 * Repairs the bytes passing through it: the output has the encoding of the input, and the policy handles every error.
 */
export class RepairStream extends Transform<Bytes, Output> {
  constructor({ encoding = 'utf-8', policy = 'replace', ...rest }: RepairOptions = {}) {
    const repairer = isRepair(policy)
      ? repairerOf(policy, encoding, rest)
      : new Converter({ ...rest, from: encoding, to: encoding, policy });
    super(
      (chunk) => repairer.push(chunk),
      () => ended(repairer),
    );
  }
}

/** Reports whether a policy needs the tables. */
function isRepair(policy: Policy | Repair): policy is Repair {
  return !POLICIES.includes(policy as Policy);
}

function repairerOf(policy: Repair, encoding: string, { replacement }: Pick<RepairOptions, 'replacement'>): Repairer {
  if (replacement !== undefined) throw new RangeError(`the policy ${policy} has no replacement`);
  return new Repairer(policy, encoding);
}

/** Converts the bytes passing through it, as a `Converter` does. */
export class ConverterStream extends Transform<Bytes, Output> {
  constructor(options: ConvertOptions) {
    const converter = new Converter(options);
    super(
      (chunk) => converter.push(chunk),
      () => ended(converter),
    );
  }
}

/** Passes bytes on unchanged, and fails with a ConvertError at their first error. */
export class ValidatorStream extends Transform<Bytes, Uint8Array> {
  constructor(encoding: Encoding = 'utf-8') {
    const validator = new Validator(encoding);
    const check = (error: EncodingError | null): void => {
      if (!error) return;
      validator.close();
      throw new ConvertError(error);
    };
    super(
      (chunk) => {
        const bytes = bytesOf(chunk);
        check(validator.push(bytes));
        return bytes;
      },
      () => {
        check(validator.finish());
        validator.close();
        return new Uint8Array();
      },
    );
  }
}

export interface Utf8DecoderOptions extends Pick<RepairOptions, 'policy' | 'replacement'> {
  /** UTF-8, or a dialect of it. */
  encoding?: Dialect;
  ignoreBOM?: boolean;
  /** Whether to hold back the last character, as readers see it, until the next one begins: see `Hold`. */
  hold?: HoldBack;
}

/**
 * Decodes UTF-8 with any policy, by default `replace`; `strict` fails with a ConvertError, after the text before the
 * error. Errors that `mojibake` leaves become U+FFFD.
 */
export class Utf8DecoderStream extends TextTransform {
  constructor({ encoding = 'utf-8', ignoreBOM = false, hold, policy = 'replace', ...rest }: Utf8DecoderOptions = {}) {
    const route = { from: encoding, to: 'wtf-16le' } as const;
    const repairer = isRepair(policy) ? repairerOf(policy, encoding, rest) : null;
    const converter = new Converter(isRepair(policy) ? { ...route, policy: 'replace' } : { ...rest, ...route, policy });
    let begun = ignoreBOM;
    const decode = (part: Output): string => {
      const text = platform.utf16(part.buffer, part.byteOffset, part.byteOffset + part.length, encoding === 'utf-8');
      if (begun || text === '') return text;
      begun = true;
      return text.startsWith('\ufeff') ? text.slice(1) : text;
    };
    // The text of the current piece.
    let text = '';
    super(
      hold,
      (chunk) => {
        text = '';
        for (const piece of repairer ? repairer.each(chunk) : [chunk])
          for (const part of converter.each(piece)) text += decode(part);
        return text;
      },
      () => {
        text = '';
        if (repairer) for (const part of converter.each(ended(repairer))) text += decode(part);
        return text + decode(ended(converter));
      },
      // A strict converter has written the text before the error.
      (error) => (error instanceof ConvertError ? text + decode(converter.output()) : ''),
    );
  }
}

function ended(stream: Converter | Repairer): Output {
  const rest = stream.finish();
  stream.close();
  return rest;
}
