// Files are checked in place, one after another: a row for each, and the findings of the selected one.
import { type Encoding, ENCODINGS, POLICIES, type Policy, type Repair, type Step } from 'utf8kit';
import { bytesView } from './bytes.ts';
import { charts } from './charts.ts';
import { byId, h, options } from './dom.ts';
import { dropped } from './dropped.ts';
import { ErrorList } from './errors.ts';
import { heatMap } from './heat.ts';
import { list as listReadings, nameOf } from './meant.ts';
import { writableNames } from './names.ts';
import { noteOf } from './notes.ts';
import type { Line } from './preview.ts';
import { amount, type Key, say, size } from './strings.ts';
import { versions } from './versions.ts';
import type { Checked, Message, Names, Task } from './worker.ts';

/** Maximum number of errors of a file in the list. */
const KEEP = 1000;
/** Number of files checked at once. */
const MOST = 5000;

/** A function that makes a copy of a file. */
type Making = Task extends infer T ? (T extends Task ? Omit<T, 'file'> : never) : never;

/** A status, with the number of errors if that is what it tells. */
type Verdict = Extract<Key, `is_${string}`> | number;

/** The most names of an archive that are listed. */
const NAMES = 500;

/** A file and its results. */
interface Entry {
  file: File;
  path: string;
  encoding: Encoding;
  checked: Checked | null;
  /** Its status: not started, running, good, bad, or failed. */
  verdict: Verdict;
  good: boolean | null;
}

export class FilePanel {
  readonly #encoding = byId<HTMLSelectElement>('file-encoding');
  readonly #verdict = byId('verdict');
  readonly #findings = byId('findings');
  readonly #listing = byId('listing');
  readonly #running = byId('running');
  readonly #progress = byId<HTMLProgressElement>('progress');
  readonly #label = byId('progress-label');
  #entries: Entry[] = [];
  #chosen: Entry | null = null;
  #link = '';
  /** What is said, and the size of the copy that is offered, to say it again in another language. */
  #said: () => string = () => '';
  #offered = 0;

  constructor(open: () => void) {
    options(
      this.#encoding,
      ENCODINGS.map((name) => [name, name]),
    );
    for (const [button, input] of [
      ['choose', 'file'],
      ['choose-folder', 'folder'],
    ] as const) {
      const field = byId<HTMLInputElement>(input);
      byId(button).addEventListener('click', () => field.click());
      field.addEventListener('change', () => {
        void this.#take(
          Array.from(field.files ?? [], (file) => ({ file, path: file.webkitRelativePath || file.name })),
        );
        field.value = '';
      });
    }
    this.#encoding.addEventListener('change', () => void this.#checkAll(this.#entries));
    byId('cancel').addEventListener('click', () => this.#cancel());
    this.#dropping(open);
    versions(
      async (old, file) => {
        const answer = await this.#run({ do: 'compare', file, old }, file.name);
        if (answer?.is === 'failed') this.#say(() => say('unread', { file: file.name, reason: answer.reason }), false);
        return answer?.is === 'compared' ? answer : null;
      },
      (blob, name) => this.#download(blob, name, 'restored'),
    );
  }

