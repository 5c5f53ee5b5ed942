// The entry `utf8kit/detect` for browsers, workers and everything else: `await init()` first.
import { provide } from './browser-platform.js';

provide({ 'utf8kit-detect.wasm': () => new URL('./utf8kit-detect.wasm', import.meta.url) });

export * from './detect.js';
