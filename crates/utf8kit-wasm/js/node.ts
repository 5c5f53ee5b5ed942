// The entry for Node.js, Deno and Bun.
import { provide } from './node-platform.js';
import { MODULES } from './packed.js';
import { MODULES as TABLES } from './packed-detect.js';

provide({ ...MODULES, ...TABLES });

export * from './index.js';
