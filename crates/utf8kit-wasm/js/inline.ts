// The entry with the module inlined, for bundles without separate files. No `init` is needed. It needs simd128, and
// includes no legacy encodings, whose module is passed to `initLegacy`.
import { unpacked } from './bytes.js';
import { setPlatform } from './library.js';
import { webPlatform } from './native.js';
import { SIMD128 } from './inlined.js';

setPlatform(
  webPlatform({
    locate: () => null,
    compiled: (name) => {
      if (name === 'utf8kit.wasm')
        throw new Error('utf8kit/inline needs simd128, which this machine lacks: use utf8kit');
      if (name !== 'utf8kit-simd128.wasm') return null;
      return new WebAssembly.Module(unpacked(SIMD128));
    },
  }),
);

export * from './index.js';
