// The type of `import wasm from 'utf8kit/utf8kit-simd128.wasm'`, where a bundler knows such imports.
import type { WasmModule } from './library.js';

declare const module: WasmModule;
export default module;
