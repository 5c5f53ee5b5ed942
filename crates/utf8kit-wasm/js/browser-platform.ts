// Browsers, workers and everything else. The modules are files that are loaded on request.
import { setPlatform } from './library.js';
import { webPlatform } from './native.js';

const files: Record<string, () => URL> = {};

/**
 * Adds modules, with the URL of each file. Entries spell the URLs out, so that bundlers find the files.
 * @internal
 */
export function provide(more: Record<string, () => URL>): void {
  Object.assign(files, more);
}

setPlatform(webPlatform({ locate: (name) => files[name]?.() ?? null }));
