import type { EncodingError } from 'utf8kit';

/** The names of the kinds of errors. Descriptions of errors come from the library's `describe`. */
export const KINDS: Record<EncodingError['kind'], string> = {
  overlong: 'overlong form',
  surrogate: 'surrogate',
  too_large: 'value too large',
  truncated: 'truncated sequence',
  unexpected_continuation: 'stray continuation',
  invalid_byte: 'invalid byte',
  malformed: 'malformed',
  unrepresentable: 'not in the encoding',
};
