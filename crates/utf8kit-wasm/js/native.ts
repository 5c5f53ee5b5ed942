// What every engine can do by itself.

// Taken at load: a program may replace the global one.
const decoder = typeof TextDecoder === 'undefined' ? null : new TextDecoder('utf-16le', { ignoreBOM: true });

/** An upper bound for the number of arguments that any function takes. */
const ARGUMENTS = 8192;

/** Decodes UTF-16 code units; see `Platform`. */
export function utf16(memory: ArrayBufferLike, start: number, end: number, scalar: boolean): string {
  if (scalar && decoder) return decoder.decode(new Uint8Array(memory as ArrayBuffer, start, end - start));
  let text = '';
  for (let at = start; at < end; at += 2 * ARGUMENTS) {
    const units = new Uint16Array(memory, at, Math.min(ARGUMENTS, (end - at) / 2));
    text += String.fromCharCode.apply(null, units as unknown as number[]);
  }
  return text;
}
