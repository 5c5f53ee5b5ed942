// The page: what is typed becomes bytes, and everything else follows from the bytes.
import { type Encoding, ENCODINGS, explain, init, level } from 'utf8kit';
import { FilePanel } from './file.ts';
import { byId, h, options } from './dom.ts';
import { EXAMPLES } from './examples.ts';
import { Inspector } from './inspect.ts';
import { drawLayout } from './layout.ts';
import { detect, type Notation, read } from './notation.ts';
import { DIALECTS, drawWhy, Sides } from './sides.ts';
import { fragment, fromFragment, type State } from './state.ts';
import { codePoint, counted, hexes } from './words.ts';

/** How many bytes are looked at: a text is to be seen here, a file is checked on the other side. */
const LONGEST = 4096;

await init();

const source = byId<HTMLTextAreaElement>('source');
const notation = byId<HTMLSelectElement>('notation');
const encoding = byId<HTMLSelectElement>('encoding');
const dialect = byId<HTMLSelectElement>('dialect');
const status = byId('status');

const state: State = { view: 'text', encoding: 'utf-8', bytes: new Uint8Array(), notation: 'text' };
let items: ReturnType<typeof explain> = [];
let selected = -1;

function light(item: number | null): void {
  inspector.lit(item);
  sides.lit(item);
}

function select(item: number): void {
  if (item === selected) return;
  selected = item;
  drawWhy(items[item]?.codePoint ?? null);
}

const inspector = new Inspector(flip, light, select);
const sides = new Sides(light);

/** Draws what follows from the bytes. */
function draw(notes: string[] = []): void {
  items = explain(state.bytes, state.encoding);
  inspector.draw(items);
  sides.draw(items, state.encoding);
  selected = -1;
  select(0);
  const errors = items.filter((item) => item.kind !== null).length;
  const counts = [counted(state.bytes.length, 'byte'), counted(items.length - errors, 'code point'), errors > 0 ? counted(errors, 'error') : 'well-formed'];
  status.textContent = [`Read as ${state.notation}: ${counts.join(', ')} of ${state.encoding}.`, ...notes].join(' ');
  status.classList.toggle('bad', errors > 0);
}

/** What was typed, as bytes. */
function typed(): void {
  const chosen = notation.value as Notation | '';
  const reading = read(source.value, state.encoding, chosen || detect(source.value));
  const notes = reading.trouble ? [reading.trouble] : [];
  if (reading.lacking.length > 0) {
    notes.push(`${state.encoding} lacks ${[...new Set(reading.lacking)].slice(0, 8).map(codePoint).join(', ')}: left out.`);
  }
  if (reading.bytes.length > LONGEST) notes.push(`Only the first ${counted(LONGEST, 'byte')} are shown; a file of any size can be checked under File.`);
  state.bytes = reading.bytes.slice(0, LONGEST);
  state.notation = reading.notation;
  remember();
  draw(notes);
}

/** The bytes, in the notation that they were typed in if it can show them. */
function printed(): string {
  const whole = explain(state.bytes, state.encoding);
  const values = whole.map((item) => item.codePoint);
  const scalar = values.every((value) => value !== null && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff));
  if (state.notation === 'code points' && values.every((value) => value !== null)) return values.map((value) => codePoint(value!)).join(' ');
  if (state.notation === 'text' && scalar) return String.fromCodePoint(...(values as number[]));
  state.notation = 'hex';
  return hexes(state.bytes);
}

function flip(bit: number): void {
  state.bytes[bit >> 3]! ^= 0x80 >> (bit & 7);
  source.value = printed();
  remember();
  draw();
}

function remember(): void {
  history.replaceState(null, '', fragment(state));
}

/** Takes over the state that the address tells. */
function recall(): void {
  const told = fromFragment(location.hash);
  if (!location.hash || (told.view === 'text' && !told.bytes)) Object.assign(told, fromFragment(EXAMPLES[0]![1]));
  show(told.view ?? 'text');
  if (told.view === 'file') {
    if (state.bytes.length > 0) return;
    Object.assign(told, fromFragment(EXAMPLES[0]![1]), { view: 'file' });
  }
  Object.assign(state, told);
  state.bytes = state.bytes.slice(0, LONGEST);
  encoding.value = state.encoding;
  notation.value = '';
  source.value = printed();
  // The layout stays with a dialect.
  if (DIALECTS.includes(state.encoding)) dialect.value = state.encoding;
  drawLayout(dialect.value as Encoding);
  draw();
}

const tabs = { text: byId('tab-text'), file: byId('tab-file') };

function show(view: State['view']): void {
  state.view = view;
  for (const [name, tab] of Object.entries(tabs)) {
    tab.setAttribute('aria-selected', String(name === view));
    tab.tabIndex = name === view ? 0 : -1;
    byId(`panel-${name}`).hidden = name !== view;
  }
}

for (const [name, tab] of Object.entries(tabs) as [State['view'], HTMLElement][]) {
  const open = (): void => {
    show(name);
    remember();
  };
  tab.addEventListener('click', open);
  tab.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const other = tabs[name === 'text' ? 'file' : 'text'];
    other.click();
    other.focus();
  });
}

options(notation, [['', 'detect'], ['text', 'text'], ['hex', 'bytes in hex'], ['code points', 'code points'], ['escapes', 'escapes']]);
options(encoding, ENCODINGS.map((name) => [name, name]));
options(dialect, DIALECTS.map((name) => [name, name]));
byId('examples').replaceChildren(...EXAMPLES.map(([name, hash]) => h('li', {}, h('a', { href: hash }, name))));
byId('level').textContent = level();

source.addEventListener('input', typed);
notation.addEventListener('change', typed);
encoding.addEventListener('change', () => {
  state.encoding = encoding.value as Encoding;
  if (DIALECTS.includes(state.encoding)) {
    dialect.value = state.encoding;
    drawLayout(state.encoding);
  }
  typed();
});
dialect.addEventListener('change', () => drawLayout(dialect.value as Encoding));
byId('copy').addEventListener('click', () => {
  void navigator.clipboard.writeText(location.href).then(
    () => { status.textContent = 'The link is copied.'; },
    () => { status.textContent = 'The link is in the address bar.'; });
});
addEventListener('hashchange', recall);
new FilePanel();
recall();
