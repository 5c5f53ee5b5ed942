// The composition of a file: kinds of errors, length classes, scripts.
import { type Counts, ERROR_KINDS, type Occurrence } from 'utf8kit';
import { h } from './dom.ts';
import { counted, number } from './format.ts';
import { KINDS } from './kinds.ts';

const SCRIPTS = [
  'Common',
  'Latin',
  'Han',
  'Cyrillic',
  'Arabic',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Greek',
  'Hebrew',
  'Devanagari',
  'Thai',
  'Inherited',
  'Armenian',
  'Bengali',
  'Bopomofo',
  'Braille',
  'Canadian_Aboriginal',
  'Cherokee',
  'Coptic',
  'Cuneiform',
  'Egyptian_Hieroglyphs',
  'Ethiopic',
  'Georgian',
  'Gothic',
  'Gujarati',
  'Gurmukhi',
  'Javanese',
  'Kannada',
  'Khmer',
  'Lao',
  'Linear_B',
  'Malayalam',
  'Mongolian',
  'Myanmar',
  'Ogham',
  'Oriya',
  'Runic',
  'Sinhala',
  'Syriac',
  'Tamil',
  'Telugu',
  'Thaana',
  'Tibetan',
  'Tifinagh',
  'Vai',
  'Yi',
].map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const);

/** Maximum number of bars in a chart; one more sums up the rest. */
const BARS = 10;

export function charts(counts: Counts, occurrences: Occurrence[]): HTMLElement {
  const lengths = new Map<string, number>();
  const scripts = new Map<string, number>();
  const add = (to: Map<string, number>, name: string, count: number): void =>
    void to.set(name, (to.get(name) ?? 0) + count);
  for (const { codePoint, count, len } of occurrences) {
    add(lengths, counted(len, 'byte'), count);
    add(scripts, scriptOf(codePoint), count);
  }
  const kinds = new Map(ERROR_KINDS.map((kind) => [KINDS[kind], counts.kinds[kind]]));
  return h(
    'div',
    { class: 'charts' },
    counts.errors > 0 ? chart('Kinds of errors', kinds, 'bad') : null,
    chart('Code points by length', lengths, 'c0'),
    chart('Code points by script', scripts, 'c1'),
  );
}

function scriptOf(value: number): string {
  const character = value <= 0x10ffff ? String.fromCodePoint(value) : '';
  return SCRIPTS.find(([, script]) => script.test(character))?.[0].replace('_', ' ') ?? 'Other';
}

function chart(title: string, all: Map<string, number>, color: string): HTMLElement {
  const sorted = [...all].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  const rest = sorted.slice(BARS).reduce((sum, [, count]) => sum + count, 0);
  const bars = rest > 0 ? [...sorted.slice(0, BARS), ['the others', rest] as const] : sorted;
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  const most = Math.max(1, ...bars.map(([, count]) => count));
  return h(
    'section',
    { class: 'chart', 'aria-label': title },
    h('h2', {}, title),
    h(
      'table',
      {},
      h(
        'tbody',
        {},
        ...bars.map(([name, count]) => {
          const bar = h('span', { class: `bar ${color}`, 'aria-hidden': true });
          bar.style.setProperty('--part', String(count / most));
          return h(
            'tr',
            {},
            h('th', { scope: 'row' }, name),
            h('td', { class: 'wide' }, bar),
            h('td', { class: 'mono' }, number(count)),
            h('td', { class: 'mono share' }, `${((100 * count) / total).toFixed(1)} %`),
          );
        }),
      ),
    ),
    bars.length === 0 ? h('p', { class: 'hint' }, 'None.') : null,
  );
}
