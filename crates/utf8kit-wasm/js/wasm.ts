// The type of `import wasm from 'utf8kit/utf8kit-simd128.wasm'`, for bundlers that support such imports.
import type { WasmModule } from './library.js';

declare const module: WasmModule;
export default module;
