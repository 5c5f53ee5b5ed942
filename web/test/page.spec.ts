import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { AxeBuilder } from '@axe-core/playwright';
import axe from 'axe-core';
import { expect, type Locator, type Page, test as base } from '@playwright/test';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SAMPLE = `${ROOT}samples/broken.txt`;
// The command, as built by the other tests, because building it takes minutes.
const BUILT = `${ROOT}target/debug/utf8`;
const UTF8 = existsSync(BUILT) ? [BUILT] : ['cargo', 'run', '--quiet', '--bin', 'utf8', '--'];

/** Checks that there is no request to another host, no violation of the policy, and no error. */
const test = base.extend({
  page: async ({ page }, use) => {
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!/^(blob:)?http:\/\/localhost:4173\//.test(request.url())) complaints.push(request.url());
    });
    await use(page);
    expect(complaints).toEqual([]);
  },
});

/** All rules of axe, not only those that are on by default. */
const everyRule = (page: Page): AxeBuilder => {
  const rules = Object.fromEntries(axe.getRules().map(({ ruleId }) => [ruleId, { enabled: true }]));
  return new AxeBuilder({ page }).options({ rules });
};

const open = async (page: Page, fragment = '#utf-8'): Promise<void> => {
  await page.goto(`/${fragment}`);
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
};
const tiles = (page: Page) => page.locator('.tile .name').allTextContents();
const area = (page: Page) => page.getByLabel('Text, bytes');
const type = (page: Page, text: string) => area(page).fill(text);
const says = (page: Page) => page.locator('#status');
const bitAt = (page: Page, name: string) => page.getByRole('button', { name });
const step = (page: Page, number: number) => page.locator('#steps > li').nth(number - 2);

/** Pastes as a browser does. */
async function paste(page: Page, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((text) => navigator.clipboard.writeText(text), text);
  await area(page).focus();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('ControlOrMeta+V');
}

test('the euro sign in five steps', async ({ page }) => {
  await open(page);
  await expect(area(page)).toHaveValue('€');
  await expect(says(page)).toHaveText('Read as text: 3 bytes, 1 code point, well-formed utf-8.');
  await expect(page.locator('#rows tr.lit')).toContainText('U+0800');
  // Four lengths. The two removed ones are folded.
  await expect(page.locator('#rows tr:visible')).toHaveCount(5);
  await expect(page.locator('#line')).toHaveText(
    /^€\s*→\s*U\+20AC\s*→\s*0010\s+000010\s+101100\s*→\s*E2\s+82\s+AC\s*$/,
  );
  expect((await step(page, 2).locator('.bit').allTextContents()).join('')).toBe('0010000010101100');
  expect(await step(page, 2).locator('.digit b').allTextContents()).toEqual(['2', '0', 'A', 'C']);
  expect(await step(page, 3).locator('.bits').allTextContents()).toEqual(['0010', '000010', '101100']);
  expect(await step(page, 4).locator('.bits').allTextContents()).toEqual(['11100010', '10000010', '10101100']);
  expect(await step(page, 5).locator('.hexbyte').allTextContents()).toEqual(['E2', '82', 'AC']);
  // Each bit of step 3 stands over the same bit of step 4.
  for (const position of [15, 11, 6, 5, 0]) {
    const [bit, split, marked] = await Promise.all(
      [2, 3, 4].map((number) => step(page, number).locator(`[data-position="${position}"]`).boundingBox()),
    );
    expect(split!.x).toBeCloseTo(marked!.x, 0);
    expect(bit!.x).toBeCloseTo(marked!.x, 0);
  }
});

test('all five steps are on one screen, and on two of a phone', async ({ page }) => {
  for (const [width, height, screens] of [
    [1280, 900, 1],
    [360, 740, 2],
  ] as const) {
    await page.setViewportSize({ width, height });
    await open(page);
    const box = (await step(page, 5).boundingBox())!;
    expect(box.y + box.height).toBeLessThanOrEqual(screens * height);
    if (screens === 1) expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(2000);
  }
});

test('decoding in five steps', async ({ page }) => {
  await open(page);
  await page.getByRole('tab', { name: 'Decode' }).click();
  const steps = page.locator('#steps > li');
  await expect(steps).toHaveCount(5);
  await expect(steps.nth(0).locator('.hexbyte')).toHaveText(['E2', '82', 'AC']);
  await expect(steps.nth(1)).toContainText('E2 begins with 3 ones and a 0: 3 bytes');
  await expect(steps.nth(2).locator('.bits')).toHaveText(['0010', '000010', '101100']);
  await expect(steps.nth(3).locator('.digit b')).toHaveText(['2', '0', 'A', 'C']);
  await expect(steps.nth(4)).toContainText('U+20AC');
});

