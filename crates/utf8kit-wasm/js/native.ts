// Operations that the engine can do by itself, and the lengths up to which it is faster. TextEncoder encodes text as
// UTF-8 everywhere, buffer.isUtf8 validates in Node.js, and single-byte legacy encodings are left to the engine if its
// table is the standard's. bench/record/built-in.md has the measurements.
import type { Handed, Platform } from './library.js';

/** @internal */
export const NODE: Handed = { utf8: 512, ascii: 4096, utf16: 2048, encode: Infinity, repair: 128, repairAscii: 1024 };

const BROWSER: Handed = { utf8: Infinity, ascii: Infinity, utf16: Infinity, encode: 256, repair: 0, repairAscii: 0 };

/**
 * Returns the platform of browsers, workers and everything else that is not Node.js. The engine's TextDecoder and
 * TextEncoder are taken when it is called, at load.
 * @internal
 */
export function webPlatform(modules: Pick<Platform, 'locate' | 'compiled'>): Platform {
  const decoder = new TextDecoder('utf-16le', { ignoreBOM: true });
  return {
    ...modules,
    Decoder: TextDecoder,
    encoder: new TextEncoder(),
    handed: BROWSER,
    utf16: (memory, start, end, scalar) =>
      scalar
        ? decoder.decode(new Uint8Array(memory as ArrayBuffer, start, end - start))
        : anyUnits(new Uint16Array(memory, start, (end - start) / 2)),
    ascii: () => null,
  };
}

/** An upper bound for the number of arguments that any function takes. */
const ARGUMENTS = 8192;

/** Makes a string of code units with lone surrogates, which a TextDecoder would replace. */
function anyUnits(units: Uint16Array): string {
  let text = '';
  for (let at = 0; at < units.length; at += ARGUMENTS)
    text += String.fromCharCode.apply(null, units.subarray(at, at + ARGUMENTS) as unknown as number[]);
  return text;
}
