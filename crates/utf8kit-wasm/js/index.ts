export { Checker, type CheckerOptions, type Counts, type Histogram, type Occurrence, type PlacedError } from './checker.js';
export { convert, Converter, type ConvertOptions, POLICIES, type Policy, repair } from './convert.js';
export { Decoder, encodeText } from './decoder.js';
export {
  ConvertError, encode, type Encoding, type EncodingError, ENCODINGS, ERROR_KINDS, type ErrorKind, type Form, forms,
} from './encoding.js';
export { explain, type ExplainedByte, type Explanation } from './explain.js';
export { level } from './library.js';
export { count, errors, validate, Validator } from './validate.js';