for (const [name, hex, why] of [
  [
    'overlong',
    'c0af',
    '“/” fits in 2F; the longer form C0 AF is forbidden, because a filter that looks for 2F would miss it',
  ],
  [
    'surrogate',
    'eda080',
    'would be U+D800, which is not a character: UTF-16 writes characters above U+FFFF as two such halves',
  ],
  ['too large', 'f4908080', 'would be U+110000, beyond U+10FFFF, the last code point'],
  ['truncated', '61e282', 'announces 3 bytes. Missing: 1; the text ends'],
  ['continuation', '61ac', 'AC begins with 10, as bytes after the first do, but no first byte is before it'],
  ['invalid', 'ff', 'FF never occurs in utf-8'],
] as const) {
  test(`why it is an error: ${name}`, async ({ page }) => {
    await open(page, `#utf-8/hex/${hex}`);
    await page.locator('.tile').last().click();
    await expect(page.locator('#steps')).toContainText(why);
  });
}

test('the reading of a lax decoder, if any', async ({ page }) => {
  for (const [hex, what] of [
    ['c0af', 'U+002F “/”'],
    ['e282', 'Nothing: the bytes are incomplete.'],
    ['ff', 'Nothing: no character begins like this.'],
    ['80', 'Nothing: no character begins like this.'],
  ] as const) {
    await open(page, `#utf-8/hex/${hex}`);
    await expect(page.locator('#steps > li').last()).toContainText(what);
    await page.goto('about:blank');
  }
});

test('a link carries the selected character; Back leads from the files to the text', async ({ page }) => {
  await open(page, '#utf-8/text/61e282acc3a9/2');
  await expect(page.locator('.tile.selected .name')).toHaveText('U+00E9');
  await page.locator('.tile').nth(1).click();
  await expect(page).toHaveURL(/61e282acc3a9\/1$/);
  await page.getByRole('tab', { name: 'Repair text' }).click();
  await expect(page).toHaveURL(/#file$/);
  await page.goBack();
  await expect(area(page)).toBeVisible();
  await expect(page.locator('.tile.selected .name')).toHaveText('U+20AC');
});

for (const source of [
  'E282AC',
  '0xE2,0x82,0xAC',
  '11100010 10000010 10101100',
  '226 130 172',
  '00000000  e2 82 ac  |...|',
]) {
  test(`${source} is read as bytes, and as text with one click`, async ({ page }) => {
    await open(page);
    await type(page, source);
    expect(await tiles(page)).toEqual(['U+20AC']);
    await page.getByRole('button', { name: 'Read it as text' }).click();
    await expect(says(page)).toContainText('Read as text');
    expect((await tiles(page)).length).toBe([...source].length);
  });
}

base('without JavaScript the page teaches, and says so', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/');
  await expect(page.locator('noscript p').first()).toBeVisible();
  await expect(page.locator('#line')).toBeVisible();
  await expect(page.locator('#rows tbody tr')).toHaveCount(4);
  await expect(page.locator('noscript ol li')).toHaveCount(4);
  await context.close();
});

test('a name, block, script, category and age; invisible ones by abbreviation', async ({ page }) => {
  await open(page, '#utf-8/code-points/e282ace2808dc2a0e280aeefbbbf0a');
  await expect(page.locator('#hand-head')).toContainText('EURO SIGN');
  await expect(page.locator('#hand-head')).toContainText(
    'Currency Symbols · Common · currency symbol (Sc) · Unicode 2.1',
  );
  expect(await page.locator('.tile .glyph').allTextContents()).toEqual(['€', 'ZWJ', 'NBSP', 'RLO', 'BOM', 'LF']);
  await page.locator('.tile').nth(3).click();
  await expect(page.locator('#hand-head')).toContainText('RIGHT-TO-LEFT OVERRIDE · RLO');
  for (const [value, name] of [
    ['ED959C', 'HANGUL SYLLABLE HAN'],
    ['E4B896', 'CJK UNIFIED IDEOGRAPH-4E16'],
    ['C280', 'PADDING CHARACTER'],
    ['EFBFBF', '<noncharacter>'],
  ]) {
    await page.goto(`/#utf-8/hex/${value}`);
    await expect(page.locator('#hand-head')).toContainText(name!);
  }
});