  /** Draws everything again, in another language. */
  draw(): void {
    this.#list();
    if (this.#chosen) this.#choose(this.#chosen);
    const [words, link] = [this.#verdict.firstChild, this.#verdict.querySelector('a')];
    if (words) words.textContent = this.#said();
    if (link) link.textContent = say('save', { size: size(this.#offered) });
  }

  /** Accepts files that are dropped anywhere on the page. */
  #dropping(open: () => void): void {
    const veil = byId('veil');
    const holds = (event: DragEvent): boolean => Array.from(event.dataTransfer?.types ?? []).includes('Files');
    addEventListener('dragover', (event) => {
      if (!holds(event)) return;
      event.preventDefault();
      veil.hidden = false;
    });
    addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) veil.hidden = true;
    });
    addEventListener('drop', (event) => {
      veil.hidden = true;
      if (!event.dataTransfer || (!holds(event) && event.dataTransfer.files.length === 0)) return;
      event.preventDefault();
      open();
      void dropped(event.dataTransfer).then((files) => this.#take(files));
    });
  }

  async #take(files: { file: File; path: string }[]): Promise<void> {
    if (files.length === 0) return;
    const encoding = this.#encoding.value as Encoding;
    this.#entries = files
      .slice(0, MOST)
      .map(({ file, path }) => ({ file, path, encoding, checked: null, verdict: 'is_waiting', good: null }));
    await this.#checkAll(this.#entries, files.length);
  }

  async #checkAll(entries: Entry[], of = entries.length): Promise<void> {
    const encoding = this.#encoding.value as Encoding;
    this.#findings.replaceChildren();
    this.#chosen = null;
    for (const entry of entries) Object.assign(entry, { encoding, checked: null, verdict: 'is_waiting', good: null });
    this.#list();
    for (const entry of entries) {
      if (this.#entries !== entries || entry.encoding !== encoding) return;
      if (!(await this.#check(entry))) {
        for (const left of entries.filter(({ verdict }) => verdict === 'is_waiting')) left.verdict = 'is_cancelled';
        this.#list();
        return;
      }
    }
    if (entries.length < 2) return;
    const bad = entries.filter(({ good }) => good === false).length;
    const count = entries.length;
    this.#say(
      () =>
        [
          say(bad === 0 ? 'all_good' : 'some_bad', { bad, count, encoding }),
          of > count ? say('only_first', { count, all: of }) : '',
        ]
          .join(' ')
          .trim(),
      bad === 0,
    );
  }

  /** Checks a file; returns whether the check was completed. */
  async #check(entry: Entry): Promise<boolean> {
    entry.verdict = 'is_checking';
    this.#list();
    const answer = await this.#run(
      { do: 'check', file: entry.file, encoding: entry.encoding, keep: KEEP },
      say('checking', { file: entry.path }),
    );
    if (!answer) {
      Object.assign(entry, { verdict: 'is_cancelled', good: null });
      this.#list();
      return false;
    }
    if (answer.is === 'checked') {
      const { checked } = answer;
      const { counts, advice, names } = checked;
      const good = names ? names.broken.length === 0 : counts.errors === 0 && advice === null;
      const verdict = !names && advice?.guess.encoding === null ? 'is_not_text' : good ? 'is_good' : counts.errors;
      Object.assign(entry, { checked, verdict: names && !good ? names.broken.length : verdict, good });
      this.#say(() => verdictOn(entry, checked), good);
    } else if (answer.is === 'failed') {
      Object.assign(entry, { verdict: 'is_unread', good: false });
      const { reason } = answer;
      this.#say(() => say('unread', { file: entry.path, reason }), false);
    }
    this.#list();
    if (entry.checked && this.#entries.length === 1) this.#choose(entry);
    return true;
  }

