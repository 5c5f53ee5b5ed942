// The table of a dialect: a row for each length, with its bytes, its values, and their number.
import { type Encoding, explain, type Form, forms } from 'utf8kit';
import { pattern } from './bits.ts';
import { h } from './dom.ts';
import { codePoint, number } from './format.ts';

interface Row {
  patterns: string[];
  first: number;
  last: number;
  count: number;
  /** Why it is no longer used, if it is not. */
  gone: string | null;
}

const known = new Map<Encoding, Row[]>();

/** Returns the forms of a dialect by length. */
export function rowsOf(dialect: Encoding): Row[] {
  const rows = known.get(dialect) ?? made(dialect);
  known.set(dialect, rows);
  return rows;
}

function made(dialect: Encoding): Row[] {
  const byLength = new Map<number, Row>();
  for (const form of forms(dialect)) {
    const row = byLength.get(form.ranges.length);
    if (row) {
      row.first = Math.min(row.first, form.first);
      row.last = Math.max(row.last, form.last);
      row.count += form.count;
    } else {
      byLength.set(form.ranges.length, {
        patterns: patternsOf(form, dialect),
        first: form.first,
        last: form.last,
        count: form.count,
        gone: null,
      });
    }
  }
  const rows = [...byLength.values()].sort((a, b) => a.patterns.length - b.patterns.length);
  if (dialect !== 'utf-8') return rows;
  // The two rows of the original form that RFC 3629 removed.
  return [
    ...rows,
    ...rowsOf('utf-8-31bit')
      .slice(4)
      .map((row) => ({ ...row, gone: 'until 2003' })),
  ];
}

function patternsOf(form: Form, dialect: Encoding): string[] {
  const [item] = explain(
    Uint8Array.from(form.ranges, ([low]) => low),
    dialect,
  );
  return item?.bytes.map(pattern) ?? [];
}

/**
 * Creates the table, with the row of `len` bytes highlighted. Rows that are no longer used are folded, unless `all`.
 */
export function table(dialect: Encoding, len: number, all: boolean): HTMLElement[] {
  const rows = rowsOf(dialect);
  const folded = all ? [] : rows.filter(({ gone }) => gone);
  const head = h(
    'thead',
    {},
    h(
      'tr',
      {},
      ...['Bytes', 'First', 'Last', 'Written as', 'Code points'].map((title) => h('th', { scope: 'col' }, title)),
    ),
  );
  const drawn = (some: Row[]): HTMLElement => h('tbody', {}, ...some.map((row) => drawnRow(row, len)));
  const main = h('table', { class: 'rows' }, head, drawn(rows.filter((row) => !folded.includes(row))));
  if (folded.length === 0) return [main];
  return [
    main,
    h(
      'details',
      { class: 'fold' },
      h('summary', {}, 'Two more lengths, until 2003'),
      h('div', {}, h('table', { class: 'rows' }, head.cloneNode(true), drawn(folded))),
    ),
  ];
}

function drawnRow(row: Row, len: number): HTMLElement {
  return h(
    'tr',
    { class: row.gone ? 'gone' : row.patterns.length === len ? 'lit' : null },
    h('th', { scope: 'row' }, String(row.patterns.length)),
    h('td', { class: 'mono' }, codePoint(row.first)),
    h('td', { class: 'mono' }, codePoint(row.last)),
    h(
      'td',
      { class: 'mono patterns' },
      ...row.patterns.map((one, index) =>
        h(
          'span',
          {},
          h('span', { class: 'soft' }, one.replace(/x/g, '')),
          h('b', { class: `ink${index}` }, one.replace(/[01]/g, '')),
        ),
      ),
    ),
    h('td', {}, row.gone ?? number(row.count)),
  );
}