test('code points are found by name or number, and appended to the text', async ({ page }) => {
  await open(page);
  await page.getByText('Find a code point').click();
  await page.getByLabel('Name or number').fill('grinning face');
  await page.getByRole('button', { name: 'U+1F600 GRINNING FACE' }).click();
  await expect(area(page)).toHaveValue('€😀');
  for (const query of ['U+1F0A1', '1f0a1', 'playing card ace of spades']) {
    await page.getByLabel('Name or number').fill(query);
    await expect(page.locator('#results button').first()).toContainText('U+1F0A1 PLAYING CARD ACE OF SPADES');
  }
});

test('a grapheme cluster is under a bracket; NFC and NFD', async ({ page }) => {
  await open(page, '#utf-8/text/61f09f91a8e2808df09f91a9');
  await expect(page.locator('.tile.begins')).toHaveText(/1F468/);
  await expect(page.locator('.tile.inside')).toHaveText(/200D/);
  await expect(page.locator('.tile.ends')).toHaveText(/1F469/);
  await type(page, 'é');
  await page.getByRole('button', { name: 'NFD' }).click();
  expect(await tiles(page)).toEqual(['U+0065', 'U+0301']);
  await page.getByRole('button', { name: 'NFC' }).click();
  expect(await tiles(page)).toEqual(['U+00E9']);
});

for (const [label, text] of [
  ['bytes in hex', 'E2 82 AC'],
  ['text with % escapes', '%E2%82%AC'],
  ['code points', 'U+20AC'],
  ['text with \\ escapes', '"\\u20AC"'],
] as const) {
  test(`${label}: understood when pasted`, async ({ page }) => {
    await open(page);
    await type(page, '');
    await paste(page, text);
    await expect(says(page)).toContainText(`Read as ${label}`);
    expect(await tiles(page)).toEqual(['U+20AC']);
  });
}

test('ambiguous input is text, with one button to read it otherwise', async ({ page }) => {
  await open(page);
  await type(page, 'de-ad');
  await expect(says(page)).toContainText('Read as text: 5 bytes');
  await page.getByRole('button', { name: 'It looks like bytes in hex' }).click();
  await expect(says(page)).toContainText('Read as bytes in hex: 2 bytes');
  await expect(area(page)).toHaveValue('de-ad');
  await page.getByRole('button', { name: 'Read it as text' }).click();
  await expect(says(page)).toContainText('Read as text: 5 bytes');
  await page.getByLabel('Input', { exact: true }).selectOption('');
  await type(page, 'E2 82 A');
  await expect(says(page).locator('mark')).toHaveText('A');
  await expect(says(page)).toContainText('is not a whole byte yet');
});

test('an error is one thing, with what was expected and what a lax decoder reads', async ({ page }) => {
  await open(page, '#utf-8/hex/f4908080c0afe28241');
  expect(await tiles(page)).toEqual(['value too large', 'overlong form', 'truncated sequence', 'U+0041']);
  await expect(says(page)).toContainText('3 places, 7 errors');
  await expect(page.locator('#steps')).toContainText('4 errors here');
  await expect(page.locator('#steps')).toContainText('U+110000');
  await page.locator('.tile').nth(1).click();
  await expect(page.locator('#steps')).toContainText('C0 AF is an overlong "/"');
  await page.locator('.tile').nth(2).click();
  await expect(page.locator('#steps')).toContainText('After E2 82, expected 80..BF, found 41');
});

test('a flipped bit can be taken back, and the rest stays', async ({ page }) => {
  await open(page);
  const long = `${'Grüße '.repeat(2000)}€${' end'.repeat(500)}`;
  await type(page, long);
  await page.locator('#items').focus();
  await page.keyboard.type('20ac');
  await expect(page.locator('.tile.selected .name')).toHaveText('U+20AC');
  await bitAt(page, 'bit 0 of AC').click();
  await expect(area(page)).toHaveValue(long.replace('€', '₭'));
  await expect(page.locator('.tile.selected .name')).toHaveText('U+20AD');
  await expect(bitAt(page, 'bit 0 of AD')).toBeFocused();
  await page.keyboard.press('ControlOrMeta+Z');
  await expect(area(page)).toHaveValue(long);
  await page.keyboard.press('ControlOrMeta+Shift+Z');
  await expect(area(page)).toHaveValue(long.replace('€', '₭'));
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(area(page)).toHaveValue(long);
  await page.getByRole('button', { name: 'Redo' }).click();
  await expect(area(page)).toHaveValue(long.replace('€', '₭'));
});

