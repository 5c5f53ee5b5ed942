import { defineConfig } from 'vite';

export default defineConfig({
  // Any folder of any static host will do.
  base: './',
  build: { target: 'es2022', modulePreload: false, assetsInlineLimit: 0 },
  worker: { format: 'es' },
  preview: { port: 4173, strictPort: true },
});
