// Tests the page in Firefox, with typed text and with files, and with axe, in light and in dark.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import puppeteer, { type Browser, type ElementHandle, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preview, type PreviewServer } from 'vite';

const FIREFOX = process.env.FIREFOX ?? ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => existsSync(path));
const SAMPLE = fileURLToPath(new URL('../../samples/broken.txt', import.meta.url));
/** Their values in Firefox's preference. */
const SCHEMES = { dark: 0, light: 1 };

let server: PreviewServer;
let origin: string;

beforeAll(async () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  server = await preview({ root, logLevel: 'error', preview: { port: 4180, strictPort: false } });
  origin = server.resolvedUrls!.local[0]!;
});
afterAll(() => server?.close());

/** Returns the findings of axe, by all of its rules. */
async function violations(page: Page): Promise<unknown> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const rules = Object.fromEntries(axe.getRules().map(({ ruleId }) => [ruleId, { enabled: true }]));
    const { violations } = await axe.run(document, { rules });
    return violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
  });
}

// A test without its program is a failure where every program is required.
describe.skipIf(!FIREFOX && process.env.CI !== 'true').each(Object.entries(SCHEMES))('in %s', (_, scheme) => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: FIREFOX!,
      extraPrefsFirefox: { 'layout.css.prefers-color-scheme.content-override': scheme, 'ui.prefersReducedMotion': 1 },
    });
    page = await browser.newPage();
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
    page.on('pageerror', (error) => complaints.push(String(error)));
  });
  // Firefox reports a download that its page abandons as an error.
  const idle = (): Promise<void> => page.waitForNetworkIdle({ idleTime: 200, timeout: 60_000 });
  afterAll(async () => {
    await idle();
    await browser?.close();
    expect(complaints).toEqual([]);
  });

  const open = async (fragment = '#utf-8'): Promise<void> => {
    await idle();
    await page.goto('about:blank');
    await page.goto(`${origin}${fragment}`);
    await page.waitForSelector('html[data-ready]');
  };
  const text = (selector: string): Promise<string> => page.$eval(selector, (one) => one.textContent ?? '');
  const says = (selector: string, words: string): Promise<unknown> =>
    page.waitForFunction((at, words) => document.querySelector(at)?.textContent?.includes(words), {}, selector, words);
  const type = (words: string): Promise<void> =>
    page.$eval(
      '#source',
      (one, words) => {
        (one as HTMLTextAreaElement).value = words;
        one.dispatchEvent(new InputEvent('input', { bubbles: true }));
      },
      words,
    );

  test('the euro sign in five steps, on one screen, and back', async () => {
    await page.setViewport({ width: 1280, height: 900 });
    await open();
    expect((await text('#line')).replace(/\s+/g, '')).toBe('€→U+20AC→0010000010101100→E282AC');
    expect((await page.$$('#first > li, #steps > li')).length).toBe(5);
    const last = await page.$$eval('#steps > li', (all) => all.at(-1)!.getBoundingClientRect().bottom);
    expect(last).toBeLessThanOrEqual(900);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(2000);
    await page.click('#way-decode');
    await says('#steps', 'E2 begins with 3 ones and a 0: 3 bytes');
  });

  test('bytes are recognised, a bit is flipped, Back leads from the files to the text', async () => {
    await open();
    await type('E282AC');
    await says('#status', 'Read as bytes in hex');
    await page.click('#offer button');
    await says('#status', 'Read as text');
    await type('a€');
    await page.click('.tile[data-item="1"]');
    await page.waitForSelector('[aria-label*="bit 0 of AC"]');
    await page.click('[aria-label*="bit 0 of AC"]');
    expect(await page.$eval('#source', (one) => (one as HTMLTextAreaElement).value)).toBe('a₭');
    await page.click('#tab-file');
    await page.waitForSelector('#choose', { visible: true });
    await page.goBack();
    await page.waitForSelector('#source', { visible: true });
    expect(await text('.tile.selected .name')).toBe('U+20AD');
  });

  test('a file is checked, and repaired', async () => {
    await open('#file');
    await ((await page.$('#file')) as ElementHandle<HTMLInputElement>).uploadFile(SAMPLE);
    await says('#verdict', 'errors: 34');
    await page.waitForSelector('#repair');
    await page.click('#repair');
    await says('#verdict', 'Save it');
  });

  test.each([1280, 360])('axe finds nothing, nothing sticks out: %d pixels', async (width) => {
    await page.setViewport({ width, height: 800 });
    for (const fragment of ['', '#utf-8/hex/61e282acc0afe282', '#utf-8/text/61f09f91a8e2808df09f91a9/2']) {
      await open(fragment);
      expect(await violations(page), fragment).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
    await open('#file');
    await ((await page.$('#file')) as ElementHandle<HTMLInputElement>).uploadFile(SAMPLE);
    await says('#verdict', 'errors: 34');
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });
});