test('by keyboard alone', async ({ page }) => {
  await open(page, '#utf-8/text/61e282ac62c3a9');
  await page.locator('#items').focus();
  for (const [key, name] of [
    ['ArrowRight', 'U+20AC'],
    ['End', 'U+00E9'],
    ['ArrowLeft', 'U+0062'],
    ['Home', 'U+0061'],
    ['é', 'U+00E9'],
  ] as const) {
    if (key === 'é') await page.locator('#items').dispatchEvent('keydown', { key, bubbles: true });
    else await page.keyboard.press(key);
    await expect(page.locator('.tile.selected .name')).toHaveText(name);
  }
  await page.waitForTimeout(1600);
  await page.keyboard.type('20ac');
  await expect(page.locator('.tile.selected .name')).toHaveText('U+20AC');
  for (let press = 0; press < 6; press += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement?.matches('button.bit'))) break;
  }
  await expect(page.locator('button.bit:focus')).toHaveAttribute('aria-label', /bit 7 of E2/);
  await page.keyboard.press('End');
  await page.keyboard.press('Space');
  await expect(page.locator('.tile.selected .name')).toHaveText('U+20AD');
  await page.getByRole('tab', { name: 'UTF-8, bit by bit' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('button', { name: 'Choose files' })).toBeVisible();
});

test('pointing moves nothing, and shows positions', async ({ page }) => {
  await open(page, '#utf-8/text/61e282acf09f988062c3a9');
  // The last part of the page is drawn when the browser is idle.
  await page.locator('#drop-row .cell').first().waitFor();
  const height = (): Promise<number> => page.evaluate(() => document.documentElement.scrollHeight);
  const before = await height();
  for (let index = 0; index < 5; index += 1) {
    await page.locator('.tile').nth(index).hover();
    expect(await height()).toBe(before);
  }
  await page.locator('.tile').nth(3).hover();
  await expect(page.locator('#place')).toHaveText('byte 8 · code point 3 · UTF-16 unit 4');
  await step(page, 4).locator('.bit').first().hover();
  expect(await height()).toBe(before);
});

test('a megabyte is pasted whole, and only what is in view is made', async ({ page }) => {
  await open(page);
  const text = 'Grüße, мир, 世界! 😀 and some more\n'.repeat(21_000);
  await paste(page, text);
  await expect(says(page)).toContainText(
    `${Buffer.byteLength(text).toLocaleString('en')} bytes, ${[...text].length.toLocaleString('en')} code ` +
      `points, well-formed`,
  );
  expect(await page.locator('.tile').count()).toBeLessThan(200);
  await page.locator('#items').focus();
  await page.keyboard.press('End');
  await expect(page.locator('.tile.selected')).toHaveAttribute('aria-posinset', String([...text].length));
  await expect(page.locator('#hand-head')).toContainText('U+000A');
  await expect(page.locator('.tile.selected')).toBeInViewport();
  // A flip keeps the whole text, even if it is no longer well-formed.
  await bitAt(page, 'bit 0 of 0A').click();
  await expect(page.locator('.tile.selected .name')).toHaveText('U+000B');
  await expect(says(page)).toContainText(`${Buffer.byteLength(text).toLocaleString('en')} bytes`);
  await page.keyboard.press('ControlOrMeta+Z');
  await page.keyboard.press('ControlOrMeta+Z');
  await expect(area(page)).toHaveValue('€');
});

test('dialects and encodings that write the same bytes are grouped', async ({ page }) => {
  await open(page, '#utf-8/text/e282ac');
  await expect(page.locator('.card')).toHaveCount(2);
  await expect(page.locator('.card.own .chip')).toHaveText([
    'utf-8',
    'utf-8-21bit',
    'utf-8-31bit',
    'cesu-8',
    'mutf-8',
    'wtf-8',
  ]);
  await expect(page.locator('.card').nth(1)).toContainText('Counts from U+0880');
  await expect(page.locator('#others tbody tr').first()).toContainText('utf-16le, wtf-16le');
  expect(
    await page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => name.includes('text'))),
  ).toBe(false);
  await page.getByText('In the legacy encodings').click();
  await page.getByText('The table of each dialect').click();
  await expect(page.locator('#legacy-table tr', { hasText: 'windows-1252' })).toContainText('80');
  await expect(page.locator('#legacy-table tr', { hasText: 'euc-kr' })).toContainText('A2 E6');
  await page.getByRole('tab', { name: 'utf-8-31bit' }).click();
  await expect(page.locator('#dialect-rows tbody tr').last()).toContainText('U+7FFFFFFF');
  await expect(page.locator('#dialect-rows tr.lit th')).toHaveText('3');
});

