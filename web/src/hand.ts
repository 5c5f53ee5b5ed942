// The selected character, and how it is encoded and decoded, in five steps each; or an explanation of an error.
import { describe, DIALECTS, type Encoding, type Explanation, forms } from 'utf8kit';
import { digits, flippable, split } from './bits.ts';
import { byId, h, select, tabs } from './dom.ts';
import { drawing, whyRefused } from './errorwords.ts';
import { codePoint, counted, glyph, hex, hexes } from './format.ts';
import { kindInEnglish } from './kinds.ts';
import type { Item, Model } from './model.ts';
import { rowsOf, table } from './rows.ts';
import { sayInEnglish } from './strings.ts';
import type { Unicode } from './unicode.ts';

export class Hand {
  readonly #head = byId('hand-head');
  readonly #steps = byId('steps');
  readonly #rows = byId('rows');
  readonly #tabs = byId('dialects');
  readonly #ways = byId('ways');
  #dialect: Encoding = 'utf-8';
  #way = 'encode';
  #model: Model | null = null;
  #item: Item | null = null;
  #unicode: Unicode | null = null;

  /** Calls `flip` with the number of the bit in the text. */
  constructor(flip: (bit: number) => void) {
    this.#tabs.append(
      ...DIALECTS.map((name, index) =>
        h(
          'button',
          {
            type: 'button',
            role: 'tab',
            id: `dialect-${name}`,
            'data-value': name,
            'aria-controls': 'dialect-rows',
            'aria-selected': index === 0,
            tabindex: index === 0 ? 0 : -1,
          },
          name,
        ),
      ),
    );
    tabs(this.#tabs, (name) => {
      this.#dialect = name as Encoding;
      this.#drawTable();
    });
    tabs(this.#ways, (way) => {
      this.#way = way;
      byId('walk').setAttribute('aria-labelledby', `way-${way}`);
      this.#drawSteps();
    });
    this.#steps.addEventListener('click', (event) => {
      const bit = (event.target as HTMLElement).closest<HTMLElement>('button.bit')?.dataset.bit;
      if (bit === undefined) return;
      flip(Number(bit));
      this.focus(Number(bit));
    });
    this.#steps.addEventListener('keydown', (event) => this.#move(event));
    for (const kind of ['pointerover', 'focusin'])
      this.#steps.addEventListener(kind, (event) => this.#light(event.target as HTMLElement));
    for (const kind of ['pointerleave', 'focusout']) this.#steps.addEventListener(kind, () => this.#light(null));
  }

  /** Called when the names are loaded. */
  learn(unicode: Unicode): void {
    this.#unicode = unicode;
    if (this.#item) this.#drawHead(this.#item);
  }

  show(model: Model, item: Item | null): void {
    this.#model = model;
    this.#item = item;
    if (forms(model.encoding).length > 0 && model.encoding !== this.#dialect) {
      this.#dialect = model.encoding;
      select(this.#tabs, model.encoding);
    }
    if (item) this.#drawHead(item);
    else this.#head.replaceChildren(h('p', { class: 'hint' }, 'Type something, and see it here as bits.'));
    byId('line').hidden = item?.value == null;
    if (item?.value != null) byId('line').replaceChildren(...line(item.parts[0]!));
    this.#drawTable();
    this.#drawSteps();
  }

  /** An error can only be decoded, as far as possible. */
  #drawSteps(): void {
    const [model, item] = [this.#model!, this.#item];
    const decoded = item !== null && (item.value === null || this.#way === 'decode');
    this.#ways.hidden = item?.value == null;
    byId('first').hidden = decoded;
    byId('flip-hint').hidden = item === null;
    if (!decoded) this.#drawRows();
    this.#steps.replaceChildren(
      ...(item === null
        ? []
        : item.value === null
          ? wrong(model, item)
          : decoded
            ? read(model, item.parts[0]!)
            : right(model, item.parts[0]!)),
    );
    this.#steps.querySelector('button.bit')?.setAttribute('tabindex', '0');
  }

  /** Moves the focus to a bit, if it is visible. */
  focus(bit: number): boolean {
    const button = this.#steps.querySelector<HTMLElement>(`[data-bit="${bit}"]`);
    if (!button) return false;
    for (const other of this.#steps.querySelectorAll('button.bit[tabindex="0"]')) other.setAttribute('tabindex', '-1');
    button.setAttribute('tabindex', '0');
    button.focus();
    return true;
  }

  #drawHead(item: Item): void {
    const { value, parts } = item;
    const shown = value === null ? { text: '!', invisible: false } : glyph(value);
    const facts = value !== null ? (this.#unicode?.facts(value) ?? null) : null;
    const title = value === null ? kindInEnglish(parts[0]!.kind!) : codePoint(value);
    const name = facts
      ? [facts.name, facts.abbreviation].filter((one, index) => index === 0 || (one && one !== facts.name)).join(' · ')
      : '\u00a0';
    this.#head.replaceChildren(
      h(
        'span',
        { class: `glyph${shown.invisible ? ' short' : ''}${value === null ? ' error' : ''}`, 'aria-hidden': true },
        shown.text,
      ),
      h(
        'div',
        {},
        h('div', { class: 'title' }, h('b', {}, title), value === null ? '' : h('span', { class: 'uname' }, name)),
        h(
          'p',
          { class: 'hint facts-line' },
          facts
            ? `${facts.block} · ${facts.script} · ${facts.category} · Unicode ${facts.age}`
            : value !== null && value > 0x10ffff
              ? 'Above U+10FFFF, the last code point of Unicode.'
              : value === null
                ? `${hexes(parts.flatMap((part) => part.bytes.map((byte) => byte.value)))} at byte ${item.offset}`
                : '\u00a0',
        ),
      ),
    );
  }

  /** Draws the first step: the table of the encoding, if it is a dialect. */
  #drawRows(): void {
    const { encoding } = this.#model!;
    const value = this.#item?.value;
    if (forms(encoding).length > 0)
      this.#rows.replaceChildren(...table(encoding, value == null ? 0 : rowLength(encoding, value), false));
    else
      this.#rows.replaceChildren(
        h('p', { class: 'hint' }, `${encoding} has no such table: it writes numbers as they are.`),
      );
  }

  /** Draws the table of the dialect that is chosen further down. */
  #drawTable(): void {
    const value = this.#item?.value;
    byId('dialect-rows').replaceChildren(
      ...table(this.#dialect, value == null ? 0 : rowLength(this.#dialect, value), true),
    );
    byId('dialect-rows').setAttribute('aria-labelledby', `dialect-${this.#dialect}`);
  }

  /** The arrow keys move from bit to bit, and from byte to byte; Home and End move to the first and the last. */
  #move(event: KeyboardEvent): void {
    const from = (event.target as HTMLElement).dataset.bit;
    if (from === undefined) return;
    const all = Array.from(this.#steps.querySelectorAll<HTMLElement>('button.bit'), (one) => Number(one.dataset.bit));
    const to = {
      ArrowRight: Number(from) + 1,
      ArrowLeft: Number(from) - 1,
      ArrowDown: Number(from) + 8,
      ArrowUp: Number(from) - 8,
      Home: all[0]!,
      End: all.at(-1)!,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.focus(to);
  }

  /** Highlights a bit in all steps. */
  #light(target: HTMLElement | null): void {
    for (const one of this.#steps.querySelectorAll('.lit')) one.classList.remove('lit');
    const position = target?.closest<HTMLElement>('[data-position]')?.dataset.position;
    if (position !== undefined)
      for (const one of this.#steps.querySelectorAll(`[data-position="${position}"]`)) one.classList.add('lit');
  }
}

/** Returns how many bytes a value takes in a dialect, which is the highlighted row. */
function rowLength(dialect: Encoding, value: number): number {
  return rowsOf(dialect).find((row) => !row.gone && value >= row.first && value <= row.last)?.patterns.length ?? 0;
}

function step(title: string, note: string, ...content: (Node | null)[]): HTMLElement {
  return h(
    'li',
    {},
    h('div', { class: 'step-head' }, h('h3', {}, title), h('p', { class: 'hint' }, note)),
    h('div', { class: 'step' }, ...content),
  );
}

function bytesOf(item: Explanation, first = 0): HTMLElement {
  return h(
    'div',
    { class: 'byte-row' },
    ...item.bytes.map((byte, index) => flippable(byte, first + index, item.offset + index)),
  );
}

/** The whole way in one line: the character, its code point, its bits, its bytes. */
function line(item: Explanation): Node[] {
  const { text, invisible } = glyph(item.codePoint!);
  const parts = (show: (byte: Explanation['bytes'][number]) => string): HTMLElement =>
    h(
      'span',
      {},
      ...item.bytes.flatMap((byte, index) => {
        const shown = show(byte);
        return shown ? [h('b', { class: `c${index}` }, shown), ' '] : [];
      }),
    );
  const payload = (byte: Explanation['bytes'][number]): string =>
    byte.payload > 0 ? (byte.value % 2 ** byte.payload).toString(2).padStart(byte.payload, '0') : '';
  const arrow = (): HTMLElement => h('i', {}, '→');
  return [
    h('span', { class: invisible ? 'glyph short' : 'glyph' }, text),
    arrow(),
    h('b', {}, codePoint(item.codePoint!)),
    arrow(),
    parts(payload),
    arrow(),
    parts((byte) => hex(byte.value)),
  ];
}

/** The most bytes whose columns fit side by side. */
const ALIGNED = 3;

const isDialect = (model: Model): boolean => forms(model.encoding).length > 0;

/** Shows steps 2 to 5 of encoding a code point. The first step is the table. */
function right(model: Model, item: Explanation): HTMLElement[] {
  const value = item.codePoint!;
  const four = (one: number): string => one.toString(16).toUpperCase().padStart(4, '0');
  const dialect = isDialect(model);
  const counts =
    item.len === 6 && item.base === 0x10000 ? 'A surrogate pair counts' : `${counted(item.len, 'byte')} count`;
  const base =
    item.base > 0
      ? `${counts} from ${codePoint(item.base)}: ${four(value)} − ${four(item.base)} = ${four(item.payload)}.`
      : `${codePoint(value)} in binary.`;
  const length = `${counted(item.len, 'byte')} hold ${item.payloadBits} bits.`;
  return [
    step(
      'Its bits',
      item.bytes.length > 0 && item.payloadBits > 0 ? `${base} ${length}` : base,
      digits(item, dialect && item.len <= ALIGNED),
    ),
    step(
      dialect && item.len > 1 ? 'Six by six from the right' : 'Into bytes',
      item.len === 1
        ? 'One byte holds them all.'
        : dialect
          ? 'Six bits for each byte after the first, which takes the rest.'
          : 'As they are, byte by byte.',
      split(item),
    ),
    step(
      'Add the markers',
      item.len === 1 && dialect
        ? 'A byte that begins with 0 is a whole character: ASCII.'
        : dialect
          ? 'As many ones as there are bytes; 10 before all others.'
          : 'Only surrogates carry markers.',
      bytesOf(item),
    ),
    step('In hexadecimal', 'The bytes, as they are stored.', hexBytes(item)),
  ];
}

function hexBytes(item: Explanation): HTMLElement {
  return h(
    'div',
    { class: 'byte-row' },
    ...item.bytes.map((byte, index) => h('span', { class: `hexbyte c${index}` }, hex(byte.value))),
  );
}

/** Shows the five steps of decoding a code point. */
function read(model: Model, item: Explanation): HTMLElement[] {
  const dialect = isDialect(model);
  const lead = item.bytes[0]!;
  const announced =
    item.len === 1
      ? `${hex(lead.value)} begins with 0: one byte, a whole character.`
      : `${hex(lead.value)} begins with ${item.len} ones and a 0: ${item.len} bytes.`;
  const row = dialect ? rowsOf(model.encoding).find(({ patterns }) => patterns.length === item.len) : undefined;
  const base = item.base > 0 ? ` plus ${codePoint(item.base)}` : '';
  return [
    step('The bytes', `${counted(item.len, 'byte')}, in binary below.`, hexBytes(item)),
    step(
      dialect ? 'Ones of the first byte' : 'Their bits',
      dialect && item.base !== 0x10000 ? announced : 'Byte by byte.',
      bytesOf(item),
    ),
    step(
      'Without the markers',
      dialect && item.len > 1
        ? 'Every other byte must begin with 10. What is left are the pieces.'
        : 'What is left is the number.',
      split(item),
    ),
    step(
      'Put together',
      `${item.payloadBits} bits, four for each hexadecimal digit.`,
      digits(item, dialect && item.len <= ALIGNED),
    ),
    step(
      'The code point',
      row
        ? `${counted(item.len, 'byte')} are for ${codePoint(row.first)} to ${codePoint(row.last)}: ` +
            'the shortest form, as it must be.'
        : 'The number of the character.',
      h(
        'p',
        { class: 'result' },
        h('b', { class: 'mono' }, codePoint(item.codePoint!)),
        base ? h('span', { class: 'hint' }, base) : null,
        ' ',
        h('span', { class: glyph(item.codePoint!).invisible ? 'glyph short' : 'glyph' }, glyph(item.codePoint!).text),
      ),
    ),
  ];
}

/** Shows the error, bit by bit. */
function wrong(model: Model, item: Item): HTMLElement[] {
  const words = describe(model.bytes, item.offset, model.encoding);
  const sentence = (text: string): string => (text ? `${text[0]!.toUpperCase()}${text.slice(1)}.` : '');
  const [first] = item.parts;
  const { expected, next } = first!;
  const bytes = item.parts.flatMap((part, index) =>
    part.bytes.map((byte, at) => flippable(byte, index + at, part.offset + at)),
  );
  const ghost = expected
    ? h(
        'span',
        { class: 'ghost' },
        expected[0] === expected[1] ? hex(expected[0]) : `${hex(expected[0])} to ${hex(expected[1])}`,
      )
    : null;
  const several =
    item.parts.length > 1
      ? `A strict decoder counts ${counted(item.parts.length, 'error')} here: ` +
        `${hex(first!.bytes[0]!.value)}, and each byte after it.`
      : '';
  return [
    step(
      'What is wrong',
      sentence(words.what),
      h('p', { class: 'why-wrong' }, whyRefused(model.encoding, item, sayInEnglish)),
      h('p', { class: 'hint' }, several),
    ),
    step(
      'Its bytes',
      'A flipped bit may be all that is wrong.',
      h('div', { class: 'byte-row' }, ...bytes, ghost),
      drawing(item),
    ),
    step(
      'What was expected',
      sentence(words.expected) || 'Nothing that begins like this is well-formed.',
      expected
        ? h(
            'p',
            { class: 'mono' },
            `${next === null ? 'end of input' : hex(next)} is not in ${hex(expected[0])} to ${hex(expected[1])}`,
          )
        : null,
    ),
    step(
      'What a lax decoder reads',
      sentence(words.lax) ||
        `Nothing: ${first!.kind === 'truncated' ? 'the bytes are incomplete' : 'no character begins like this'}.`,
      first!.lax !== null
        ? h(
            'p',
            { class: 'lax' },
            `${codePoint(first!.lax)} ` +
              (first!.lax > 0x20 && first!.lax <= 0x10ffff ? `“${glyph(first!.lax).text}”` : ''),
          )
        : null,
    ),
  ];
}
