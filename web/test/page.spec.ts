import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page, test as base } from '@playwright/test';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SAMPLE = `${ROOT}samples/broken.txt`;

/** Nothing is asked of another host, nothing is refused by the policy, nothing fails. */
const test = base.extend({
  page: async ({ page }, use) => {
    const complaints: string[] = [];
    page.on('console', (message) => { if (message.type() === 'error') complaints.push(message.text()); });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => { if (!/^(blob:)?http:\/\/localhost:4173\//.test(request.url())) complaints.push(request.url()); });
    await use(page);
    expect(complaints).toEqual([]);
  },
});

const open = async (page: Page, fragment = ''): Promise<void> => {
  await page.goto(`/${fragment}`);
  await page.locator('.item').first().waitFor({ state: 'attached' });
};
const cards = (page: Page) => page.locator('.item h3').allTextContents();
const type = (page: Page, text: string) => page.getByLabel('Text, bytes').fill(text);

test('what is typed is seen bit by bit', async ({ page }) => {
  await open(page);
  await type(page, 'é€😀');
  expect(await cards(page)).toEqual(['U+00E9', 'U+20AC', 'U+1F600']);
  await expect(page.getByRole('status').first()).toContainText('9 bytes, 3 code points, well-formed');
  const euro = page.locator('.item').nth(1);
  expect(await euro.locator('.hex').allTextContents()).toEqual(['E2', '82', 'AC']);
  expect((await euro.locator('.payload .bit').allTextContents()).join('')).toBe('0010000010101100');
  expect(await euro.locator('.byte').first().locator('.marker').allTextContents()).toEqual(['1', '1', '1', '0']);
  await expect(euro).toContainText('3-byte form');
});

for (const [notation, text] of [['hex', '%E2%82%AC'], ['code points', 'U+20AC'], ['escapes', '"\\u20AC"']] as const) {
  test(`${notation} are understood when pasted`, async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page);
    await type(page, '');
    await page.evaluate((text) => navigator.clipboard.writeText(text), text);
    await page.getByLabel('Text, bytes').focus();
    await page.keyboard.press('Control+V');
    expect(await cards(page)).toEqual(['U+20AC']);
    await expect(page.getByRole('status').first()).toContainText(`Read as ${notation}`);
  });
}

test('an error is drawn as far as it goes, with what was expected and what a lax decoder reads', async ({ page }) => {
  await open(page);
  await type(page, 'C0 AF E2 82 41');
  expect(await cards(page)).toEqual(['overlong form', 'unexpected continuation byte', 'truncated sequence', 'U+0041']);
  await expect(page.locator('.item').first()).toContainText('lax decoder would have read U+002F “/”');
  await expect(page.locator('.item').nth(2)).toContainText('After E2 82, expected 80 to BF, found 41');
  expect((await page.locator('.item').nth(2).locator('.payload .bit').allTextContents()).join('')).toBe('0010000010??????');
});

test('a click flips a bit, and everything follows', async ({ page }) => {
  await open(page, '#utf-8/text/e282ac');
  await page.getByRole('button', { name: 'bit 0 of AC' }).click();
  expect(await cards(page)).toEqual(['U+20AD']);
  await expect(page.getByLabel('Text, bytes')).toHaveValue('₭');
  await expect(page).toHaveURL(/e282ad/);
  await expect(page.locator('#sides tr.current .chunk')).toHaveText('E2 82 AD');
  await page.getByRole('button', { name: 'bit 7 of 82' }).click();
  expect((await cards(page))[0]).toBe('truncated sequence');
  await expect(page.getByLabel('Text, bytes')).toHaveValue('E2 02 AD');
});

