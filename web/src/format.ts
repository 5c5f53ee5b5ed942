// Numbers, bytes and code points as text for people; numbers as the lesson has them, in English.

export const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');
export const hexes = (bytes: Iterable<number>): string => Array.from(bytes, hex).join(' ');
export const codePoint = (value: number): string => `U+${value.toString(16).toUpperCase().padStart(4, '0')}`;

const grouped = new Intl.NumberFormat('en');
export const number = (value: number): string => grouped.format(value);
export const counted = (value: number, noun: string): string => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;

/** Counts errors like the command: in places, if there are fewer of these, and one by one. */
export function placesAndErrors({ places, errors }: { places: number; errors: number }): string {
  return places === errors ? counted(errors, 'error') : `${counted(places, 'place')}, ${counted(errors, 'error')}`;
}

/** Abbreviations of invisible characters (NameAliases.txt); the rest comes with the names. */
const INVISIBLE: Record<number, string> = {
  0x20: 'SP',
  0x7f: 'DEL',
  0x85: 'NEL',
  0xa0: 'NBSP',
  0xad: 'SHY',
  0x34f: 'CGJ',
  0x61c: 'ALM',
  0x180e: 'MVS',
  0x200b: 'ZWSP',
  0x200c: 'ZWNJ',
  0x200d: 'ZWJ',
  0x200e: 'LRM',
  0x200f: 'RLM',
  0x2028: 'LSEP',
  0x2029: 'PSEP',
  0x202a: 'LRE',
  0x202b: 'RLE',
  0x202c: 'PDF',
  0x202d: 'LRO',
  0x202e: 'RLO',
  0x202f: 'NNBSP',
  0x205f: 'MMSP',
  0x2060: 'WJ',
  0x2066: 'LRI',
  0x2067: 'RLI',
  0x2068: 'FSI',
  0x2069: 'PDI',
  0x3000: 'IDSP',
  0xfeff: 'BOM',
};
const CONTROLS = [
  ...['NUL', 'SOH', 'STX', 'ETX', 'EOT', 'ENQ', 'ACK', 'BEL', 'BS', 'TAB', 'LF', 'VT', 'FF', 'CR', 'SO', 'SI'],
  ...['DLE', 'DC1', 'DC2', 'DC3', 'DC4', 'NAK', 'SYN', 'ETB', 'CAN', 'EM', 'SUB', 'ESC', 'FS', 'GS', 'RS', 'US'],
];

/** Returns how to show a code point: as itself, on a dotted circle if it combines, or as an abbreviation. */
export function glyph(value: number): { text: string; invisible: boolean } {
  const short = CONTROLS[value] ?? INVISIBLE[value] ?? variation(value);
  if (short) return { text: short, invisible: true };
  if (value > 0x10ffff) return { text: '—', invisible: true };
  const text = String.fromCodePoint(value);
  if (/\p{M}/u.test(text)) return { text: `\u25cc${text}`, invisible: false };
  if (/\p{Cs}/u.test(text)) return { text: value < 0xdc00 ? 'high' : 'low', invisible: true };
  if (/\p{Co}/u.test(text)) return { text: 'PUA', invisible: true };
  if (/\p{Cn}/u.test(text)) return { text: '—', invisible: true };
  if (/[\p{C}\p{Z}]/u.test(text)) return { text: value >= 0xe0020 && value < 0xe0080 ? 'TAG' : '·', invisible: true };
  return { text, invisible: false };
}

function variation(value: number): string | undefined {
  if (value >= 0xfe00 && value <= 0xfe0f) return `VS${value - 0xfe00 + 1}`;
  return value >= 0xe0100 && value <= 0xe01ef ? `VS${value - 0xe0100 + 17}` : undefined;
}