test('copied as literals of other languages', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(page, '#utf-8/text/61e282acf09f9880220a62');
  await page.getByText('Copy the text as').click();
  const expected: Record<string, string> = {
    C: String.raw`"a\xE2\x82\xAC\xF0\x9F\x98\x80\"\nb"`,
    Rust: String.raw`"a\u{20AC}\u{1F600}\"\nb"`,
    Python: String.raw`"a\u20AC\U0001F600\"\nb"`,
    JavaScript: String.raw`'a\u20AC\u{1F600}"\nb'`,
    Go: String.raw`"a\xE2\x82\xAC\xF0\x9F\x98\x80\"\nb"`,
    Java: String.raw`"a\u20AC\uD83D\uDE00\"\nb"`,
    CSS: String.raw`"a\20AC \1F600 \"\A b"`,
    SQL: "'a€😀\"\nb'",
    Percent: 'a%E2%82%AC%F0%9F%98%80%22%0Ab',
    HTML: 'a&#x20AC;&#x1F600;&quot;\nb',
    '\\x': String.raw`\x61\xE2\x82\xAC\xF0\x9F\x98\x80\x22\x0A\x62`,
    Hex: '61 E2 82 AC F0 9F 98 80 22 0A 62',
    Base64: 'YeKCrPCfmIAiCmI=',
  };
  for (const [name, text] of Object.entries(expected)) {
    await page.getByRole('button', { name: `Copy as ${name}`, exact: true }).click();
    expect([name, await page.evaluate(() => navigator.clipboard.readText())]).toEqual([name, text]);
  }
});

test('why: boundaries, order, and C0 AF, to be touched', async ({ page }) => {
  await open(page);
  const slider = page.getByLabel('Byte to drop into');
  await expect(page.locator('#drop-says')).toContainText('2 steps back, E2 does not: “€” begins there');
  await slider.press('ArrowRight');
  await expect(page.locator('#drop-says')).toContainText('does not begin with 10');
  await page.getByText('Sorting bytes sorts code points').click();
  await expect(page.locator('.sign')).toHaveText(['<', '<', '>']);
  await expect(page.locator('#order-says')).toContainText('UTF-16 disagrees');
  await page.getByLabel('Another').fill('ﬂ');
  await expect(page.locator('.sign')).toHaveText(['<', '<', '<']);
  await page.getByText('C0 AF must be rejected').click();
  await expect(page.locator('#filter')).toContainText('finds none, and lets it pass');
  await expect(page.locator('#filter')).toContainText('the path is “../etc”');
  await page.getByRole('button', { name: '2F', exact: true }).click();
  await expect(page.locator('#filter')).toContainText('finds the byte 2F: rejected');
});

test('links keep the notation and CR LF, and examples are links', async ({ page }) => {
  await open(page, '#cesu-8/hex/eda0bdedb880');
  expect(await tiles(page)).toEqual(['U+1F600']);
  await expect(page.getByLabel('Encoding', { exact: true })).toHaveValue('cesu-8');
  await page.getByText('Examples').click();
  for (const link of await page.locator('#examples a').all()) {
    const fragment = (await link.getAttribute('href'))!;
    await link.click();
    await expect(page).toHaveURL(new RegExp(`${fragment.slice(1)}$`));
    expect((await tiles(page)).length).toBeGreaterThan(0);
  }
  for (const [typed, notation] of [
    ['12:30', 'text'],
    ['E2 82 AC', 'hex'],
    ['U+20AC', 'code-points'],
    ['11100010', 'binary'],
  ] as const) {
    await page.goto('about:blank');
    await open(page);
    await type(page, typed);
    if (notation === 'binary') await page.getByLabel('Input', { exact: true }).selectOption('binary');
    const url = await page.evaluate(() => location.href);
    expect(url).toContain(`/${notation}/`);
    await page.goto('about:blank');
    await page.goto(url);
    await expect(area(page)).toHaveValue(typed);
  }
  await page.getByLabel('Input', { exact: true }).selectOption('');
  await paste(page, 'a\r\nb');
  await expect(page).toHaveURL(/text\/610d0a62$/);
  const url = page.url();
  await page.goto('about:blank');
  await page.goto(url);
  await expect(page.locator('.tile')).toHaveCount(4);
  await area(page).press('End');
  await area(page).pressSequentially('!');
  await expect(page).toHaveURL(/610d0a/);
});

