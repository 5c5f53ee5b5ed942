// Search for code points by name or number.
import { byId, h } from './dom.ts';
import { codePoint, glyph } from './format.ts';
import type { Unicode } from './unicode.ts';

const SHOWN = 12;

export class Search {
  readonly #input = byId<HTMLInputElement>('search');
  readonly #results = byId('results');
  #asked = 0;

  constructor(
    private readonly names: () => Promise<Unicode>,
    private readonly choose: (value: number) => void,
  ) {
    this.#input.addEventListener('input', () => void this.#find());
    this.#input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.#results.querySelector('button')?.click();
      if (event.key === 'Escape') this.#clear();
    });
  }

  async #find(): Promise<void> {
    const query = this.#input.value;
    const asked = (this.#asked += 1);
    if (!query.trim()) return this.#clear();
    try {
      const unicode = await this.names();
      if (asked !== this.#asked) return;
      const found = unicode.search(query, SHOWN);
      this.#results.replaceChildren(
        ...found.map((value) =>
          h(
            'li',
            {},
            h(
              'button',
              { type: 'button', onclick: () => this.#take(value) },
              h(
                'span',
                { class: glyph(value).invisible ? 'glyph short' : 'glyph', 'aria-hidden': true },
                glyph(value).text,
              ),
              h('b', {}, codePoint(value)),
              ' ',
              unicode.name(value),
            ),
          ),
        ),
      );
      if (found.length === 0)
        this.#results.replaceChildren(h('li', { class: 'hint' }, 'No code point has such a name.'));
    } catch {
      this.#results.replaceChildren(h('li', { class: 'hint' }, 'The names could not be loaded. Type again to retry.'));
    }
  }

  #take(value: number): void {
    this.choose(value);
    this.#clear();
    this.#input.focus();
  }

  #clear(): void {
    this.#input.value = '';
    this.#results.replaceChildren();
  }
}
