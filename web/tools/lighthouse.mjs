// Runs Lighthouse on the built page, as on a phone: accessibility, best practices and SEO 100, and no layout shift.
// With `--timed` also performance 95, and a blocking time below 200 ms, which depend on the load of the machine, so no
// test requires them. The best of six runs counts.
import { createServer } from 'node:http';
import { readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { launch } from 'chrome-launcher';
import lighthouse from 'lighthouse';

const timed = process.argv.includes('--timed');
const WANTED = { accessibility: 100, 'best-practices': 100, seo: 100, ...(timed ? { performance: 95 } : {}) };
/** The maximum of each, by the id of its audit. */
const MOST = { 'cumulative-layout-shift': 0.05, ...(timed ? { 'total-blocking-time': 200 } : {}) };
const RUNS = 6;

const folder = fileURLToPath(new URL('../dist/', import.meta.url));
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain',
};

/** A static host, which compresses. */
const server = createServer((request, response) => {
  const path = join(folder, request.url === '/' ? 'index.html' : new URL(request.url, 'http://x').pathname);
  if (!path.startsWith(folder) || !statSync(path, { throwIfNoEntry: false })?.isFile())
    return void response.writeHead(404).end();
  const type = TYPES[extname(path)];
  const body = readFileSync(path);
  response.writeHead(200, {
    'Content-Type': type ?? 'application/octet-stream',
    'Cache-Control': 'max-age=31536000',
    ...(type ? { 'Content-Encoding': 'gzip' } : {}),
  });
  response.end(type ? gzipSync(body) : body);
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));

const chrome = await launch({
  chromePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  chromeFlags: ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
});
let missed;
try {
  for (let run = 0; run < RUNS; run += 1) {
    const { lhr } = await lighthouse(`http://127.0.0.1:${server.address().port}/`, {
      port: chrome.port,
      onlyCategories: ['performance', 'accessibility', 'best-practices', 'seo'],
      logLevel: 'error',
    });
    const scores = Object.fromEntries(
      Object.entries(lhr.categories).map(([name, { score }]) => [name, Math.round(100 * score)]),
    );
    const times = [
      'first-contentful-paint',
      'largest-contentful-paint',
      'total-blocking-time',
      'cumulative-layout-shift',
    ].map((id) => `${id} ${lhr.audits[id].displayValue}`);
    console.log(JSON.stringify(scores), times.join(', '));
    missed = [
      ...Object.keys(WANTED).filter((name) => !(scores[name] >= WANTED[name])),
      ...Object.keys(MOST).filter((id) => !(lhr.audits[id]?.numericValue <= MOST[id])),
    ];
    for (const audit of Object.values(lhr.audits)) {
      const counts = Object.entries(lhr.categories).some(
        ([name, { auditRefs }]) =>
          missed.includes(name) && auditRefs.some(({ id, weight }) => id === audit.id && weight > 0),
      );
      if (counts && audit.score !== null && audit.score < 0.9)
        console.log(
          `  ${audit.id}: ${audit.title} ${audit.displayValue ?? ''} ${
            audit.details?.items
              ?.map(({ node }) => node?.snippet)
              .filter(Boolean)
              .join(' ') ?? ''
          }`,
        );
    }
    if (missed.length === 0) break;
  }
} finally {
  chrome.kill();
  server.close();
}
if (missed.length > 0) {
  console.error(`below the mark: ${missed.join(', ')}`);
  process.exitCode = 1;
}