test('by keyboard alone', async ({ page }) => {
  await open(page, '#utf-8/text/e282ac');
  await page.getByLabel('Text, bytes').focus();
  for (let step = 0; step < 20; step += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement?.matches('button.bit'))) break;
  }
  await expect(page.locator('button.bit:focus')).toHaveAttribute('aria-label', /bit 7 of E2/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  for (let step = 0; step < 7; step += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  expect(await cards(page)).toEqual(['U+20AD']);
  await expect(page.locator('button.bit:focus')).toHaveAttribute('aria-label', /bit 0 of AD/);
  await page.getByRole('tab', { name: 'Text' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('button', { name: 'choose one' })).toBeVisible();
});

test('what belongs together lights up', async ({ page }) => {
  await open(page, '#utf-8/text/61e282ac');
  const euro = page.locator('.item').nth(1);
  await euro.getByRole('button', { name: 'payload bit 13' }).hover();
  await expect(euro.locator('.payload .lit')).toHaveAttribute('data-position', '13');
  await expect(page.locator('#sides tr.current .lit')).toHaveText('E2 82 AC');
  await page.locator('#sides tr', { hasText: 'utf-16be' }).first().locator('.chunk').first().hover();
  await expect(page.locator('.item').first()).toHaveClass(/lit/);
});

test('dialects side by side, and why they differ', async ({ page }) => {
  await open(page, '#utf-8/text/e282ac');
  const row = (name: string) => page.locator('#sides tr').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
  for (const [name, bytes] of [['utf-8', 'E2 82 AC'], ['utf-8-offset', 'E1 A0 AC'], ['utf-16be', '20 AC'], ['windows-1252', '80'], ['euc-kr', 'A2 E6'], ['latin1', 'none']]) {
    await expect(row(name!).locator('.chunk')).toHaveText(bytes!);
  }
  await expect(page.locator('.ways li', { hasText: 'utf-8-offset' })).toContainText('20AC − 0880 = 182C');
  await expect(page.locator('#layout tfoot')).toContainText('1,112,064');
  await page.getByLabel('Dialect').selectOption('utf-8-31bit');
  await expect(page.locator('#layout tbody tr').last()).toContainText('FD');
  await expect(page.locator('#layout tfoot')).toContainText('2,147,483,648');
});

test('a link shows what it was made for, and examples are links', async ({ page }) => {
  await open(page, '#cesu-8/hex/eda0bdedb880');
  expect(await cards(page)).toEqual(['U+1F600']);
  await expect(page.getByLabel('Bytes are')).toHaveValue('cesu-8');
  await page.getByText('Examples').click();
  for (const link of await page.locator('#examples a').all()) {
    const fragment = (await link.getAttribute('href'))!;
    await link.click();
    await expect(page).toHaveURL(new RegExp(`${fragment.slice(1)}$`));
    expect((await cards(page)).length).toBeGreaterThan(0);
  }
  await type(page, 'hello');
  const url = page.url();
  await page.goto('about:blank');
  await page.goto(url);
  await expect(page.getByLabel('Text, bytes')).toHaveValue('hello');
});

test('a file is checked, and its repaired copy is that of the command', async ({ page }) => {
  await open(page, '#file');
  await page.setInputFiles('#file', SAMPLE);
  await expect(page.locator('#verdict')).toContainText('is not utf-8: 34 errors');
  await expect(page.locator('.errors tbody tr').first()).toContainText('5:43');
  await expect(page.locator('.errors .wrong').first()).toHaveText('FC');
  await expect(page.getByRole('img', { name: /Errors by place/ })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Code points by script' })).toContainText('Greek');
  for (const policy of ['replace', 'replace-run', 'escape']) {
    await page.getByLabel('Errors are').selectOption(policy);
    await page.getByRole('button', { name: 'Make a repaired copy' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: /Save it/ }).click()]);
    const ours = createHash('sha256').update(readFileSync(await download.path())).digest('hex');
    const command = ['run', '--quiet', '--bin', 'utf8', '--', 'repair', '--policy', policy, SAMPLE];
    const theirs = createHash('sha256').update(execFileSync('cargo', command, { cwd: ROOT })).digest('hex');
    expect(ours, policy).toBe(theirs);
  }
});

/** Drops a file made of `pieces` pieces of 4 MiB, the last of them broken. */
const drop = (page: Page, pieces: number): Promise<void> => page.evaluate((pieces) => {
  const line = new TextEncoder().encode('Grüße, мир, 世界! 😀 and some more plain text to go with it\n');
  const piece = new Uint8Array(4 * 1024 * 1024).fill(0x20);
  for (let at = 0; at + line.length < piece.length; at += line.length) piece.set(line, at);
  const good = new Blob([piece]);
  piece[1000] = 0xff;
  const parts: Blob[] = Array<Blob>(pieces - 1).fill(good);
  const transfer = new DataTransfer();
  transfer.items.add(new File([...parts, new Blob([piece])], 'big.txt'));
  document.getElementById('drop')!.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true }));
}, pieces);

/** Resident memory of all renderers, in bytes. */
async function resident(page: Page): Promise<number> {
  const session = await page.context().browser()!.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  return renderers.reduce((sum, { id }) => sum + Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) * 1024, 0);
}

test('a gigabyte is dropped, and memory stays flat', async ({ page }) => {
  await open(page, '#file');
  const before = await resident(page);
  await drop(page, 256);
  let most = 0;
  await expect(page.locator('#progress-label')).toContainText('of 1.0 GiB');
  while (await page.locator('#running').isVisible()) most = Math.max(most, await resident(page));
  await expect(page.locator('#verdict')).toContainText('is not utf-8: 1 error.');
  await expect(page.locator('.facts')).toContainText('1,073,741,824');
  await expect(page.locator('.errors tbody td').first()).toHaveText((255 * 4 * 1024 * 1024 + 1000).toLocaleString('en'));
  await page.getByRole('button', { name: 'Make a repaired copy' }).click();
  while (await page.locator('#running').isVisible()) most = Math.max(most, await resident(page));
  await expect(page.locator('#verdict')).toContainText('1 place changed; the copy has 1,073,741,826 bytes');
  expect(most).toBeGreaterThan(0);
  expect(most - before).toBeLessThan(256 * 1024 * 1024);
});

test('a check can be cancelled', async ({ page }) => {
  await open(page, '#file');
  await drop(page, 256);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.locator('#verdict')).toHaveText('Cancelled.');
  await page.setInputFiles('#file', { name: 'good.txt', mimeType: 'text/plain', buffer: Buffer.from('good €') });
  await expect(page.locator('#verdict')).toHaveText('good.txt is well-formed utf-8.');
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [360, 1280]) {
    test(`${colorScheme}, ${width} pixels: axe finds nothing, nothing sticks out`, async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 800 });
      const look = async (): Promise<void> => {
        expect((await new AxeBuilder({ page }).analyze()).violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      };
      await open(page, '#utf-8-31bit/hex/61e282acfdbfbfbfbfbfc0afe282');
      const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(paper).toBe(colorScheme === 'dark' ? 'rgb(20, 22, 27)' : 'rgb(250, 249, 246)');
      await page.getByText('Examples').click();
      await look();
      await page.getByRole('tab', { name: 'File' }).click();
      await page.setInputFiles('#file', SAMPLE);
      await expect(page.locator('.errors tbody tr')).toHaveCount(25);
      await look();
    });
  }
}

test('under 1 MB in all, not compressed', () => {
  const folder = fileURLToPath(new URL('../dist', import.meta.url));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const bytes = files.reduce((sum, file) => sum + statSync(`${file.parentPath}/${file.name}`).size, 0);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(1_000_000);
});