  /** Runs a task in a worker; `null` if it is cancelled. */
  #run(task: Task, label: string): Promise<Message | null> {
    // The offer to save an earlier copy is removed with its message.
    this.#say(() => '', null);
    this.#cancelled();
    this.#running.hidden = false;
    this.#progress.value = 0;
    this.#label.textContent = label;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    return new Promise((done) => {
      const end = (message: Message | null): void => {
        worker.terminate();
        this.#running.hidden = true;
        done(message);
      };
      worker.onmessage = ({ data }: MessageEvent<Message>) => {
        if (data.is === 'ready') worker.postMessage(task);
        else if (data.is === 'progress') {
          this.#progress.value = data.bytes / Math.max(1, task.file.size);
          const [done, all] = [data.bytes, task.file.size].map(size) as [string, string];
          this.#label.textContent = say('progress', { done, size: all, count: data.errors });
        } else end(data);
      };
      worker.onerror = () => end({ is: 'failed', reason: say('no_worker') });
      this.#cancelled = () => end(null);
    });
  }

  #cancelled: () => void = () => undefined;

  #cancel(): void {
    this.#cancelled();
    this.#say(() => say('cancelled'), null);
  }

  #say(words: () => string, good: boolean | null): void {
    this.#said = words;
    this.#verdict.textContent = words();
    this.#verdict.className = `verdict ${good === null ? '' : good ? 'good' : 'bad'}`;
  }

  /** Shows the rows, if there is more than one file, and the offer to check as another encoding. */
  #list(): void {
    const several = this.#entries.length > 1;
    const offers = (entry: Entry): HTMLElement | null => this.#offer(entry);
    if (!several) return void this.#listing.replaceChildren(...this.#entries.flatMap((entry) => offers(entry) ?? []));
    this.#listing.replaceChildren(
      h(
        'div',
        { class: 'scroll tall', tabindex: 0, role: 'region', 'aria-label': say('files') },
        h(
          'table',
          { class: 'files' },
          h(
            'thead',
            {},
            h(
              'tr',
              {},
              ...[say('file'), say('size'), say('verdict'), ''].map((title) => h('th', { scope: 'col' }, title)),
            ),
          ),
          h(
            'tbody',
            {},
            ...this.#entries.map((entry) =>
              h(
                'tr',
                { class: entry === this.#chosen ? 'current' : null },
                h(
                  'th',
                  { scope: 'row' },
                  entry.checked
                    ? h('button', { type: 'button', class: 'plain', onclick: () => this.#choose(entry) }, entry.path)
                    : entry.path,
                ),
                h('td', { class: 'nowrap' }, size(entry.file.size)),
                h('td', { class: entry.good === null ? 'soft' : entry.good ? 'good' : 'bad' }, verdictIn(entry)),
                h('td', {}, offers(entry)),
              ),
            ),
          ),
        ),
      ),
    );
  }

  /** Shows the suggestion: one button that keeps all of the text, and the lines that it changes. */
  #offer(entry: Entry): HTMLElement | null {
    const advice = entry.checked?.advice;
    if (!advice || entry.checked?.names) return null;
    const { guess, suggestion, garbles, lines, readings } = advice;
    const evidence = guess.evidence.slice(0, 2).join('; ');
    const says = (title: string): HTMLElement =>
      h(
        'div',
        {},
        h('p', {}, h('b', {}, title), ' ', guess.notes.map(noteOf).join(' ')),
        evidence
          ? h('details', {}, h('summary', {}, say('evidence')), h('p', { lang: 'en', dir: 'ltr' }, `${evidence}.`))
          : null,
      );
    if (readings.length > 0) {
      const isFile = entry.checked!.counts.errors > 0;
      const task = (how: Step[]): Making =>
        isFile ? { do: 'to-utf-8', label: how[0]!.meant, artifact: guess.artifact } : { do: 'read-again', how };
      const save = (how: Step[]): HTMLElement =>
        h('button', { type: 'button', onclick: () => void this.#make(entry, task(how), 'utf-8') }, say('save_so'));
      const shown = listReadings(readings, false, ({ how }) =>
        how.some(({ read }) => read === 'escapes') ? '' : save(how),
      );
      return h('div', { class: 'guess' }, says(say(isFile ? 'unsure' : 'misread')), shown);
    }
    if (!suggestion) {
      return h('div', { class: 'guess' }, says(guess.encoding ? '' : say('not_text', { file: entry.path })));
    }
    const kind = guess.sure && !garbles ? 'primary' : null;
    const [policy, other] = suggestion.do === 'repair' ? suggestion.policy.split('=') : [];
    const misread = policy === 'mojibake' ? guess.misdecodedAs : null;
    const name = nameOf(suggestion.do === 'convert' ? suggestion.from : (other ?? misread ?? ''));
    const is = { certain: 'certain', likely: 'probable', possible: 'maybe' } as const;
    const what = policy ? say(other ? 'mixed' : misread ? 'double' : 'damaged', { name }) : name;
    const label = policy
      ? say(other ? 'repair_parts' : misread ? 'fix_mojibake' : 'restore', { name })
      : say('save_utf8');
    const task =
      suggestion.do === 'repair'
        ? ({ do: 'repair-lines', policy: suggestion.policy as Repair } as const)
        : ({ do: 'to-utf-8', label: suggestion.from, artifact: guess.artifact } as const);
    const buttons = [
      h(
        'button',
        { type: 'button', class: kind, onclick: () => void this.#make(entry, task, policy ? 'repaired' : 'utf-8') },
        label,
      ),
    ];
    const doubts = [
      guess.sure && !garbles ? '' : say('unsure'),
      guess.alternatives.length > 0 ? say('others', { names: guess.alternatives.map(nameOf).join(', ') }) : '',
    ].join(' ');
    return h(
      'div',
      { class: 'guess' },
      says(say(is[guess.certainty], { name: what })),
      doubts.trim() ? h('p', { class: 'bad' }, doubts) : null,
      ...buttons,
      this.#entries.length === 1 ? preview(lines) : null,
    );
  }

  /** Makes a copy of a file, and offers to save it. */
  async #make(entry: Entry, task: Making, what: string): Promise<void> {
    const answer = await this.#run({ ...task, file: entry.file } as Task, entry.path);
    const { path: file } = entry;
    if (answer?.is === 'failed') return this.#say(() => say('unread', { file, reason: answer.reason }), false);
    if (answer?.is !== 'copied') return;
    const { changes: count } = answer;
    const lossy = task.do === 'to-utf-8' && count > 0;
    const bad = (): string => say('bad', { file, encoding: task.do === 'to-utf-8' ? task.label : '', count });
    const good = (): string => (task.do === 'to-utf-8' || count === 0 ? `${file}.` : say('changed', { count }));
    this.#say(lossy ? bad : good, !lossy);
    this.#download(answer.blob, entry.file.name, what);
  }

  #choose(entry: Entry): void {
    this.#chosen = entry;
    if (this.#entries.length > 1) this.#list();
    const { counts, occurrences, seconds, names } = entry.checked!;
    if (names) return void this.#findings.replaceChildren(this.#names(entry, names));
    const speed = { seconds: amount(seconds, 2), size: size(counts.bytes / Math.max(seconds, 0.001)) };
    const facts: [Key, string][] = [
      ['byte_count', amount(counts.bytes)],
      ['code_points', amount(counts.codePoints)],
      ['line_feeds', amount(counts.lines)],
      ['errors', amount(counts.errors)],
      ['time', say('speed', speed)],
    ];
    const list = h(
      'dl',
      { class: 'facts' },
      ...facts.map(([term, value]) => h('div', {}, h('dt', {}, say(term)), h('dd', {}, value))),
    );
    const title = this.#entries.length > 1 ? h('h2', {}, entry.path) : null;
    this.#findings.replaceChildren(
      h('section', { 'aria-label': say('counts') }, title, list, bytesView(entry.file, entry.encoding)),
    );
    const { advice } = entry.checked!;
    if (advice && this.#entries.length > 1) this.#findings.append(preview(advice.lines) ?? '');
    if (advice?.guess.encoding === null) return;
    // Errors are meaningless if a file is not read in its own encoding.
    if (advice?.suggestion?.do === 'convert') {
      if (counts.errors > 0)
        this.#findings.append(
          h(
            'details',
            { class: 'wide' },
            h('summary', {}, say('nevertheless', { encoding: entry.encoding })),
            this.#errors(entry),
          ),
        );
      return;
    }
    if (counts.errors > 0) this.#findings.append(this.#errors(entry));
    this.#findings.append(charts(counts, occurrences));
  }

  /** Shows the map of errors, the repairs of single errors, and the list. */
  #errors(entry: Entry): HTMLElement {
    const { counts, errors, histogram } = entry.checked!;
    const list = new ErrorList(entry.file, entry.encoding, errors, counts);
    return h(
      'div',
      {},
      heatMap(histogram, counts.bytes, (from, to) => void list.jump(from, to)),
      this.#repairs(entry),
      list.element,
    );
  }

  /** Shows the names in an archive that are not as they were meant, and ways to write it with those. */
  #names(entry: Entry, { broken }: Names): HTMLElement {
    const { path, file } = entry;
    const why = ({ why, encoding, certainty }: Names['broken'][number]): string => {
      if (why === 'encoding') return [nameOf(encoding), certainty === 'possible' ? say('unsure') : ''].join(' ').trim();
      return why === 'field' ? '' : say(`name_${why}`);
    };
    const rows = broken.slice(0, NAMES).map((name) => {
      const meant = name.meant === null ? '—' : h('bdi', {}, name.meant);
      return h(
        'tr',
        {},
        h('td', {}, h('bdi', {}, name.stored)),
        h('td', { class: 'good' }, meant),
        h('td', {}, why(name)),
      );
    });
    const titles = [say('name_now'), say('name_meant'), ''].map((title) => h('th', { scope: 'col' }, title));
    const quoted = `'${file.name.replaceAll("'", `'\\''`)}'`;
    const table = h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': say('names') },
      h('table', {}, h('thead', {}, h('tr', {}, ...titles)), h('tbody', {}, ...rows)),
    );
    const rest = broken.length > NAMES ? h('p', {}, say('first_of', { count: NAMES, all: broken.length })) : null;
    const command = h(
      'p',
      {},
      say('names_command'),
      ' ',
      h('code', { dir: 'ltr' }, `utf8 rename ${quoted} -o renamed.zip`),
    );
    const save = h(
      'button',
      { type: 'button', class: 'primary', onclick: () => void this.#make(entry, { do: 'rename', broken }, 'renamed') },
      say('save_names'),
    );
    return h(
      'section',
      { 'aria-labelledby': 'names-title' },
      h('h2', { id: 'names-title' }, say('names')),
      h('p', {}, path),
      broken.length > 0 ? table : null,
      rest,
      writableNames(broken).size > 0 ? save : null,
      broken.length > 0 ? command : null,
    );
  }

  #repairs(entry: Entry): HTMLElement {
    const { advice, counts, occurrences } = entry.checked!;
    const policy = h('select', { id: 'policy' });
    // The first one loses nothing.
    options(
      policy,
      [...POLICIES]
        .filter((one): one is Exclude<Policy, 'strict'> => one !== 'strict')
        .sort((a, b) => Number(b === 'escape') - Number(a === 'escape'))
        .map((one) => [one, say(`policy_${one}`)]),
    );
    // If most non-ASCII bytes are not errors, the encoding of the rest is known; otherwise it is not.
    const beyond = occurrences.reduce((sum, { codePoint, count }) => (codePoint > 0x7f ? sum + count : sum), 0);
    const known = advice === null && beyond > counts.errors;
    const task = (): Making => ({ do: 'repair', encoding: entry.encoding, policy: policy.value as Policy });
    return h(
      'section',
      { 'aria-labelledby': 'repair-title' },
      h('h2', { id: 'repair-title' }, say('repair')),
      h(
        'div',
        { class: 'tools' },
        h('div', { class: 'field inline' }, h('label', { for: 'policy' }, say('errors_are')), policy),
        h(
          'button',
          {
            type: 'button',
            id: 'repair',
            class: known ? 'primary' : null,
            onclick: () => void this.#make(entry, task(), 'repaired'),
          },
          say('make_copy'),
        ),
      ),
      h('p', { class: 'hint' }, say('repair_hint')),
    );
  }

  #download(blob: Blob, name: string, what: string): void {
    URL.revokeObjectURL(this.#link);
    this.#link = URL.createObjectURL(blob);
    this.#offered = blob.size;
    const link = h(
      'a',
      { href: this.#link, download: name.replace(/(\.[^.]*)?$/, `.${what}$1`) },
      say('save', { size: size(blob.size) }),
    );
    this.#verdict.append(' ', link);
    link.focus();
  }
}

/** Describes whether a file is well-formed, and whether that is meaningful. */
function verdictOn({ path: file, encoding }: Entry, { counts, advice, names }: Checked): string {
  if (names) {
    const { broken, count } = names;
    return say(broken.length > 0 ? 'names_bad' : 'names_good', { file, bad: broken.length, count });
  }
  if (advice && advice.guess.encoding === null) return say('not_text', { file });
  return counts.errors > 0 ? say('bad', { file, encoding, count: counts.errors }) : say('good', { file, encoding });
}

/** Returns the status of a file in words. */
const verdictIn = ({ verdict }: Entry): string =>
  typeof verdict === 'number' ? say('error_count', { count: verdict }).replace(/[.。]$/, '') : say(verdict);

/** Lines before and after, side by side. */
function preview(lines: Line[]): HTMLElement | null {
  if (lines.length === 0) return null;
  return h(
    'div',
    { class: 'scroll preview', tabindex: 0, role: 'region', 'aria-label': say('before_after') },
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h('tr', {}, ...[say('line'), say('now'), say('after')].map((title) => h('th', { scope: 'col' }, title))),
      ),
      h(
        'tbody',
        {},
        ...lines.map(({ number: line, before, after }) =>
          h('tr', {}, h('td', { class: 'mono' }, amount(line)), h('td', {}, before), h('td', { class: 'good' }, after)),
        ),
      ),
    ),
  );
}
