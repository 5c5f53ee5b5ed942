// The entry for browsers, workers and everything else: `await init()` first.
import { BROWSER, utf16 } from './native.js';
import { setPlatform } from './library.js';

// Written out, so that bundlers find the files.
const FILES: Record<string, () => URL> = {
  'utf8kit.wasm': () => new URL('./utf8kit.wasm', import.meta.url),
  'utf8kit-simd128.wasm': () => new URL('./utf8kit-simd128.wasm', import.meta.url),
  'utf8kit-text.wasm': () => new URL('./utf8kit-text.wasm', import.meta.url),
};

setPlatform({ locate: (name) => FILES[name]!(), Decoder: TextDecoder, encoder: new TextEncoder(), handed: BROWSER, utf16, ascii: () => null });

export * from './index.js';
