// Tests what garbled text and files meant: the answer comes first, no uncertain reading is called certain, nothing
// leaves the page.
import { readFileSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { zip } from './zip.ts';

const open = async (page: Page): Promise<void> => {
  await page.goto('/');
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
};
const area = (page: Page) => page.locator('#garbled');
const readings = (page: Page) => page.locator('.readings .meant');

for (const [garbled, meant, how] of [
  ['schÃ¶n und groÃŸ', 'schön und groß', 'UTF-8, read as windows-1252'],
  ['donâ€™t', 'don’t', 'UTF-8, read as windows-1252'],
  ['Âå÷åðíèé', 'Вечерний', 'windows-1251, read as windows-1252'],
  ['縺薙ｓ縺ｫ縺｡縺ｯ', 'こんにちは', 'UTF-8, read as shift_jis'],
  ['Zo\\u00c3\\u00ab', 'Zoë', 'UTF-8, written as numbers'],
  ['Ã\u{192}Â¼ber', 'über', 'UTF-8, read as windows-1252, twice'],
  ['K√∂nig wohnt in K√∂ln', 'König wohnt in Köln', 'UTF-8, read as Mac Roman'],
] as const) {
  test(`${garbled} is ${meant}`, async ({ page }) => {
    await open(page);
    await area(page).fill(garbled);
    await expect(readings(page).first()).toHaveText(meant);
    await expect(page.locator('.readings li').first()).toContainText(how);
    // It may be called likely, but not more.
    await expect(page.locator('.readings b').first()).toHaveText(/^(Likely|Possible)$/);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.readings').getByRole('button', { name: 'Copy' }).first().click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(meant);
  });
}

test('correct text is unchanged; lost characters are marked; otherwise all readings are offered', async ({ page }) => {
  await open(page);
  for (const good of ['schön und groß', 'Привет, мир', 'こんにちは、世界', 'plain words', 'naïve café']) {
    await area(page).fill(good);
    await expect(page.locator('#meant-says')).toHaveText('Nothing seems wrong with this text.');
    await expect(readings(page)).toHaveCount(0);
    await area(page).fill('');
    await expect(page.locator('#meant-says')).toHaveText('');
  }
  await area(page).fill('¿Qu\ufffd pas\ufffd?');
  await expect(page.locator('#meant-says')).toContainText('Characters that cannot be recovered: 2.');
  await expect(page.locator('#meant mark')).toHaveCount(2);
  await area(page).fill('wyko¤czenie ’azienki');
  await expect(page.locator('#meant details[open] tbody tr').nth(3)).toBeVisible();
});

/** Opens a file in the page. */
const give = (page: Page, name: string, buffer: Buffer): Promise<void> =>
  page.setInputFiles('#file', { name, mimeType: 'text/plain', buffer });

test('a file of misread text is not only called good, and is saved as it was meant', async ({ page }) => {
  await open(page);
  const [read, meant] = ['Zdravím všechny, dìkuji za pøíspìvek\n', 'Zdravím všechny, děkuji za příspěvek\n'];
  await give(page, 'reply.txt', Buffer.from(read.repeat(3)));
  await expect(page.locator('#listing')).toContainText('probably not the intended ones');
  await expect(page.locator('#listing button.primary')).toHaveCount(0);
  expect(await saved(page, 'Save this text')).toBe(meant.repeat(3));
  await give(page, 'tags.txt', Buffer.from('Âå÷åðíèé äîæäü\nÒèõàÿ íî÷ü\n'.repeat(3)));
  await expect(page.locator('#listing')).toContainText('Text in it was windows-1251, read as windows-1252.');
  expect(await saved(page, 'Restore it without the damage')).toBe('Вечерний дождь\nТихая ночь\n'.repeat(3));
});

/** Saves the copy made by the first button of that name. */
async function saved(page: Page, name: string): Promise<string> {
  await page.locator('#listing').getByRole('button', { name }).first().click();
  const link = page.getByRole('link', { name: /Save it/ });
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  return readFileSync(await download.path(), 'utf8');
}

test('files of public reports are saved as they were meant after one click', async ({ page }) => {
  await open(page);
  const escaped = '{"name": "Zo\\u00c3\\u00ab"}\n';
  for (const [name, bytes, button, meant] of [
    ['messages.json', Buffer.from(escaped), 'Restore it without the damage', '{"name": "Zo\\u00eb"}\n'],
    ['folders.txt', Buffer.from('INBOX.Entw&APw-rfe\n'), 'Save as UTF-8', 'INBOX.Entwürfe\n'],
    ['app.log', Buffer.from(`${'\0'.repeat(400)}un café ouvert\n`, 'latin1'), 'Save as UTF-8', 'un café ouvert\n'],
    [
      'data.csv',
      Buffer.from('id,note\n1,the client\x92s wish\n', 'latin1'),
      'Save as UTF-8',
      'id,note\n1,the client’s wish\n',
    ],
    // It may be in another encoding, with a letter in place of the ellipsis.
    ['note.txt', Buffer.from('wait\x85\n', 'latin1'), 'Save this text', 'wait…\n'],
  ] as const) {
    await give(page, name, bytes);
    await expect(page.locator('#verdict')).toContainText(name);
    expect(await saved(page, button), name).toBe(meant);
  }
  await give(page, 'lost.c', Buffer.from('int a; // 锟斤拷锟斤拷\n'));
  await expect(page.locator('#listing')).toContainText('Text is lost');
});

test('no action that loses something is offered first', async ({ page }) => {
  await open(page);
  await give(page, 'unknown.txt', Buffer.from('c1c2c3c4d0d1e2f0f1c9cac0c0a0c0d2'.repeat(4), 'hex'));
  await expect(page.locator('#verdict')).toContainText('is not utf-8');
  await expect(page.locator('#findings button.primary')).toHaveCount(0);
});

test('a file byte by byte: errors marked, any place by offset or search', async ({ page }) => {
  await open(page);
  await give(
    page,
    'long.txt',
    Buffer.concat([Buffer.from('Grüße '.repeat(1000)), Buffer.from([0xff]), Buffer.from(' needle')]),
  );
  await page.locator('#bytes summary').click();
  const rows = page.locator('#bytes tr');
  await expect(rows.first()).toContainText('C3 BC');
  await expect(rows.first()).toContainText('00FC');
  await page.getByLabel('Search').fill('needle');
  await page.getByLabel('Search').press('Enter');
  await expect(page.locator('#bytes mark').first()).toHaveText('FF');
  await page.getByLabel('Offset').fill('160');
  await page.getByLabel('Offset').press('Enter');
  await expect(rows.first().locator('th')).toHaveText('160');
});

test('an archive: the names that are not as they were meant, and a copy with those that were', async ({ page }) => {
  await open(page);
  const names = ['Документы.doc', 'Новая папка', 'Отчёт за март.xls'];
  const cp866 = ['84aeaae3aca5ade2eb2e646f63', '8daea2a0ef20afa0afaaa0', '8ee2e7f1e220a7a020aca0e0e22e786c73'];
  await give(page, 'old.zip', zip(cp866.map((hex) => Buffer.from(hex, 'hex'))));
  await expect(page.locator('#verdict')).toHaveText('Names in old.zip that are not as they were meant: 3 of 3.');
  await expect(page.locator('#findings tbody tr')).toHaveCount(3);
  for (const name of names) await expect(page.locator('#findings tbody')).toContainText(name);
  await expect(page.locator('#findings code')).toHaveText("utf8 rename 'old.zip' -o renamed.zip");
  await page.getByRole('button', { name: 'Save the archive with these names' }).click();
  await expect(page.locator('#verdict a')).toHaveAttribute('download', 'old.renamed.zip');
  const saved = page.waitForEvent('download');
  await page.locator('#verdict a').click();
  await give(page, 'new.zip', readFileSync(await (await saved).path()));
  await expect(page.locator('#verdict')).toHaveText('The names in new.zip are as they were meant: 3.');
  await give(page, 'good.zip', zip([Buffer.from('plain.txt')]));
  await expect(page.locator('#verdict')).toHaveText('The names in good.zip are as they were meant: 1.');
});

test('the results of a file follow the language', async ({ page }) => {
  await open(page);
  await give(page, 'bad.bin', Buffer.from('c1c2c3c4d0d1e2f0f1c9cac0c0a0c0d2'.repeat(4), 'hex'));
  await expect(page.locator('#verdict')).toContainText('is not utf-8');
  const own = (): Promise<string> => page.locator('#panel-file').evaluate((panel) => (panel as HTMLElement).innerText);
  const english = (await own()).match(/\p{L}{4,} \p{L}{3,} \p{L}{2,}/gu)!;
  for (const [language, said] of [
    ['de', 'bad.bin ist kein utf-8'],
    ['ja', 'bad.bin は utf-8 ではありません'],
  ] as const) {
    await page.locator('#language').selectOption(language);
    await expect(page.locator('#verdict')).toContainText(said);
    const now = await own();
    expect(english.filter((words) => now.includes(words))).toEqual([]);
  }
});

test('two versions: the damage, and the restored file', async ({ page }) => {
  await open(page);
  await page.getByText('Compare two versions of a file').click();
  const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'text/plain', buffer });
  await page.getByLabel('Old version').setInputFiles(file('old.txt', Buffer.from('caf\xe9\r\n', 'latin1')));
  await page.getByLabel('New version').setInputFiles(file('new.txt', Buffer.from('un caf\ufffd\n')));
  await expect(page.locator('#damages')).toContainText('Damaged places in the new version: ');
  await page.getByRole('button', { name: 'Restore it without the damage' }).click();
  const link = page.getByRole('link', { name: /Save it/ });
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  expect(readFileSync(await download.path(), 'latin1')).toBe('un caf\xe9\r\n');
});

