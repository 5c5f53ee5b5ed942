// Tests that no language lacks a string or one of its values, that the page's English text matches its file, and that
// what visitors read outside the lesson comes from these files.
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { detect } from 'utf8kit/detect';
import { DAMAGE_KINDS } from 'utf8kit/document';
import { expect, test } from 'vitest';
import { noteOf } from '../src/notes.ts';

const folder = new URL('../src/strings/', import.meta.url);
const source = new URL('../src/', import.meta.url);
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

test('strings are translated, except for words that languages share', () => {
  for (const name of readdirSync(folder).filter((name) => name !== 'en.json')) {
    const strings = read(name);
    const same = Object.keys(english).filter((key) => strings[key] === english[key] && / /.test(english[key]!));
    expect(same, name).toEqual([]);
  }
});

const page = readFileSync(new URL('../index.html', import.meta.url), 'utf8');

test('the page and its English strings agree', () => {
  const said = [...page.matchAll(/data-say="(\w+)"[^>]*>([^<]*)</g)];
  expect(said.length).toBeGreaterThan(15);
  for (const [, key, text] of said) expect(text, key).toBe(english[key!]);
  const labels = [...page.matchAll(/data-label="(\w+)" aria-label="([^"]*)"/g)];
  expect(labels.length).toBeGreaterThan(1);
  for (const [, key, text] of labels) expect(text, key).toBe(english[key!]);
});

/** Text of the lesson, which is in English, and what is shown without JavaScript, which chooses the language. */
const LESSON =
  /<div id="panel-text"[^]*?<\/main>|<noscript>[^]*?<\/noscript>|<head>[^]*?<\/head>|<span lang="en"[^]*?<\/p>/g;

/** Returns the text and the labels of a page that no string replaces. */
function unsaid(html: string): string[] {
  const rest = html.replace(LESSON, '');
  const text = [...rest.matchAll(/<(\w+)([^>]*)>([^<]*)/g)]
    .filter(([, tag, properties]) => !/data-say=/.test(properties!) && tag !== 'option')
    .map(([, , , text]) => text!);
  const after = [...rest.matchAll(/<\/\w+>([^<]*)/g)].map(([, text]) => text!);
  const labels = [...rest.matchAll(/<[^>]*?(?:aria-label|title|alt)="([^"]*)"[^>]*>/g)]
    .filter(([tag]) => !/data-label=/.test(tag))
    .map(([, label]) => label!);
  return [...text, ...after, ...labels]
    .map((one) => one.trim())
    .filter((one) => /\p{L}/u.test(one) && one !== 'utf8kit');
}

test('the page has no text outside the lesson that is not a string', () => {
  expect(unsaid('<p>Some text</p><b data-say="x">x</b> more<i aria-label="Label"></i>')).toHaveLength(3);
  expect(unsaid(page)).toEqual([]);
});

/** The files that make the lesson, and names that are the same in every language. */
const LESSON_FILES =
  'main composer notation model tiles hand rows bits elsewhere copyas why unicode search examples state format';
const NAMES = [
  ...['ISO 8859-1', 'Mac Roman', 'GB 18030', 'KiB', 'MiB', 'GiB', 'TiB', ' · utf8kit'],
  ...['English', 'Español', 'Français', 'Deutsch', 'Русский', 'Українська'],
  // The type of dragged files, examples, a command, and codes of scripts.
  ...['Files', 'é, 0xC3A9', 'utf8 rename  -o renamed.zip', '\\p{Script=}'],
];
const CODES = /^(?:[A-Z][a-z]{3} ?)+$/;

/** Returns the literals of a program that look like text for people. */
function literals(program: string): string[] {
  const found: string[] = [];
  const file = ts.createSourceFile('a.ts', program, ts.ScriptTarget.Latest, true);
  const isLabel = (node: ts.Node): boolean =>
    ts.isPropertyAssignment(node.parent) &&
    /^'?(?:aria-label|title|placeholder|alt)'?$/.test(node.parent.name.getText());
  /** Whether it is a child of an element, or a choice between some. */
  const isChild = (node: ts.Node): boolean => {
    const { parent } = node;
    if (ts.isConditionalExpression(parent)) return parent.condition !== node && (isChild(parent) || isLabel(parent));
    return (
      ts.isCallExpression(parent) && parent.expression.getText() === 'h' && parent.arguments.indexOf(node as never) > 1
    );
  };
  const isSet = ({ parent }: ts.Node): boolean =>
    ts.isBinaryExpression(parent) && /\.(?:textContent|innerText|title)$/.test(parent.left.getText());
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isPropertyAssignment(node)) return visit(node.initializer);
    // Errors of the program itself are not for visitors.
    if (ts.isNewExpression(node) && /Error$/.test(node.expression.getText())) return;
    const isText =
      ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);
    if (isText) {
      const text = ts.isTemplateExpression(node)
        ? [node.head, ...node.templateSpans.map(({ literal }) => literal)].map((part) => part.text).join('')
        : node.text;
      const isWords = /\p{Lu}\p{Ll}|\p{L}{2,},? \p{L}{2,}/u.test(text);
      const isShown = /\p{L}{2,}/u.test(text) && (isLabel(node) || isChild(node) || isSet(node));
      const isClass = ts.findAncestor(node, (one) => ts.isPropertyAssignment(one) && one.name.getText() === 'class');
      if ((isWords || isShown) && !isClass && !NAMES.includes(text) && !CODES.test(text)) found.push(text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

test('the programs have no text outside the lesson that is not a string', () => {
  const planted = `
    h('p', {}, 'none'); h('p', { 'aria-label': 'list' }); x.textContent = 'done'; say(\`All \${n} files are\`);
    h('p', {}, a ? 'waiting' : '');`;
  expect(literals(planted)).toEqual(['none', 'list', 'done', 'All  files are', 'waiting']);
  const files = readdirSync(source).filter((name) => name.endsWith('.ts'));
  const checked = files.filter((name) => !LESSON_FILES.split(' ').includes(name.replace('.ts', '')));
  expect(checked.length).toBeGreaterThan(15);
  const found = checked.map((name) => [name, literals(readFileSync(new URL(name, source), 'utf8'))] as const);
  expect(found.filter(([, all]) => all.length > 0)).toEqual([]);
});

test('each kind of damage and each note of the library is translated', () => {
  for (const kind of DAMAGE_KINDS) expect(english, kind).toHaveProperty([`damage_${kind}`]);
  const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
  for (const [text, said] of [
    [Buffer.from('{"name": "Zo\\u00c3\\u00ab"}'), 'Text within its escapes was UTF-8, read as windows-1252.'],
    [Buffer.from('Âå÷åðíèé äîæäü\nÒèõàÿ íî÷ü\n'.repeat(3)), 'Text in it was windows-1251, read as windows-1252.'],
    [Buffer.from('INBOX.Entw&APw-rfe\n'), 'It contains names of mail folders, in UTF-7-IMAP.'],
    [
      Buffer.from('caf\\xC3\\xA9 and na\\xC3\\xAFve\n'),
      'It contains bytes of UTF-8 written as escapes, such as \\xC3\\xA9.',
    ],
    [Buffer.from('int a; // 锟斤拷锟斤拷\n'), 'Text is lost: U+FFFD was read as gbk (锟斤拷).'],
    [
      Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?>\n<a>é</a>\n'),
      'It declares ISO 8859-1, but it is UTF-8.',
    ],
    [latin1('\0'.repeat(400) + 'un caf\xe9 ouvert\n'), 'It has NULs.'],
  ] as const) {
    const notes = detect(text).notes.map(noteOf);
    expect(notes, said).toContain(said);
  }
});
