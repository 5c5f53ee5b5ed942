// The entry `utf8kit/document` for Node.js, Deno and Bun.
import { provide } from './node-platform.js';
import { MODULES } from './packed-document.js';

provide(MODULES);

export * from './document.js';