base('a module that cannot be loaded is told of, with a way to try again', async ({ page }) => {
  await page.route('**/*.wasm', (route) => route.fulfill({ status: 503, body: '' }));
  await page.goto('/');
  await expect(page.getByRole('alert')).toContainText('could not be loaded');
  await expect(page.getByRole('alert')).toContainText('503');
  await page.unroute('**/*.wasm');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
  await expect(page.getByRole('alert')).toBeHidden();
});

test("a file is checked, and its repaired copy equals the command's", async ({ page }) => {
  await open(page, '#file');
  await page.setInputFiles('#file', SAMPLE);
  await expect(page.locator('#verdict')).toHaveText('broken.txt is not utf-8; errors: 34.');
  await expect(page.locator('.errors tbody tr').first()).toContainText('5:43');
  await expect(page.locator('.errors .wrong').first()).toHaveText('FC');
  await expect(page.getByRole('img', { name: /Errors by place/ })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Code points by script' })).toContainText('Greek');
  for (const policy of ['replace', 'replace-run', 'escape']) {
    await page.getByLabel('Errors are').selectOption(policy);
    await page.getByRole('button', { name: 'Make a repaired copy' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /Save it/ }).click(),
    ]);
    const ours = createHash('sha256')
      .update(readFileSync(await download.path()))
      .digest('hex');
    const [program, ...before] = UTF8;
    const theirs = createHash('sha256')
      .update(execFileSync(program!, [...before, 'repair', '--force', '--policy', policy, SAMPLE], { cwd: ROOT }))
      .digest('hex');
    expect(ours, policy).toBe(theirs);
  }
});

test('several files, a row each', async ({ page }) => {
  await open(page, '#file');
  const file = (name: string, text: string, encoding: BufferEncoding = 'utf8') => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.from(text, encoding),
  });
  await page.setInputFiles('#file', [
    file('good.txt', 'good €'),
    file('bad.txt', 'Gr\xfc\xdfe aus K\xf6ln', 'latin1'),
    file('wide.txt', '\ufeffGrüße', 'utf16le'),
  ]);
  await expect(page.locator('#verdict')).toContainText('2 of 3 files are not well-formed utf-8');
  await expect(page.locator('.files tbody tr')).toHaveCount(3);
  await expect(page.locator('.files tr', { hasText: 'good.txt' })).toContainText('well-formed');
  await page.getByRole('button', { name: 'bad.txt', exact: true }).click();
  await expect(page.locator('#listing')).toContainText('windows-125');
});

test('UTF-16 and legacy files are recognised, and saved as UTF-8 with one click', async ({ page }) => {
  await open(page, '#file');
  await page.setInputFiles('#file', {
    name: 'wide.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('Plain words in UTF-16', 'utf16le'),
  });
  await expect(page.locator('#listing')).toContainText('UTF-16LE.');
  await page.getByLabel('Their bytes should be').selectOption('utf-16le');
  await expect(page.locator('#verdict')).toHaveText('wide.txt is well-formed utf-16le.');
  await page.getByLabel('Their bytes should be').selectOption('utf-8');
  const russian = Buffer.from(
    'cff0e8e2e5f22c20ece8f02120c2f1e520f1eff0e0e2e5e4ebe8e2fbe520e4e5eceee3f0e0f2e8fe20f3f1eff3f0e8f02e0a'.repeat(4),
    'hex',
  );
  await page.setInputFiles('#file', { name: 'old.txt', mimeType: 'text/plain', buffer: russian });
  await expect(page.locator('#listing')).toContainText('windows-1251');
  await page.getByRole('button', { name: 'Save as UTF-8' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /Save it/ }).click(),
  ]);
  expect(readFileSync(await download.path(), 'utf8')).toContain('Привет, мир!');
});

/** The first suggestion for a file, and the copy that it makes. */
async function repaired(page: Page, name: string, buffer: Buffer, button: string | RegExp): Promise<string> {
  await page.setInputFiles('#file', { name, mimeType: 'text/plain', buffer });
  const first = page.locator('#panel-file #listing button').first();
  await expect(first).toHaveText(button);
  await first.click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /Save it/ }).click(),
  ]);
  return readFileSync(await download.path(), 'utf8');
}

