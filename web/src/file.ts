// Files are checked in place, one after another: a row for each, and the findings of the selected one.
import { type Encoding, ENCODINGS, LEGACY, POLICIES, type Policy } from 'utf8kit';
import { charts } from './charts.ts';
import { byId, h, options } from './dom.ts';
import { dropped } from './dropped.ts';
import { errorList } from './errors.ts';
import { counted, number, size } from './format.ts';
import { heatMap } from './heat.ts';
import type { Checked, Message, Task } from './worker.ts';

/** Maximum number of errors of a file in the list. */
const KEEP = 1000;
/** Number of files checked at once. */
const MOST = 5000;

/** A file and its results. */
interface Entry {
  file: File;
  path: string;
  encoding: Encoding;
  checked: Checked | null;
  /** Its status: not started, running, good, bad, or why it failed. */
  verdict: string;
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
  #worker: Worker | undefined;
  #link = '';

  constructor(open: () => void) {
    options(this.#encoding, ENCODINGS.map((name) => [name, name]));
    for (const [button, input] of [['choose', 'file'], ['choose-folder', 'folder']] as const) {
      const field = byId<HTMLInputElement>(input);
      byId(button).addEventListener('click', () => field.click());
      field.addEventListener('change', () => {
        void this.#take(Array.from(field.files ?? [], (file) => ({ file, path: file.webkitRelativePath || file.name })));
        field.value = '';
      });
    }
    this.#encoding.addEventListener('change', () => void this.#checkAll(this.#entries));
    byId('cancel').addEventListener('click', () => this.#cancel());
    this.#dropping(open);
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
    addEventListener('dragleave', (event) => { if (event.relatedTarget === null) veil.hidden = true; });
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
    this.#entries = files.slice(0, MOST).map(({ file, path }) => ({ file, path, encoding, checked: null, verdict: 'waiting', good: null }));
    await this.#checkAll(this.#entries, files.length);
  }

  async #checkAll(entries: Entry[], of = entries.length): Promise<void> {
    const encoding = this.#encoding.value as Encoding;
    this.#findings.replaceChildren();
    this.#chosen = null;
    for (const entry of entries) Object.assign(entry, { encoding, checked: null, verdict: 'waiting', good: null });
    this.#list();
    for (const entry of entries) {
      if (this.#entries !== entries || entry.encoding !== encoding) return;
      if (!await this.#check(entry)) return;
    }
    if (entries.length < 2) return;
    const bad = entries.filter(({ good }) => good === false).length;
    const rest = of > entries.length ? ` Only the first ${number(entries.length)} of ${number(of)} were checked.` : '';
    this.#say(`${bad === 0 ? `All ${number(entries.length)} files are` : `${number(bad)} of ${number(entries.length)} files are not`} well-formed ${encoding}.${rest}`, bad === 0);
  }

  /** Checks a file; returns whether the check was completed. */
  async #check(entry: Entry): Promise<boolean> {
    entry.verdict = 'checking';
    this.#list();
    const answer = await this.#run({ do: 'check', file: entry.file, encoding: entry.encoding, keep: KEEP }, `Checking ${entry.path}`);
    if (!answer) {
      Object.assign(entry, { verdict: 'cancelled', good: null });
      this.#list();
      return false;
    }
    if (answer.is === 'checked') {
      const { errors } = answer.checked.counts;
      const verdict = errors === 0 ? `is well-formed ${entry.encoding}.` : `is not ${entry.encoding}: ${counted(errors, 'error')}.`;
      Object.assign(entry, { checked: answer.checked, verdict: errors === 0 ? 'well-formed' : counted(errors, 'error'), good: errors === 0 });
      this.#say(`${entry.path} ${verdict}`, errors === 0);
    } else if (answer.is === 'failed') {
      Object.assign(entry, { verdict: 'not read', good: false });
      this.#say(`${entry.path} could not be read: ${answer.reason}`, false);
    }
    this.#list();
    if (entry.checked && this.#entries.length === 1) this.#choose(entry);
    return true;
  }

  /** Runs a task in a worker; `null` if it is cancelled. */
  #run(task: Task, label: string): Promise<Message | null> {
    // The offer to save an earlier copy is removed with its message.
    this.#say('', null);
    this.#worker?.terminate();
    this.#running.hidden = false;
    this.#progress.value = 0;
    this.#label.textContent = label;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    return new Promise((done) => {
      const end = (message: Message | null): void => {
        worker.terminate();
        if (this.#worker === worker) {
          this.#worker = undefined;
          this.#running.hidden = true;
        }
        done(message);
      };
      worker.onmessage = ({ data }: MessageEvent<Message>) => {
        if (data.is === 'ready') worker.postMessage(task);
        else if (data.is === 'progress') {
          this.#progress.value = data.bytes / Math.max(1, task.file.size);
          this.#label.textContent = `${size(data.bytes)} of ${size(task.file.size)}, ${counted(data.errors, 'error')}`;
        } else end(data);
      };
      worker.onerror = () => end({ is: 'failed', reason: 'the worker could not be started' });
      this.#cancelled = () => end(null);
    });
  }

