// Functions of the package beside what the engine has, in Node.js and in Chromium: node bench-built-in.mjs [OPERATION]
// [--alone]. Prints how many times as long as the engine the package takes, and the nanoseconds of the engine.
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { build } from 'esbuild';
import { measure } from './bench-cases.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const options = {
  wanted: process.argv.slice(2).find((word) => !word.startsWith('--')) ?? '',
  alone: process.argv.includes('--alone'),
};

/** Runs the cases in Chromium. Pages that are isolated from others have a clock that is fine enough. */
async function inChromium() {
  const bundle = { entryPoints: [`${here}bench-cases.mjs`], bundle: true, write: false, format: 'esm' };
  const { outputFiles } = await build({ ...bundle, platform: 'browser', conditions: ['browser'] });
  const isolated = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
  const server = createServer(({ url }, response) => {
    const answer = (type, body) => response.writeHead(200, { ...isolated, 'Content-Type': type }).end(body);
    if (url === '/cases.js') answer('text/javascript', outputFiles[0].contents);
    else if (url.endsWith('.wasm')) answer('application/wasm', readFileSync(`${here}dist${url}`));
    else answer('text/html', '<!doctype html>');
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const rows = await page.evaluate(async (options) => (await import('/cases.js')).measure(options), options);
    return [`Chromium ${browser.version()}`, rows];
  } finally {
    await browser.close();
    server.close();
  }
}

const short = (size) => (size < 1024 ? `${size} B` : size < 1 << 20 ? `${size >> 10} KiB` : `${size >> 20} MiB`);

function print(engine, rows) {
  for (const operation of new Set(rows.map(([operation]) => operation))) {
    const own = rows.filter(([other]) => other === operation);
    const sizes = [...new Set(own.map(([, , size]) => size))];
    console.log(`\n${engine}: ${operation}\n\n| | ${sizes.map(short).join(' | ')} |`);
    console.log(`|---${'|---'.repeat(sizes.length)}|`);
    for (const script of new Set(own.map(([, script]) => script))) {
      const cells = own
        .filter(([, other]) => other === script)
        .map(([, , , ours, theirs]) => `${(ours / theirs).toFixed(2)} (${theirs.toFixed(0)})`);
      console.log(`| ${script} | ${cells.join(' | ')} |`);
    }
  }
}

console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus()[0].model}`);
print(`Node.js ${process.versions.node}`, await measure({ ...options, isUtf8 }));
print(...(await inChromium()));