test('the button that is offered first loses nothing', async ({ page }) => {
  await open(page, '#file');
  const encoded = (hex: string): Buffer => Buffer.from(hex.repeat(8), 'hex');
  // Sentences of Japanese in Shift_JIS, Korean in EUC-KR, Ukrainian in KOI8-U.
  expect(await repaired(page, 'sjis.txt', encoded('8da193fa82cd90a28a458142'), 'Save as UTF-8')).toContain(
    '今日は世界',
  );
  expect(await repaired(page, 'euc-kr.txt', encoded('bec8b3e7c7cfbcbcbfe420bcbcb0e82e0a'), 'Save as UTF-8')).toContain(
    '안녕하세요 세계',
  );
  expect(
    await repaired(page, 'koi8-u.txt', encoded('f0d2c9d7a6d42c20d3d7a6d4c52120a7d6c1cb0a'), 'Save as UTF-8'),
  ).toContain('Привіт, світе');
  const doubled = Buffer.from('GrÃ¼ÃŸe aus KÃ¶ln\nplain\n'.repeat(3));
  expect(await repaired(page, 'doubled.txt', doubled, 'Undo the double encoding')).toBe(
    'Grüße aus Köln\nplain\n'.repeat(3),
  );
  await expect(page.locator('.preview tbody tr').first()).toContainText('Grüße aus Köln');
  const [line, other] = ['Grüße aus Köln\n', 'Häuser, Gärten und Bäume, schöne Straßen\n'];
  const half = Buffer.concat([Buffer.from(line.repeat(20)), Buffer.from(other.repeat(8), 'latin1')]);
  expect(await repaired(page, 'half.txt', half, 'Repair the parts in windows-1252')).toBe(
    line.repeat(20) + other.repeat(8),
  );
  await expect(page.locator('.preview tbody tr')).toHaveCount(5);
  await page.setInputFiles('#file', {
    name: 'a.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from('504b0304140000000800d9b2775b000000009a00000000000000030000', 'hex'),
  });
  await expect(page.locator('#verdict')).toHaveText('a.zip is not text: there is nothing to repair.');
  await expect(page.getByRole('button', { name: 'Make a repaired copy' })).toHaveCount(0);
  // Clean text is unchanged.
  await page.setInputFiles('#file', {
    name: 'good.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('Grüße, мир, 世界\n'.repeat(5)),
  });
  await expect(page.locator('#verdict')).toHaveText('good.txt is well-formed utf-8.');
  await expect(page.locator('#listing button')).toHaveCount(0);
});

test('a place of the map is jumped to', async ({ page }) => {
  await open(page, '#file');
  const bytes = Buffer.alloc(200_000, 0x61);
  for (let at = 0; at < 3000; at += 1) bytes[2 * at] = 0xff;
  bytes[150_000] = 0xfe;
  await page.setInputFiles('#file', { name: 'spots.txt', mimeType: 'text/plain', buffer: bytes });
  await page
    .locator('#listing summary, #findings summary')
    .first()
    .click({ timeout: 1000 })
    .catch(() => undefined);
  const map = page.getByRole('img', { name: /Errors by place/ });
  const box = (await map.boundingBox())!;
  await map.click({ position: { x: box.width * 0.7502, y: box.height / 2 } });
  await expect(page.locator('.errors tbody tr')).toHaveCount(1);
  await expect(page.locator('.errors tbody td').first()).toHaveText('150,000');
});

test('a file may be dropped anywhere', async ({ page }) => {
  await open(page);
  await page.evaluate(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['good €'], 'good.txt'));
    document
      .querySelector('footer')!
      .dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true, bubbles: true }));
  });
  await expect(page.locator('#verdict')).toHaveText('good.txt is well-formed utf-8.');
});

/** Drops a file made of `pieces` pieces of 4 MiB, the last of them broken, between small ones. */
const drop = (page: Page, pieces: number, before: string[] = [], after: string[] = []): Promise<void> =>
  page.evaluate(
    ([pieces, before, after]) => {
      const line = new TextEncoder().encode('Grüße, мир, 世界! 😀 and some more plain text to go with it\n');
      const piece = new Uint8Array(4 * 1024 * 1024).fill(0x20);
      for (let at = 0; at + line.length < piece.length; at += line.length) piece.set(line, at);
      const good = new Blob([piece]);
      piece[1000] = 0xff;
      const parts: Blob[] = Array<Blob>(pieces - 1).fill(good);
      const transfer = new DataTransfer();
      const legacy = Uint8Array.from('Gr\xfc\xdfe aus K\xf6ln', (c) => c.charCodeAt(0));
      const small = (name: string): unknown => transfer.items.add(new File([legacy], name));
      before.forEach(small);
      transfer.items.add(new File([...parts, new Blob([piece])], 'big.txt'));
      after.forEach(small);
      document
        .getElementById('drop')!
        .dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true, bubbles: true }));
    },
    [pieces, before, after] as const,
  );

