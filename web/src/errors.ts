// The list of errors, each with its bytes and those around it, which are read from the file again.
import { describe, type Encoding, type PlacedError } from 'utf8kit';
import { h } from './dom.ts';
import { counted, hex, number } from './format.ts';
import { KINDS } from './kinds.ts';

const FEW = 25;
/** Number of bytes shown before and after an error; a multiple of every code unit. */
const AROUND = 8;

export function errorList(file: File, encoding: Encoding, errors: PlacedError[], total: number): HTMLElement {
  const body = h('tbody', {});
  let shown = 0;
  const more = h('button', { type: 'button', onclick: () => void show() });
  const show = async (): Promise<void> => {
    const next = errors.slice(shown, shown + FEW);
    shown += next.length;
    body.append(...(await Promise.all(next.map((error) => row(file, encoding, error)))));
    const rest = errors.length - shown;
    more.hidden = rest <= 0;
    more.textContent = `Show ${number(Math.min(FEW, rest))} more`;
  };
  void show();
  const kept = total > errors.length ? `The first ${number(errors.length)} of ${number(total)}.` : `${counted(total, 'error')}.`;
  return h('section', { 'aria-labelledby': 'errors-title' },
    h('h2', { id: 'errors-title' }, 'Errors'), h('p', { class: 'hint' }, `${kept} Lines and columns count from 1, bytes from 0.`),
    h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'List of errors' },
      h('table', { class: 'errors' },
        h('thead', {}, h('tr', {}, ...['Byte', 'Line:column', 'Kind', 'Bytes'].map((title) => h('th', { scope: 'col' }, title)))), body)),
    more);
}

async function row(file: File, encoding: Encoding, error: PlacedError): Promise<HTMLElement> {
  const start = Math.max(0, error.offset - AROUND);
  const bytes = new Uint8Array(await file.slice(start, error.offset + error.len + AROUND).arrayBuffer());
  const at = error.offset - start;
  const part = (from: number, to: number, properties = {}): HTMLElement =>
    h('span', properties, Array.from(bytes.subarray(from, to), hex).join(' '));
  const { what, expected, lax } = describe(bytes, at, encoding);
  return h('tr', {},
    h('td', { class: 'mono' }, number(error.offset)),
    h('td', { class: 'mono' }, `${number(error.line)}:${number(error.column)}`),
    h('td', {}, KINDS[error.kind]),
    h('td', {},
      h('div', { class: 'mono drawn' }, part(0, at), ' ', part(at, at + error.len, { class: 'wrong' }), ' ', part(at + error.len, bytes.length)),
      h('p', { class: 'hint' }, `${[what, lax, expected].filter(Boolean).join('; ')}.`)));
}