  #cancelled: () => void = () => undefined;

  #cancel(): void {
    this.#cancelled();
    this.#say('Cancelled.', null);
  }

  #say(words: string, good: boolean | null): void {
    this.#verdict.textContent = words;
    this.#verdict.className = `verdict ${good === null ? '' : good ? 'good' : 'bad'}`;
  }

  /** Shows the rows, if there is more than one file, and the offer to check as another encoding. */
  #list(): void {
    const several = this.#entries.length > 1;
    const offers = (entry: Entry): HTMLElement | null => this.#offer(entry);
    if (!several) return void this.#listing.replaceChildren(...this.#entries.flatMap((entry) => offers(entry) ?? []));
    this.#listing.replaceChildren(h('div', { class: 'scroll tall', tabindex: 0, role: 'group', 'aria-label': 'Files' }, h('table', { class: 'files' },
      h('thead', {}, h('tr', {}, ...['File', 'Size', 'Verdict', ''].map((title) => h('th', { scope: 'col' }, title)))),
      h('tbody', {}, ...this.#entries.map((entry) => h('tr', { class: entry === this.#chosen ? 'current' : null },
        h('th', { scope: 'row' }, entry.checked ? h('button', { type: 'button', class: 'plain', onclick: () => this.#choose(entry) }, entry.path) : entry.path),
        h('td', { class: 'nowrap' }, size(entry.file.size)),
        h('td', { class: entry.good === null ? 'soft' : entry.good ? 'good' : 'bad' }, entry.verdict),
        h('td', {}, offers(entry))))))));
  }

  /** Shows the library's guess at the encoding, with a button to check again with it. */
  #offer(entry: Entry): HTMLElement | null {
    const guess = entry.checked?.guess;
    if (!guess?.encoding) return null;
    const name = guess.encoding;
    const sure = { certain: 'It is', likely: 'It is probably', possible: 'It may be' }[guess.confidence];
    const own = ENCODINGS.includes(name as Encoding);
    const button = own
      ? h('button', { type: 'button', class: 'primary', onclick: () => void this.#again(entry, name as Encoding) }, `Check as ${name}`)
      : LEGACY.includes(name) ? h('button', { type: 'button', class: 'primary', onclick: () => void this.#convert(entry, name) }, `Check as ${name}, and make it UTF-8`) : null;
    return h('div', { class: 'guess' }, h('p', {}, h('b', {}, `${sure} ${name}: `), `${guess.evidence.slice(0, 2).join('; ')}.`), button, h('span', { class: 'download' }));
  }

  async #again(entry: Entry, encoding: Encoding): Promise<void> {
    Object.assign(entry, { encoding, checked: null });
    if (this.#entries.length === 1) this.#encoding.value = encoding;
    if (await this.#check(entry) && entry.checked) this.#choose(entry);
  }

  async #convert(entry: Entry, label: string): Promise<void> {
    const answer = await this.#run({ do: 'to-utf-8', file: entry.file, label }, `Reading ${entry.path} as ${label}`);
    if (answer?.is === 'failed') return this.#say(`${entry.path} could not be read: ${answer.reason}`, false);
    if (answer?.is !== 'copied') return;
    const bad = answer.changes > 0;
    this.#say(`${entry.path} ${bad ? `is not ${label}: ${counted(answer.changes, 'error')}` : `is well-formed ${label}`}; in UTF-8 it has ${counted(answer.blob.size, 'byte')}.`, !bad);
    this.#download(answer.blob, entry.file.name, 'utf-8');
  }

  #choose(entry: Entry): void {
    this.#chosen = entry;
    if (this.#entries.length > 1) this.#list();
    const { counts, errors, histogram, occurrences, seconds } = entry.checked!;
    const facts: [string, string][] = [
      ['Bytes', number(counts.bytes)], ['Code points', number(counts.codePoints)], ['Line feeds', number(counts.lines)], ['Errors', number(counts.errors)],
      ['Time', `${seconds.toFixed(2)} s, ${size(counts.bytes / Math.max(seconds, 0.001))} a second`],
    ];
    const list = h('dl', { class: 'facts' }, ...facts.map(([term, value]) => h('div', {}, h('dt', {}, term), h('dd', {}, value))));
    const title = this.#entries.length > 1 ? h('h2', {}, entry.path) : null;
    this.#findings.replaceChildren(h('section', { 'aria-label': 'Counts' }, title, list));
    if (counts.errors > 0) {
      this.#findings.append(heatMap(histogram, counts.bytes), this.#repairs(entry), errorList(entry.file, entry.encoding, errors, counts.errors));
    }
    this.#findings.append(charts(counts, occurrences));
  }

  #repairs(entry: Entry): HTMLElement {
    const policy = h('select', { id: 'policy' });
    options(policy, POLICIES.filter((one) => one !== 'strict').map((one) => [one, POLICY_LABELS[one]]));
    const make = async (): Promise<void> => {
      const answer = await this.#run({ do: 'repair', file: entry.file, encoding: entry.encoding, policy: policy.value as Policy }, 'Repairing');
      if (answer?.is === 'failed') return this.#say(`${entry.path} could not be read: ${answer.reason}`, false);
      if (answer?.is !== 'copied') return;
      this.#say(`${counted(answer.changes, 'place')} changed; the copy has ${counted(answer.blob.size, 'byte')}.`, true);
      this.#download(answer.blob, entry.file.name, 'repaired');
    };
    return h('section', { 'aria-labelledby': 'repair-title' },
      h('h2', { id: 'repair-title' }, 'Repair'),
      h('div', { class: 'tools' },
        h('div', { class: 'field inline' }, h('label', { for: 'policy' }, 'Errors are'), policy),
        h('button', { type: 'button', id: 'repair', class: 'primary', onclick: () => void make() }, 'Make a repaired copy')));
  }

  #download(blob: Blob, name: string, what: string): void {
    URL.revokeObjectURL(this.#link);
    this.#link = URL.createObjectURL(blob);
    const link = h('a', { href: this.#link, download: name.replace(/(\.[^.]*)?$/, `.${what}$1`) }, `Save it (${size(blob.size)})`);
    this.#verdict.append(' ', link);
    link.focus();
  }
}

const POLICY_LABELS: Record<Policy, string> = {
  strict: 'an end to it',
  replace: 'replaced: U+FFFD for each',
  'replace-byte': 'replaced: U+FFFD for each byte',
  'replace-run': 'replaced: U+FFFD for each run',
  java: 'replaced as Java does',
  remove: 'left out',
  escape: 'escaped as \\xHH, reversibly',
  'same-length': 'replaced by ? for each byte',
};
