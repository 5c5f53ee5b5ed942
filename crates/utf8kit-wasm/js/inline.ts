// The entry with the module in it, for bundles without files beside them: no `init` is needed. It needs simd128, and
// has no legacy encodings: `initLegacy` takes their module.
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
