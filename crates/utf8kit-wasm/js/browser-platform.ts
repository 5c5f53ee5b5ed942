// Browsers, workers and everything else. The modules are files, which are loaded when that is asked for.
import { setPlatform } from './library.js';
import { webPlatform } from './native.js';

const files: Record<string, () => URL> = {};

/**
 * Adds modules: where the file of each is. Entries write the URLs out, so that bundlers find the files.
 * @internal
 */
export function provide(more: Record<string, () => URL>): void {
  Object.assign(files, more);
}

setPlatform(webPlatform({ locate: (name) => files[name]?.() ?? null }));
