// The kinds of errors in words. Descriptions of errors come from `errorwords.ts`.
import type { EncodingError } from 'utf8kit';
import { type Say, say, sayInEnglish } from './strings.ts';

/** Returns the name of a kind of errors. */
export const kindName = (kind: EncodingError['kind'], tell: Say = say): string => tell(`kind_${kind}`);

/** The same in English, for the lesson. */
export const kindInEnglish = (kind: EncodingError['kind']): string => kindName(kind, sayInEnglish);
