// Shows what garbled text meant: the likely readings first, otherwise all of them.
import { convert, detect, fixMojibake, type Guess, initLegacy, type Meant, misread, type Step } from 'utf8kit';
import { byId, type Child, copy, h } from './dom.ts';
import { isDoubtful, likely, preferring, READ } from './likely.ts';
import { noteOf } from './notes.ts';
import { say } from './strings.ts';

const LISTED = 40;
/** The delay after typing, in milliseconds. */
const PAUSE = 150;

const NAMES: Record<string, string> = { latin1: 'ISO 8859-1', macintosh: 'Mac Roman', gb18030: 'GB 18030' };

/** Returns an encoding's name as people write it. */
export const nameOf = (encoding: string): string =>
  NAMES[encoding] ?? (/^(?:utf|iso|euc|koi|cp|ibm|big)/.test(encoding) ? encoding.toUpperCase() : encoding);

/** Describes how a text was garbled; equal steps are counted. */
export function how(steps: Step[]): string {
  const said: string[] = [];
  for (let at = 0; at < steps.length;) {
    const { meant, read } = steps[at]!;
    let count = 1;
    while (steps[at + count]?.meant === meant && steps[at + count]?.read === read) count += 1;
    at += count;
    const once = say(read === 'escapes' ? 'numbers' : 'how', { meant: nameOf(meant), read: nameOf(read) });
    said.push(count === 1 ? once : count === 2 ? say('twice', { how: once }) : say('times', { how: once, count }));
  }
  return said.reduce((first, next) => say('then', { first, next }));
}

/** Shows a text, with lost characters marked. */
export const shown = (text: string): HTMLElement =>
  h(
    'span',
    { class: 'meant', dir: 'auto' },
    ...text.split(/(\ufffd+)/).map((part, at) => (at % 2 ? h('mark', {}, part) : part)),
  );

function copying(text: string): HTMLElement {
  const button = h('button', { type: 'button' }, say('copy'));
  button.addEventListener('click', () => {
    void copy(text).then((done) => {
      if (done) button.textContent = say('copied');
    });
  });
  return button;
}

/** Lists likely readings, each with its actions. */
export function list(readings: Meant[], first: boolean, work: (reading: Meant) => Child): HTMLElement {
  const row = (reading: Meant, index: number): HTMLElement =>
    h(
      'li',
      { class: index === 0 ? 'card own' : 'card' },
      h('p', { class: 'big' }, shown(reading.text)),
      h('p', { class: 'hint' }, h('b', {}, say(index === 0 && first ? 'likely' : 'possible')), ': ', how(reading.how)),
      work(reading),
    );
  return h('ol', { class: 'readings' }, ...readings.map(row));
}

function table(all: Meant[]): HTMLElement {
  const rows = all.slice(0, LISTED).map((reading) => {
    const names = (pick: (step: Step) => string): string => reading.how.map((step) => nameOf(pick(step))).join(', ');
    const cells = [names((step) => step.meant), names((step) => step.read)];
    return h(
      'tr',
      {},
      h('td', {}, shown(reading.text)),
      ...cells.map((name) => h('td', {}, name)),
      h('td', {}, copying(reading.text)),
    );
  });
  const titles = [say('text'), say('was'), say('read'), say('copy')].map((title) => h('th', { scope: 'col' }, title));
  const body = h('table', {}, h('thead', {}, h('tr', {}, ...titles)), h('tbody', {}, ...rows));
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': say('all') }, body);
}

/** Returns the detected reading of a text, unless only its notation differs. */
function meantBy({ misdecodedAs, suggestion }: Guess, text: string, all: Meant[]): Meant | undefined {
  if (suggestion?.do === 'convert') {
    const meant = new TextDecoder().decode(convert(new TextEncoder().encode(text), { from: suggestion.from }));
    return { text: meant, how: [{ meant: suggestion.from, read: 'utf-8' }], nats: 0 };
  }
  // Lost characters are not invented.
  const fixed = text.includes('\ufffd') ? text : fixMojibake(text);
  if (fixed === text) return undefined;
  const reads = misdecodedAs ?? (all.some(({ how }) => how.at(-1)!.read === 'escapes') ? null : 'escapes');
  const known = all.find((reading) => reading.text === fixed);
  return known ?? (reads ? { text: fixed, how: [{ meant: 'utf-8', read: reads }], nats: 0 } : undefined);
}

export class MeantPanel {
  readonly #area = byId<HTMLTextAreaElement>('garbled');
  readonly #says = byId('meant-says');
  readonly #list = byId('meant');
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#area.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.draw(), PAUSE);
    });
  }

  async draw(): Promise<void> {
    const whole = this.#area.value.trim();
    const text = whole.slice(0, READ);
    if (text === '') return this.#show('', '');
    try {
      await initLegacy();
    } catch {
      return this.#show(say('not_loaded'), '');
    }
    if (whole !== this.#area.value.trim()) return;
    const guess = detect(new TextEncoder().encode(text));
    const all = misread(text);
    const { readings, first } = preferring(meantBy(guess, text, all), likely(text, all));
    const lost = (text.match(/\ufffd|\?{2,}/g) ?? []).join('').length;
    const notes = [
      whole.length > READ ? say('long', { count: READ }) : '',
      lost > 0 ? say('lost', { count: lost }) : '',
      ...guess.notes.map(noteOf),
      readings.length + guess.notes.length > 0 ? '' : lost > 0 || isDoubtful(all) ? say('none') : say('fine'),
    ];
    const rest = all.filter((reading) => !readings.includes(reading));
    this.#show(
      notes.filter(Boolean).join(' '),
      readings.length > 0 ? list(readings, first, ({ text }) => copying(text)) : lost > 0 ? shown(text) : '',
      rest.length > 0
        ? h('details', { open: notes.includes(say('none')) }, h('summary', {}, say('all')), table(rest))
        : '',
    );
  }

  #show(says: string, ...content: (Node | string)[]): void {
    this.#says.textContent = says;
    this.#list.replaceChildren(...content);
  }
}
