import { defineConfig } from 'vitest/config';

// Room for busy machines: no test measures time.
export default defineConfig({ test: { include: ['test/*.test.ts'], testTimeout: 240_000, hookTimeout: 240_000 } });
