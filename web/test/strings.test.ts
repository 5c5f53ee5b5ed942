// Tests that no language lacks a string or one of its values, and that the page's English text matches its file.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../src/strings/', import.meta.url);
const read = (name: string): Record<string, string> => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
const english = read('en.json');
const values = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();

test.each(readdirSync(folder))('%s has every string, with its values', (name) => {
  const strings = read(name);
  expect(Object.keys(strings)).toEqual(Object.keys(english));
  for (const [key, text] of Object.entries(strings)) {
    expect(text.trim(), key).not.toBe('');
    expect(values(text), key).toEqual(values(english[key]!));
  }
});

test('the page and its English strings agree', () => {
  const page = readFileSync(new URL('../index.html', import.meta.url), 'utf8');
  const said = [...page.matchAll(/data-say="(\w+)"[^>]*>([^<]*)</g)];
  expect(said.length).toBeGreaterThan(15);
  for (const [, key, text] of said) expect(text, key).toBe(english[key!]);
});
