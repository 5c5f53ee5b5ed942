// The page: typed text becomes bytes, and everything else is derived from the bytes.
import { type Encoding, ENCODINGS, init, level } from 'utf8kit';
import { Composer, type Written } from './composer.ts';
import { drawCopies } from './copyas.ts';
import { byId, copy, h, options, select, tabs } from './dom.ts';
import { Elsewhere } from './elsewhere.ts';
import { EXAMPLES } from './examples.ts';
import { FilePanel } from './file.ts';
import { codePoint, counted, number, placesAndErrors } from './format.ts';
import { Hand } from './hand.ts';
import { MeantPanel } from './meant.ts';
import { Model } from './model.ts';
import { change, LABELS, looksLike, type Notation, NOTATIONS, plain, print, read, type Reading } from './notation.ts';
import { Search } from './search.ts';
import { fragment, fromFragment, LINKED } from './state.ts';
import { speakLanguages } from './strings.ts';
import { Tiles } from './tiles.ts';
import { Unicode } from './unicode.ts';
import { drawWhy } from './why.ts';

/** The length of the longest text that is processed; longer ones must be files. */
const LONGEST = 16 * 1024 * 1024;

const encoding = byId<HTMLSelectElement>('encoding');
const status = byId('status');

class Page {
  #reading!: Reading;
  #model!: Model;
  #view: 'text' | 'file' = 'file';
  #selected = 0;
  readonly #composer = new Composer(() => this.#draw());
  readonly #elsewhere = new Elsewhere();
  readonly #hand = new Hand((bit) => this.#flip(bit));
  readonly #files: FilePanel;
  readonly #meant = new MeantPanel();
  readonly #tiles = new Tiles({ point: (index) => this.#point(index), select: (index) => this.#select(index) });

