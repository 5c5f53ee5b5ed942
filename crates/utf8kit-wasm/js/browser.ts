// The entry for browsers, workers and everything else: `await init()` first.
import { provide } from './browser-platform.js';

provide({
  'utf8kit.wasm': () => new URL('./utf8kit.wasm', import.meta.url),
  'utf8kit-simd128.wasm': () => new URL('./utf8kit-simd128.wasm', import.meta.url),
  'utf8kit-detect.wasm': () => new URL('./utf8kit-detect.wasm', import.meta.url),
});

export * from './index.js';
