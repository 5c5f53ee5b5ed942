// The layout of a dialect, from the library's grammar: every form with its bytes, its values, and how many there are.
import { type Encoding, explain, type Form, forms } from 'utf8kit';
import { pattern } from './bits.ts';
import { byId, h } from './dom.ts';
import { codePoint, hex, number } from './words.ts';

export function drawLayout(dialect: Encoding): void {
  const all = forms(dialect);
  const longest = Math.max(...all.map((form) => form.ranges.length));
  const total = all.reduce((sum, form) => sum + form.count, 0);
  byId('layout').replaceChildren(h('table', { class: 'layout' },
    h('thead', {}, h('tr', {},
      h('th', { scope: 'col' }, 'Bytes'),
      ...Array.from({ length: longest }, (_, index) => h('th', { scope: 'col' }, `Byte ${index + 1}`)),
      h('th', { scope: 'col' }, 'First'), h('th', { scope: 'col' }, 'Last'), h('th', { scope: 'col' }, 'Code points'))),
    h('tbody', {}, ...all.map((form) => row(form, longest, dialect))),
    h('tfoot', {}, h('tr', {}, h('th', { scope: 'row', colspan: longest + 3 }, 'Together'), h('td', {}, number(total)))),
  ));
}

function row(form: Form, longest: number, dialect: Encoding): HTMLElement {
  // The layout of the bits is that of the first value.
  const bytes = explain(Uint8Array.from(form.ranges, ([low]) => low), dialect)[0]?.bytes ?? [];
  return h('tr', {},
    h('th', { scope: 'row' }, String(form.ranges.length)),
    ...Array.from({ length: longest }, (_, index) => {
      const range = form.ranges[index];
      if (!range) return h('td', { class: 'empty' });
      const [low, high] = range;
      return h('td', {}, h('span', { class: `range c${index}` }, low === high ? hex(low) : `${hex(low)}–${hex(high)}`),
        h('span', { class: 'pattern' }, bytes[index] ? pattern(bytes[index]) : ''));
    }),
    h('td', { class: 'mono' }, codePoint(form.first)), h('td', { class: 'mono' }, codePoint(form.last)), h('td', {}, number(form.count)));
}
