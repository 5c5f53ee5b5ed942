// Compares functions of the package with the engine's: node bench-built-in.mjs [OPERATION] [--alone] [--node |
// --chromium]. Prints how many times as long as the engine the package takes, and the nanoseconds of the engine. Each
// operation has a process or a page of its own, so that the engine compiles it for nothing else.
import { isUtf8 } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { build } from 'esbuild';
import { measure, NAMES } from './bench-cases.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const alone = process.argv.includes('--alone');

/** The maximum time of a function, as a multiple of the engine's. */
const BAR = 1.1;

function inNode(operation) {
  const flags = ['--only', operation, ...(alone ? ['--alone'] : [])];
  return JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), ...flags], { encoding: 'utf8' }));
}

/** Starts Chromium. Only pages that are isolated from others have a sufficiently precise clock. */
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
  return {
    name: `Chromium ${browser.version()}`,
    run: async (operation) => {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${server.address().port}/`);
      const run = async (options) => (await import('/cases.js')).measure(options);
      const rows = await page.evaluate(run, { operation, alone });
      await page.close();
      return rows;
    },
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}

const short = (size) => (size < 1024 ? `${size} B` : size < 1 << 20 ? `${size >> 10} KiB` : `${size >> 20} MiB`);

function print(title, rows) {
  const sizes = [...new Set(rows.map(([, size]) => size))];
  console.log(`\n## ${title}\n\n| | ${sizes.map(short).join(' | ')} |\n|---${'|---'.repeat(sizes.length)}|`);
  for (const script of new Set(rows.map(([script]) => script))) {
    const own = rows.filter(([other]) => other === script);
    console.log(
      `| ${script} | ${own.map(([, , ratio, its]) => `${ratio.toFixed(2)} (${its.toFixed(0)})`).join(' | ')} |`,
    );
  }
}

async function compare({ name, run, close }) {
  const wanted = process.argv.slice(2).find((word) => !word.startsWith('--')) ?? '';
  let all = 0;
  const above = [];
  for (const operation of NAMES.filter((operation) => operation.includes(wanted))) {
    const rows = await run(operation);
    print(`${name}: ${operation}`, rows);
    all += rows.length;
    for (const [script, size, ratio] of rows)
      if (ratio > BAR) above.push(`${operation}, ${script}, ${short(size)}: ${ratio.toFixed(2)}`);
  }
  console.log(`\n${name}: ${above.length} of ${all} above ${BAR}\n${above.join('\n')}`);
  await close?.();
}

const [only, node, browser] = ['--only', '--node', '--chromium'].map((flag) => process.argv.includes(flag));
if (only) {
  console.log(
    JSON.stringify(await measure({ operation: process.argv[process.argv.indexOf('--only') + 1], alone, isUtf8 })),
  );
} else {
  console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus()[0].model}`);
  if (node || !browser) await compare({ name: `Node.js ${process.versions.node}`, run: inNode });
  if (browser || !node) await compare(await inChromium());
}
