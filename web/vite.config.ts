import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

/** Writes the service worker, with the list of files that it keeps. Documents are kept when they are used. */
const offline: Plugin = {
  name: 'offline',
  apply: 'build',
  generateBundle(_, bundle) {
    const files = ['./', ...Object.keys(bundle).filter((file) => !/document.*wasm|index\.html/.test(file))];
    const version = createHash('sha256').update(files.join()).digest('hex').slice(0, 12);
    const source = readFileSync(new URL('src/offline.js', import.meta.url), 'utf8');
    const list = `const [VERSION, FILES] = ${JSON.stringify([version, [...files, './unicode.bin', './icon.svg']])};\n`;
    this.emitFile({ type: 'asset', fileName: 'offline.js', source: list + source });
  },
};

export default defineConfig({
  // Any folder of any static host will do.
  base: './',
  build: { target: 'es2022', modulePreload: false, assetsInlineLimit: 0 },
  worker: { format: 'es' },
  preview: { port: 4173, strictPort: true },
  plugins: [offline],
});