test('nothing leaves the computer, and the page works offline after the first visit', async ({ page, context }) => {
  const asked: string[] = [];
  await open(page);
  await page.evaluate(() => navigator.serviceWorker.ready);
  context.on('request', (request) => {
    const own = new URL(request.url()).origin === new URL(page.url()).origin || request.url().startsWith('blob:');
    if (!own || request.method() !== 'GET' || request.url().includes('?')) asked.push(request.url());
  });
  await area(page).fill('schÃ¶n und groÃŸ');
  await expect(readings(page).first()).toHaveText('schön und groß');
  await give(page, 'a.txt', Buffer.from('caf\xe9', 'latin1'));
  await expect(page.locator('#verdict')).not.toBeEmpty();
  expect(asked).toEqual([]);
  await page.waitForFunction(async () => (await navigator.serviceWorker.ready).active?.state === 'activated');
  await context.setOffline(true);
  await page.goto('/');
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
  await area(page).fill('donâ€™t');
  await expect(readings(page).first()).toHaveText('don’t');
  await give(page, 'b.txt', Buffer.from('GrÃ¼ÃŸe aus KÃ¶ln\n'.repeat(3)));
  await expect(page.locator('#listing button').first()).toHaveText('Undo the double encoding');
});

for (const locale of ['en', 'ar', 'ja', 'de-AT']) {
  test(`in ${locale}: axe finds nothing at 320 pixels, by keyboard alone`, async ({ browser }) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ locale, colorScheme, viewport: { width: 320, height: 700 } });
      const page = await context.newPage();
      await open(page);
      await expect(page.locator('html')).toHaveAttribute('lang', locale.slice(0, 2));
      await expect(page.locator('html')).toHaveAttribute('dir', locale === 'ar' ? 'rtl' : 'ltr');
      for (let press = 0; press < 8; press += 1) {
        await page.keyboard.press('Tab');
        if (await page.evaluate(() => document.activeElement?.id === 'garbled')) break;
      }
      await expect(area(page)).toBeFocused();
      await page.keyboard.insertText('schÃ¶n und groÃŸ');
      await expect(readings(page).first()).toHaveText('schön und groß');
      await page.locator('#meant summary').click();
      await page.keyboard.press('Shift+Tab');
      await page.screenshot({ path: `test-results/${locale}-${colorScheme}.png`, fullPage: true });
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
      await context.close();
    }
  });
}