/** Resident memory of all renderers, in bytes. */
async function resident(page: Page): Promise<number> {
  const session = await page.context().browser()!.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  return renderers.reduce(
    (sum, { id }) => sum + Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) * 1024,
    0,
  );
}

test('a gigabyte is dropped, and memory stays flat', async ({ page }) => {
  await open(page, '#file');
  const before = await resident(page);
  await drop(page, 256);
  let most = 0;
  await expect(page.locator('#progress-label')).toContainText('of 1.0 GiB');
  while (await page.locator('#running').isVisible()) most = Math.max(most, await resident(page));
  await expect(page.locator('#verdict')).toContainText('is not utf-8; errors: 1.');
  await expect(page.locator('.facts')).toContainText('1,073,741,824');
  await expect(page.locator('.errors tbody td').first()).toHaveText(
    (255 * 4 * 1024 * 1024 + 1000).toLocaleString('en'),
  );
  await page.getByRole('button', { name: 'Make a repaired copy' }).click();
  while (await page.locator('#running').isVisible()) most = Math.max(most, await resident(page));
  // FF is escaped as \xFF, which loses nothing.
  await expect(page.locator('#verdict')).toHaveText(/^Places changed: 1\. Save it/);
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

test('other work ends the check of several files', async ({ page }) => {
  await open(page, '#file');
  await drop(page, 256, ['first.txt'], ['last.txt']);
  const row = (name: string): Locator => page.locator('.files tr', { hasText: name });
  await expect(row('big.txt')).toContainText('checking');
  await row('first.txt').getByRole('button', { name: 'Save as UTF-8' }).click();
  await expect(page.locator('#verdict')).toContainText('first.txt');
  await expect(row('big.txt')).toContainText('cancelled');
  await expect(row('last.txt')).toContainText('cancelled');
  await expect(page.locator('#running')).toBeHidden();
});

for (const colorScheme of ['light', 'dark'] as const) {
  // The layouts are those of narrow and of wide screens.
  for (const width of colorScheme === 'dark' ? [360, 1440] : [360, 768, 1440]) {
    test(`${colorScheme}, ${width} pixels: axe finds nothing, nothing sticks out`, async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 800 });
      const look = async (changed?: string): Promise<void> => {
        const axe = changed ? everyRule(page).include(changed) : everyRule(page);
        expect((await axe.analyze()).violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        // No element's own text is cut off.
        expect(
          await page.evaluate(() =>
            Array.from(document.querySelectorAll('#panel-text .scroll, .hand, .cards'))
              .filter((one) => one.scrollWidth > one.clientWidth + 1)
              .map((one) => one.id),
          ),
        ).toEqual([]);
      };
      await open(page, '#utf-8-31bit/hex/61e282acfdbfbfbfbfbfc0afe282');
      const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(paper).toBe(colorScheme === 'dark' ? 'rgb(19, 21, 25)' : 'rgb(251, 250, 247)');
      for (const details of await page.locator('#panel-text summary').all()) await details.click();
      await page.locator('#legacy-table table').waitFor();
      await look();
      // Little but the selected character changes.
      await page.locator('.tile').nth(2).click();
      await look('.hand');
      await page.goto('/#utf-8/text/e282ac');
      await look('.hand');
      await page.getByRole('tab', { name: 'Repair text' }).click();
      await page.setInputFiles('#file', SAMPLE);
      await expect(page.locator('.errors tbody tr')).toHaveCount(19);
      expect((await everyRule(page).analyze()).violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    });
  }
}

test('below 350 kB without the names, compressed, and visible before the module is loaded', async ({ page }) => {
  const folder = fileURLToPath(new URL('../dist/', import.meta.url));
  const compressed = (path: string): number => gzipSync(readFileSync(folder + path), { level: 9 }).length;
  const loaded: string[] = [];
  page.on('request', (request) => {
    loaded.push(new URL(request.url()).pathname.slice(1) || 'index.html');
  });
  let release!: () => void;
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route('**/*.wasm', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'What did this mean?' })).toBeVisible();
  release();
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
  const files = [...new Set(loaded)].filter((path) => path !== 'unicode.bin');
  expect(files.filter((path) => path.endsWith('.wasm'))).toHaveLength(1);
  expect(files.map(compressed).reduce((sum, size) => sum + size, 0)).toBeLessThan(350_000);
});
