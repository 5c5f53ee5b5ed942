// Shows a file byte by byte: hexadecimal, text and code points side by side, at any offset, however long the file is.
import { type Encoding, explain } from 'utf8kit';
import { h } from './dom.ts';
import { codePoint, glyph, hex } from './format.ts';
import { amount, say } from './strings.ts';

const ROW = 16;
const ROWS = 16;
/** How many bytes before a place may begin its character, and how many after it may end it. */
const AROUND = 8;
/** Bytes that are searched at a time. */
const STEP = 4 * 1024 * 1024;

/** Parses a search: bytes in hexadecimal after `0x`, otherwise text. */
function wanted(text: string): Uint8Array {
  const pairs = /^0x((?:[0-9a-f]{2}\s*)+)$/i.exec(text)?.[1]?.match(/[0-9a-f]{2}/gi);
  return pairs ? Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)) : new TextEncoder().encode(text);
}

/** Returns the offset of bytes at or after a place, reading in pieces; -1 if they are not found. */
async function find(file: File, what: Uint8Array, from: number): Promise<number> {
  for (let at = from; at < file.size; at += STEP) {
    const piece = new Uint8Array(await file.slice(at, at + STEP + what.length - 1).arrayBuffer());
    for (let next = piece.indexOf(what[0]!); next >= 0; next = piece.indexOf(what[0]!, next + 1))
      if (what.every((byte, index) => piece[next + index] === byte)) return at + next;
  }
  return -1;
}

export function bytesView(file: File, encoding: Encoding): HTMLElement {
  let [at, drawn] = [0, 0];
  const table = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': say('bytes') });
  const offset = h('input', { id: 'offset', inputmode: 'numeric', value: '0' });
  const search = h('input', { id: 'search-bytes', type: 'search', placeholder: 'é, 0xC3A9' });
  const says = h('p', { class: 'hint', role: 'status' });
  const go = async (to: number): Promise<void> => {
    at = Math.max(0, Math.min(to, file.size - 1));
    at -= at % ROW;
    offset.value = String(at);
    const mine = (drawn += 1);
    const start = Math.max(0, at - AROUND);
    const bytes = new Uint8Array(await file.slice(start, at + ROWS * ROW + AROUND).arrayBuffer());
    if (mine === drawn) table.replaceChildren(rows(bytes, start, at, encoding));
  };
  offset.addEventListener('change', () => void go(Number(offset.value) || 0));
  search.addEventListener('change', () => {
    const what = wanted(search.value);
    if (what.length === 0) return;
    void find(file, what, at + ROW)
      .then(async (next) => (next < 0 ? find(file, what, 0) : next))
      .then((next) => {
        says.textContent = next < 0 ? say('not_found') : amount(next);
        if (next >= 0) void go(next);
      });
  });
  const button = (label: string, name: string, by: number): HTMLElement =>
    h('button', { type: 'button', 'aria-label': name, onclick: () => void go(at + by * ROWS * ROW) }, label);
  void go(0);
  return h(
    'details',
    { class: 'wide', id: 'bytes' },
    h('summary', {}, say('bytes')),
    h(
      'div',
      { class: 'tools' },
      h('div', { class: 'field inline' }, h('label', { for: 'offset' }, say('offset')), offset),
      h('div', { class: 'field inline' }, h('label', { for: 'search-bytes' }, say('search')), search),
      button('↑', say('before'), -1),
      button('↓', say('behind'), 1),
    ),
    says,
    table,
  );
}

/** The rows starting at a place, with errors marked. A character is in the row of its first byte. */
function rows(bytes: Uint8Array, start: number, at: number, encoding: Encoding): HTMLElement {
  const items = explain(bytes, encoding).filter(({ offset, len }) => start === 0 || offset + len > at - start);
  const wrong = new Set(
    items.flatMap((one) => (one.codePoint === null ? one.bytes.map((_, index) => one.offset + index) : [])),
  );
  const lines: HTMLElement[] = [];
  for (let row = at; row < Math.min(at + ROWS * ROW, start + bytes.length); row += ROW) {
    const [from, to] = [row - start, Math.min(row - start + ROW, bytes.length)];
    const cells = Array.from(bytes.subarray(from, to), (byte, index) =>
      h(wrong.has(from + index) ? 'mark' : 'span', {}, hex(byte), ' '),
    );
    const here = items.filter(({ offset }) => offset >= from && offset < to);
    const text = here.map(({ codePoint: value }) =>
      value === null ? h('mark', {}, '!') : h('span', {}, glyph(value).invisible ? '·' : glyph(value).text),
    );
    const points = here.map(({ codePoint: value }) => (value === null ? '!' : codePoint(value).slice(2))).join(' ');
    lines.push(
      h(
        'tr',
        {},
        h('th', { scope: 'row', class: 'mono' }, amount(row)),
        h('td', { class: 'mono nowrap' }, ...cells),
        h('td', { class: 'mono nowrap' }, ...text),
        h('td', { class: 'mono nowrap' }, points),
      ),
    );
  }
  return h('table', { dir: 'ltr' }, h('tbody', {}, ...lines));
}
