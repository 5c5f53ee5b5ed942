// The entry for browsers, workers and everything else: `await init()` first.
import { setPlatform } from './library.js';

// Written out, so that bundlers find the files.
const FILES: Record<string, () => URL> = {
  'utf8kit.wasm': () => new URL('./utf8kit.wasm', import.meta.url),
  'utf8kit-simd128.wasm': () => new URL('./utf8kit-simd128.wasm', import.meta.url),
  'utf8kit-text.wasm': () => new URL('./utf8kit-text.wasm', import.meta.url),
};

const utf16 = new TextDecoder('utf-16le', { ignoreBOM: true });

/** An upper bound for the number of arguments that any function takes. */
const ARGUMENTS = 8192;

setPlatform({
  locate: (name) => FILES[name]!(),
  utf16: (memory, start, end, scalar) => {
    if (scalar) return utf16.decode(new Uint8Array(memory, start, end - start));
    let text = '';
    for (let at = start; at < end; at += 2 * ARGUMENTS) {
      const units = new Uint16Array(memory, at, Math.min(ARGUMENTS, (end - at) / 2));
      text += String.fromCharCode.apply(null, units as unknown as number[]);
    }
    return text;
  },
  ascii: () => null,
});

export * from './index.js';
