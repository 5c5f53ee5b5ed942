// Explains the design of UTF-8, with an interactive demonstration for each reason.
import { encode, encodeText, explain, validate } from 'utf8kit';
import { byId, h } from './dom.ts';
import { codePoint, glyph, hex } from './format.ts';

/** Shows a byte of a row, coloured by its type. */
function byteCell(byte: number, at: number, more = ''): HTMLElement {
  const kind = byte < 0x80 ? 'ascii' : byte < 0xc0 ? 'continuation' : 'lead';
  return h('span', { class: `cell ${kind} ${more}`, 'data-at': at }, hex(byte));
}

/** Starts in the middle of a text, and steps back to the start of a character. */
function drawBoundary(): void {
  const slider = byId<HTMLInputElement>('drop-at');
  const bytes = encodeText('Zürich: 25 €, 世界 😀')!;
  const items = explain(bytes);
  slider.max = String(bytes.length - 1);
  const draw = (): void => {
    const at = Number(slider.value);
    let start = at;
    while ((bytes[start]! & 0xc0) === 0x80) start -= 1;
    const item = items.find(({ offset }) => offset === start)!;
    const steps = at - start;
    byId('drop-row').replaceChildren(
      ...Array.from(bytes, (byte, index) =>
        byteCell(
          byte,
          index,
          index === at
            ? 'here'
            : index >= start && index < at
              ? 'back'
              : index > at && index < start + item.len
                ? 'rest'
                : '',
        ),
      ),
    );
    const character = `“${glyph(item.codePoint!).text}”`;
    byId('drop-says').textContent =
      steps === 0
        ? `${hex(bytes[at]!)} does not begin with 10: a character begins here, ${character}.`
        : `${hex(bytes[at]!)} begins with 10, so it continues something. ` +
          `${steps === 1 ? 'One step' : `${steps} steps`} back, ${hex(bytes[start]!)} does not: ${character} ` +
          `begins there. It is never more than three.`;
    slider.setAttribute('aria-valuetext', `byte ${at}, ${hex(bytes[at]!)}`);
  };
  slider.addEventListener('input', draw);
  draw();
}

const sign = (difference: number): string => (difference < 0 ? '<' : difference > 0 ? '>' : '=');

/** Returns the first index at which two lists differ, and how they differ. */
function compared(a: ArrayLike<number>, b: ArrayLike<number>): { at: number; sign: string } {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return { at, sign: sign((a[at] ?? -1) - (b[at] ?? -1)) };
}

/** Compares two texts by bytes, by code points and by UTF-16 code units. */
function drawOrder(): void {
  const [left, right] = [byId<HTMLInputElement>('left'), byId<HTMLInputElement>('right')];
  const ways: [string, string, (text: string) => number[], (one: number) => string][] = [
    [
      'UTF-8 bytes',
      'as memcmp compares',
      (text) => Array.from(encodeText(text, 'utf-8') ?? encodeText(text, 'wtf-8')!),
      hex,
    ],
    ['Code points', 'the order of Unicode', (text) => Array.from(text, (one) => one.codePointAt(0)!), codePoint],
    [
      'UTF-16 units',
      'as JavaScript and Java compare',
      (text) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)),
      (unit) => unit.toString(16).toUpperCase().padStart(4, '0'),
    ],
  ];
  const draw = (): void => {
    const signs: string[] = [];
    byId('order').replaceChildren(
      ...ways.map(([name, note, listOf, show]) => {
        const [a, b] = [listOf(left.value), listOf(right.value)];
        const { at, sign } = compared(a, b);
        signs.push(sign);
        const shown = (list: number[]): HTMLElement =>
          h(
            'td',
            { class: 'mono' },
            ...list
              .slice(0, 12)
              .map((one, index) => h('span', { class: index === at ? 'cell differs' : 'cell plain' }, show(one))),
          );
        return h(
          'tr',
          {},
          h('th', { scope: 'row' }, name, h('small', {}, note)),
          shown(a),
          h('td', { class: 'sign' }, sign),
          shown(b),
        );
      }),
    );
    byId('order-says').textContent =
      signs[0] !== signs[1]
        ? 'These two are not well-formed text.'
        : signs[2] === signs[1]
          ? 'All three agree here. Bytes and code points always do: a longer sequence begins with a greater byte, ' +
            'and the highest bits come first.'
          : 'UTF-16 disagrees: its surrogates, D800 to DFFF, stand for values above FFFF but sort below E000. ' +
            'UTF-8 keeps the order.';
  };
  for (const input of [left, right]) input.addEventListener('input', draw);
  draw();
}

const SLASHES: [string, number[]][] = [
  ['2F', [0x2f]],
  ['C0 AF', [0xc0, 0xaf]],
  ['E0 80 AF', [0xe0, 0x80, 0xaf]],
  ['F0 80 80 AF', [0xf0, 0x80, 0x80, 0xaf]],
];

/** Shows a filter that searches for the byte of a slash, before a decoder that accepts longer forms of it. */
function drawFilter(): void {
  const choices = byId('slashes');
  const draw = (name: string): void => {
    for (const one of choices.children)
      one.setAttribute('aria-pressed', String((one as HTMLElement).dataset.name === name));
    const slash = SLASHES.find(([known]) => known === name)![1];
    const bytes = Uint8Array.from([...encodeText('..')!, ...slash, ...encodeText('etc')!]);
    const blocked = bytes.includes(0x2f);
    const error = validate(bytes);
    const lax = explain(bytes.subarray(2))[0]!;
    const row = h(
      'div',
      { class: 'cells' },
      ...Array.from(bytes, (byte, at) => byteCell(byte, at, at >= 2 && at < 2 + slash.length ? 'here' : '')),
    );
    const says = (who: string, what: string, good: boolean): HTMLElement =>
      h('div', { class: `stage ${good ? 'good' : 'bad'}` }, h('b', {}, who), h('p', {}, what));
    byId('filter').replaceChildren(
      row,
      h(
        'div',
        { class: 'stages' },
        says(
          'The filter',
          blocked ? 'finds the byte 2F: rejected.' : 'looks for the byte 2F, finds none, and lets it pass.',
          blocked,
        ),
        says(
          'A lax decoder',
          blocked ? 'never sees it.' : `reads ${codePoint(lax.lax ?? 0x2f)} “/”: the path is “../etc”.`,
          blocked,
        ),
        says(
          'A strict decoder',
          error
            ? `refuses it at byte ${error.offset}: ${error.kind === 'overlong' ? 'an overlong form' : error.kind}.`
            : 'would read “../etc”, and so did the filter.',
          true,
        ),
      ),
    );
  };
  choices.replaceChildren(
    ...SLASHES.map(([name]) =>
      h('button', { type: 'button', 'data-name': name, 'aria-pressed': 'false', onclick: () => draw(name) }, name),
    ),
  );
  draw('C0 AF');
}

export function drawWhy(): void {
  // The demonstration relies on the slash having only one form.
  if (encode(0x2f)?.length !== 1) return;
  drawBoundary();
  drawOrder();
  drawFilter();
}
