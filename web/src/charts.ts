// The composition of a file: kinds of errors, length classes, scripts.
import { type Counts, ERROR_KINDS, type Occurrence } from 'utf8kit';
import { h } from './dom.ts';
import { kindName } from './kinds.ts';
import { amount, byteCount, say, scriptName } from './strings.ts';

/** The codes of scripts, the most frequent first. */
const CODES =
  'Zyyy Latn Hani Cyrl Arab Hira Kana Hang Grek Hebr Deva Thai Zinh Armn Beng Bopo Brai Cans Cher Copt Xsux Egyp ' +
  'Ethi Geor Goth Gujr Guru Java Knda Khmr Laoo Linb Mlym Mong Mymr Ogam Orya Runr Sinh Syrc Taml Telu Thaa Tibt ' +
  'Tfng Vaii Yiii';
const SCRIPTS = CODES.split(' ').map((code) => [code, new RegExp(`\\p{Script=${code}}`, 'u')] as const);

/** Maximum number of bars in a chart; one more sums up the rest. */
const BARS = 10;

export function charts(counts: Counts, occurrences: Occurrence[]): HTMLElement {
  const lengths = new Map<string, number>();
  const scripts = new Map<string, number>();
  const add = (to: Map<string, number>, name: string, count: number): void =>
    void to.set(name, (to.get(name) ?? 0) + count);
  for (const { codePoint, count, len } of occurrences) {
    add(lengths, byteCount(len), count);
    add(scripts, scriptOf(codePoint), count);
  }
  const kinds = new Map(ERROR_KINDS.map((kind) => [kindName(kind), counts.kinds[kind]]));
  return h(
    'div',
    { class: 'charts' },
    counts.errors > 0 ? chart(say('error_kinds'), kinds, 'bad') : null,
    chart(say('by_length'), lengths, 'c0'),
    chart(say('by_script'), scripts, 'c1'),
  );
}

function scriptOf(value: number): string {
  const character = value <= 0x10ffff ? String.fromCodePoint(value) : '';
  const code = SCRIPTS.find(([, script]) => script.test(character))?.[0];
  return code ? scriptName(code) : say('other_script');
}

function chart(title: string, all: Map<string, number>, color: string): HTMLElement {
  const sorted = [...all].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  const rest = sorted.slice(BARS).reduce((sum, [, count]) => sum + count, 0);
  const bars = rest > 0 ? [...sorted.slice(0, BARS), [say('the_rest'), rest] as const] : sorted;
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
            h('td', { class: 'mono' }, amount(count)),
            h('td', { class: 'mono share' }, `${amount((100 * count) / total, 1)} %`),
          );
        }),
      ),
    ),
    bars.length === 0 ? h('p', { class: 'hint' }, say('nothing')) : null,
  );
}
