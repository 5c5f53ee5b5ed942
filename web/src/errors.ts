// The list of errors, each with its bytes and the bytes around it, which are read from the file again.
import { type Counts, type Encoding, errors as errorsIn, type PlacedError } from 'utf8kit';
import { h } from './dom.ts';
import { itemAt, whyRefused } from './errorwords.ts';
import { hex } from './format.ts';
import { kindName } from './kinds.ts';
import { amount, say } from './strings.ts';

const FEW = 25;
const TITLES = ['byte', 'line_column', 'kind', 'byte_count'] as const;
/** Number of bytes shown before and after an error; a multiple of every code unit. */
const AROUND = 8;

/** An error. Its line and column are unknown if the check did not keep it. */
type Found = Omit<PlacedError, 'line' | 'column'> & Partial<PlacedError>;

export class ErrorList {
  readonly element: HTMLElement;
  readonly #body = h('tbody', {});
  readonly #more = h('button', { type: 'button', hidden: true, onclick: () => void this.#show() });
  readonly #title: HTMLElement;
  #rest: Found[];

  constructor(
    private readonly file: File,
    private readonly encoding: Encoding,
    private readonly errors: PlacedError[],
    counts: Counts,
  ) {
    this.#rest = errors.slice();
    const { places, errors: count } = counts;
    const kept =
      count > errors.length
        ? say('first_of', { count: errors.length, all: count })
        : places === count
          ? say('error_count', { count })
          : say('place_count', { places, count });
    this.#title = h('p', { class: 'hint', role: 'status' }, `${kept} ${say('from_one')}`);
    this.element = h(
      'section',
      { 'aria-labelledby': 'errors-title' },
      h('h2', { id: 'errors-title' }, say('errors')),
      this.#title,
      h(
        'div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': say('error_list') },
        h(
          'table',
          { class: 'errors' },
          h('thead', {}, h('tr', {}, ...TITLES.map((title) => h('th', { scope: 'col' }, say(title))))),
          this.#body,
        ),
      ),
      this.#more,
    );
    void this.#show();
  }

  /** Shows the errors of a part of the file first. */
  async jump(from: number, to: number): Promise<void> {
    const known = this.errors.findIndex(({ offset }) => offset >= from);
    this.#rest = known >= 0 ? this.errors.slice(known) : await this.#readErrors(from, to);
    const [first] = this.#rest;
    this.#title.textContent =
      first && first.offset < to
        ? [say('from_byte', { from }), known >= 0 ? '' : say('uncounted')].join(' ').trim()
        : say('no_error', { from, to: to - 1 });
    this.#body.replaceChildren();
    await this.#show();
    this.element.scrollIntoView({ block: 'start' });
  }

  /** Finds the errors of a part of the file, which begins a few bytes early. */
  async #readErrors(from: number, to: number): Promise<Found[]> {
    const start = Math.max(0, from - AROUND);
    const bytes = new Uint8Array(await this.file.slice(start, to + AROUND).arrayBuffer());
    const all = errorsIn(bytes, this.encoding).map(({ offset, len, kind }) => ({ offset: offset + start, len, kind }));
    return all.filter(({ offset }) => offset >= from && offset < to);
  }

  async #show(): Promise<void> {
    const rest = this.#rest;
    for (let shown = 0; shown < FEW && rest.length > 0; shown += 1) {
      const error = rest.shift()!;
      const [drawn, end] = await row(this.file, this.encoding, error);
      // Another part of the file has been requested.
      if (rest !== this.#rest) return;
      // The errors of one sequence are one row.
      while (rest[0] && rest[0].offset < end) rest.shift();
      this.#body.append(drawn);
    }
    this.#more.hidden = this.#rest.length === 0;
    this.#more.textContent = say('more', { count: Math.min(FEW, this.#rest.length) });
  }
}

/** Returns the row of an error, and where its sequence ends. */
async function row(file: File, encoding: Encoding, error: Found): Promise<[HTMLElement, number]> {
  const start = Math.max(0, error.offset - AROUND);
  const bytes = new Uint8Array(await file.slice(start, error.offset + error.len + AROUND).arrayBuffer());
  const at = error.offset - start;
  const part = (from: number, to: number, properties = {}): HTMLElement =>
    h('span', properties, Array.from(bytes.subarray(from, to), hex).join(' '));
  const item = itemAt(bytes, at, encoding);
  const end = at + item.len;
  return [
    h(
      'tr',
      {},
      h('td', { class: 'mono' }, amount(error.offset)),
      h('td', { class: 'mono' }, error.line === undefined ? '' : `${amount(error.line)}:${amount(error.column!)}`),
      h('td', {}, kindName(error.kind)),
      h(
        'td',
        {},
        h(
          'div',
          { class: 'mono drawn' },
          part(0, at),
          ' ',
          part(at, end, { class: 'wrong' }),
          ' ',
          part(end, end + AROUND),
        ),
        h('p', { class: 'hint' }, whyRefused(encoding, item)),
      ),
    ),
    error.offset + item.len,
  ];
}
