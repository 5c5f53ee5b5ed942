// The entry for Node.js, Deno and Bun.
import { provide } from './node-platform.js';
import { MODULES } from './packed.js';

provide(MODULES);

export * from './index.js';
