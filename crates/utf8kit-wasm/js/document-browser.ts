// The entry `utf8kit/document` for browsers, workers and everything else: `await init()` first.
import { provide } from './browser-platform.js';

provide({ 'utf8kit-document.wasm': () => new URL('./utf8kit-document.wasm', import.meta.url) });

export * from './document.js';
