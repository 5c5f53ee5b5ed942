// The interface of the package, the same in Node.js (node.ts), in browsers (browser.ts) and inlined (inline.ts).
export type { Bytes, Output } from './bytes.js';
export { Checker, type CheckerOptions, type Counts, type Histogram, type Occurrence } from './checker.js';
export {
  convert,
  Converter,
  type ConvertOptions,
  POLICIES,
  type Policy,
  repair,
  type RepairOptions,
} from './convert.js';
export { Decoder, type DecodeOptions, type DecoderOptions } from './decoder.js';
export {
  type AnyEncoding,
  DIALECTS,
  encode,
  type Encoding,
  ENCODINGS,
  ERROR_KINDS,
  type ErrorKind,
  type Form,
  forms,
} from './encoding.js';
export { ConvertError, type EncodingError, type PlacedError } from './error.js';
export {
  describe,
  type Description,
  explain,
  type ExplainedByte,
  type Explanation,
  outline,
  type Outline,
} from './explain.js';
export { Hold, type HoldBack } from './hold.js';
export { LEGACY } from './labels.js';
export {
  type Candidate,
  candidates,
  type Change,
  detect,
  encodeLegacy,
  fixMojibake,
  type Guess,
  initLegacy,
  language,
  type Meant,
  misread,
  readability,
  type ReadName,
  readNames,
  type Suggestion,
  type Repair,
  Repairer,
  type Step,
} from './legacy.js';
export { init, level, type WasmModule, type WasmSource } from './library.js';
export {
  ConverterStream,
  DecoderStream,
  type DecoderStreamOptions,
  EncoderStream,
  RepairStream,
  Utf8DecoderStream,
  type Utf8DecoderOptions,
  ValidatorStream,
} from './streams.js';
export { encodeText } from './text.js';
export { type LspPosition, type PositionUnit, TextIndex, type TextIndexOptions } from './text-index.js';
export { count, errors, truncate, validate, Validator } from './validate.js';
