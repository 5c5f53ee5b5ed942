// The legacy encodings that the browser knows. It only decodes them: the way back is a table made by decoding all.

const SINGLE = ['windows-1252', 'windows-1251', 'koi8-r', 'iso-8859-2', 'iso-8859-15', 'macintosh', 'ibm866'];
const DOUBLE = ['shift_jis', 'euc-jp', 'gbk', 'big5', 'euc-kr'];

/** Their labels. */
export const LEGACY: readonly string[] = [...SINGLE, ...DOUBLE];

const tables = new Map<string, Map<string, number[]>>();

/** The bytes of a character, at most two of them, or `null`. */
export function legacyBytes(character: string, label: string): number[] | null {
  let table = tables.get(label);
  if (!table) tables.set(label, (table = tableOf(label)));
  return table.get(character) ?? null;
}

function tableOf(label: string): Map<string, number[]> {
  const decoder = new TextDecoder(label, { fatal: true });
  const table = new Map<string, number[]>();
  const add = (...bytes: number[]): void => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes));
      if (!table.has(text)) table.set(text, bytes);
    } catch {
      // Not a sequence of it.
    }
  };
  for (let byte = 0; byte < 256; byte += 1) add(byte);
  if (DOUBLE.includes(label)) {
    for (let lead = 0x81; lead < 0xff; lead += 1) for (let trail = 0x40; trail < 0xff; trail += 1) add(lead, trail);
  }
  return table;
}
