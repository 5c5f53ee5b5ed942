// The entry `utf8kit/detect` for Node.js, Deno and Bun.
import { provide } from './node-platform.js';
import { MODULES } from './packed-detect.js';

provide(MODULES);

export * from './detect.js';
