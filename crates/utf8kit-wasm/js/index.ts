// The interface of the package, the same in Node.js (node.ts) and in browsers (browser.ts).
export type { Bytes } from './bytes.js';
export { Checker, type CheckerOptions, type Counts, type Histogram, type Occurrence, type PlacedError } from './checker.js';
export { convert, Converter, type ConvertOptions, POLICIES, type Policy, repair, type RepairOptions } from './convert.js';
export { Decoder } from './decoder.js';
export {
  ConvertError, encode, type Encoding, type EncodingError, ENCODINGS, ERROR_KINDS, type ErrorKind, type Form, forms,
} from './encoding.js';
export {
  describe, type Description, explain, type ExplainedByte, type Explanation, outline, type Outline,
} from './explain.js';
export { LEGACY } from './labels.js';
export { detect, encodeLegacy, type Guess, initLegacy } from './legacy.js';
export { init, level, type WasmSource } from './library.js';
export { DecoderStream, EncoderStream, RepairStream } from './streams.js';
export { encodeText } from './text.js';
export { count, errors, validate, Validator } from './validate.js';