  constructor() {
    options(byId('notation'), [['', 'detected'], ...NOTATIONS.map((one) => [one, LABELS[one]] as const)]);
    options(
      encoding,
      ENCODINGS.map((name) => [name, name]),
    );
    byId('examples').replaceChildren(...EXAMPLES.map(([name, hash]) => h('li', {}, h('a', { href: hash }, name))));
    byId('level').textContent = level();
    encoding.addEventListener('change', () => this.#draw());
    byId('copy-link').addEventListener('click', () => void this.#copyLink());
    for (const form of ['NFC', 'NFD'] as const)
      byId(form.toLowerCase()).addEventListener('click', () => this.#normalize(form));
    document.querySelector('.skip')!.addEventListener('click', (event) => {
      event.preventDefault();
      byId(this.#view === 'file' ? 'garbled' : 'source').focus();
    });
    tabs(byId('views'), (view) => this.#choose(view as 'text' | 'file'));
    addEventListener('hashchange', () => this.#recall());
    this.#files = new FilePanel(() => {
      select(byId('views'), 'file');
      this.#choose('file');
    });
    new Search(
      () => this.#names(),
      (value) => this.#insert(value),
    );
    byId('more-copies').addEventListener('toggle', () => this.#copies());
    this.#recall();
  }

  /** Draws what is in the reader's language. */
  translate(): void {
    void this.#meant.draw();
    this.#files.draw();
  }

  /** Draws everything that depends on the source. */
  #draw(): void {
    const { source, notation } = this.#composer.written;
    const whole = read(source, encoding.value as Encoding, (notation || plain(source)) as Notation);
    this.#reading = whole;
    const model = new Model(whole.bytes.subarray(0, LONGEST), encoding.value as Encoding);
    // Omit an item that the limit would split.
    this.#model =
      whole.bytes.length > LONGEST
        ? new Model(whole.bytes.slice(0, model.place(model.length - 1).byte), model.encoding)
        : model;
    this.#say(source);
    this.#tiles.show(this.#model, this.#selected);
    this.#select(Math.min(this.#selected, Math.max(0, this.#model.length - 1)));
    this.#copies();
  }

  #say(source: string): void {
    const { notation, lacking, half, problem, bytes } = this.#reading;
    const { errors, codePoints, encoding } = this.#model;
    const counts = [
      counted(bytes.length, 'byte'),
      counted(codePoints, 'code point'),
      errors > 0 ? `${placesAndErrors(this.#model)} in ${encoding}` : `well-formed ${encoding}`,
    ];
    const notes: (string | Node)[] = [`Read as ${LABELS[notation]}: ${counts.join(', ')}. `];
    if (half) notes.push(h('mark', {}, half), ' is not a whole byte yet. ');
    if (problem) notes.push(`${problem} `);
    if (lacking.length > 0)
      notes.push(`${encoding} cannot write ${[...new Set(lacking)].slice(0, 8).map(codePoint).join(', ')}: left out. `);
    if (bytes.length > LONGEST) notes.push('Only the first 16 MiB are shown: check it as a file. ');
    status.replaceChildren(...notes);
    status.classList.toggle('bad', errors > 0);
    const like = looksLike(source, notation);
    const offer = byId('offer');
    offer.replaceChildren(
      like
        ? h(
            'button',
            { type: 'button', onclick: () => this.#composer.write({ source, notation: like }) },
            `It looks like ${LABELS[like]}: read it that way`,
          )
        : notation !== 'text' && source !== ''
          ? h(
              'button',
              { type: 'button', onclick: () => this.#composer.write({ source, notation: 'text' }) },
              'Read it as text',
            )
          : '',
    );
  }

  #select(index: number): void {
    this.#selected = index;
    const item = index < this.#model.length ? this.#model.item(index) : null;
    this.#hand.show(this.#model, item);
    this.#elsewhere.show(this.#model, item?.value ?? null);
    this.#point(null);
    this.#remember();
  }

  /** Shows the position of the item under the pointer, or otherwise of the selected one. */
  #point(index: number | null): void {
    const at = index ?? this.#selected;
    if (at >= this.#model.length) return void (byId('place').textContent = '\u00a0');
    const { byte, codePoint, unit } = this.#model.place(at);
    byId('place').textContent = `byte ${number(byte)} · code point ${number(codePoint)} · UTF-16 unit ${number(unit)}`;
  }

  #flip(bit: number): void {
    const { bytes, encoding } = this.#model;
    const at = bit >> 3;
    const { source, notation } = change(
      this.#composer.written.source,
      this.#reading,
      encoding,
      at,
      bytes[at]! ^ (0x80 >> (bit & 7)),
    );
    this.#composer.write({ source, notation: plain(source) === notation ? '' : notation });
    this.#tiles.select(this.#model.at(at));
  }

  #normalize(form: 'NFC' | 'NFD'): void {
    const { source } = print(this.#model.bytes, this.#model.encoding, 'text');
    if (this.#model.errors === 0) this.#composer.write({ source: source.normalize(form), notation: 'text' });
  }

  /** Appends a code point that was found by search. */
  #insert(value: number): void {
    const { source } = this.#composer.written;
    const { notation } = this.#reading;
    const text = String.fromCodePoint(value);
    const written =
      notation === 'text' ? source + text : notation === 'code points' ? `${source} ${codePoint(value)}` : null;
    if (written !== null) this.#composer.write({ source: written, notation: this.#composer.written.notation });
    else this.#composer.write({ source: text, notation: 'text' });
    this.#tiles.select(this.#model.length - 1);
  }

  #names(): Promise<Unicode> {
    return (names ??= Unicode.load().then(
      (unicode) => {
        this.#hand.learn(unicode);
        return unicode;
      },
      (error: unknown) => {
        names = undefined;
        throw error;
      },
    ));
  }

  /** Loads the names when the browser is idle. */
  learn(): void {
    idle(() => void this.#names().catch(() => undefined));
  }

  #copies(): void {
    if (byId<HTMLDetailsElement>('more-copies').open) drawCopies(this.#model);
  }

  #remember(): void {
    byId<HTMLButtonElement>('copy-link').disabled = this.#model.bytes.length > LINKED;
    history.replaceState(null, '', this.#view === 'file' ? '#file' : this.#fragment());
  }

  #fragment(): string {
    const { bytes, encoding } = this.#model;
    return bytes.length <= LINKED ? fragment(encoding, this.#reading.notation, bytes, this.#selected) : '#';
  }

  async #copyLink(): Promise<void> {
    const done = await copy(location.href);
    status.textContent = done ? 'The link is copied.' : 'The link is in the address bar.';
  }

  /** Applies the fragment of the address. */
  #recall(): void {
    let state = fromFragment(location.hash);
    this.#go(state.view);
    if (!state.bytes) {
      if (this.#model !== undefined) return;
      state = fromFragment(EXAMPLES[0]![1]);
    }
    // Back from another view, so nothing has changed.
    if (this.#model !== undefined && location.hash === this.#fragment()) return;
    encoding.value = state.encoding ?? 'utf-8';
    const { source, notation } = print(state.bytes!, state.encoding ?? 'utf-8', state.notation ?? 'text');
    this.#selected = state.selected ?? 0;
    this.#composer.write(written(source, notation), this.#model !== undefined);
    if (this.#view === 'file') this.#remember();
  }

  #go(view: 'text' | 'file'): void {
    if (view === this.#view) return;
    select(byId('views'), view);
    this.#show(view);
  }

  /** Shows a view that was chosen. The browser's Back leads to the one before. */
  #choose(view: 'text' | 'file'): void {
    if (view === this.#view) return;
    history.pushState(null, '', location.hash);
    this.#show(view);
    this.#remember();
  }

  #show(view: 'text' | 'file'): void {
    this.#view = view;
    for (const one of ['text', 'file']) byId(`panel-${one}`).hidden = one !== view;
  }
}

/** A notation that follows from the source need not be selected. */
const written = (source: string, notation: Notation): Written => ({
  source,
  notation: plain(source) === notation ? '' : notation,
});

const idle = globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 100));

let names: Promise<Unicode> | undefined;

async function start(): Promise<void> {
  const failed = byId('failed');
  failed.hidden = true;
  try {
    await init();
  } catch (error) {
    byId('failed-why').textContent = error instanceof Error ? error.message : String(error);
    failed.hidden = false;
    status.textContent = '';
    return;
  }
  page = new Page();
  document.documentElement.dataset.ready = '';
  // Content further down can wait until the first result is painted.
  idle(() => {
    drawWhy();
    page?.learn();
    if (import.meta.env.PROD) void navigator.serviceWorker?.register('./offline.js').catch(() => undefined);
  });
}

let page: Page | undefined;

byId('retry').addEventListener('click', () => void start());
// The library may fail to load, which is said in the reader's language.
void speakLanguages(() => page?.translate());
void start();
