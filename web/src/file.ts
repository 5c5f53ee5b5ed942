// A file is checked where it lies.
import { type Encoding, ENCODINGS, POLICIES, type Policy } from 'utf8kit';
import { charts } from './charts.ts';
import { byId, h, options } from './dom.ts';
import { errorList } from './errors.ts';
import { heatMap } from './heat.ts';
import { counted, number, size } from './words.ts';
import type { Checked, Message, Task } from './worker.ts';

/** How many errors are kept to be listed. */
const KEEP = 1000;

export class FilePanel {
  readonly #drop = byId('drop');
  readonly #input = byId<HTMLInputElement>('file');
  readonly #encoding = byId<HTMLSelectElement>('file-encoding');
  readonly #verdict = byId('verdict');
  readonly #findings = byId('findings');
  readonly #running = byId('running');
  readonly #progress = byId<HTMLProgressElement>('progress');
  readonly #label = byId('progress-label');
  #worker: Worker | undefined;
  #file: File | undefined;
  #link = '';

  constructor() {
    options(this.#encoding, ENCODINGS.map((name) => [name, name]));
    byId('choose').addEventListener('click', () => this.#input.click());
    this.#input.addEventListener('change', () => {
      const file = this.#input.files?.[0];
      if (file) this.#check(file);
      this.#input.value = '';
    });
    this.#encoding.addEventListener('change', () => {
      if (this.#file) this.#check(this.#file);
    });
    byId('cancel').addEventListener('click', () => this.#end('Cancelled.'));
    for (const kind of ['dragenter', 'dragover', 'dragleave', 'drop']) this.#drop.addEventListener(kind, (event) => {
      event.preventDefault();
      this.#drop.classList.toggle('over', kind === 'dragenter' || kind === 'dragover');
      const file = kind === 'drop' ? (event as DragEvent).dataTransfer?.files[0] : undefined;
      if (file) this.#check(file);
    });
  }

  #check(file: File): void {
    this.#file = file;
    this.#findings.replaceChildren();
    this.#say('', null);
    this.#start({ do: 'check', file, encoding: this.#encoding.value as Encoding, keep: KEEP }, `Checking ${file.name}`);
  }

  #start(task: Task, label: string): void {
    this.#worker?.terminate();
    this.#running.hidden = false;
    this.#progress.value = 0;
    this.#label.textContent = label;
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(task, data);
    this.#worker.onerror = () => this.#end('The check could not be run.');
  }

  #end(words: string, good: boolean | null = null): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#running.hidden = true;
    this.#say(words, good);
  }

  #say(words: string, good: boolean | null): void {
    this.#verdict.textContent = words;
    this.#verdict.className = `verdict ${good === null ? '' : good ? 'good' : 'bad'}`;
  }

  #hear(task: Task, message: Message): void {
    if (message.is === 'ready') {
      this.#worker?.postMessage(task);
    } else if (message.is === 'progress') {
      this.#progress.value = message.bytes / task.file.size;
      this.#label.textContent = `${size(message.bytes)} of ${size(task.file.size)}, ${counted(message.errors, 'error')}`;
    } else if (message.is === 'checked') {
      const { errors } = message.checked.counts;
      const verdict = errors === 0 ? `is well-formed ${task.encoding}.` : `is not ${task.encoding}: ${counted(errors, 'error')}.`;
      this.#end(`${task.file.name} ${verdict}`, errors === 0);
      this.#show(task, message.checked);
    } else if (message.is === 'repaired') {
      this.#end(`${counted(message.changes, 'place')} changed; the copy has ${counted(message.blob.size, 'byte')}.`, true);
      this.#download(message.blob, task.file.name);
    } else {
      this.#end(`The file could not be read: ${message.reason}`, false);
    }
  }

  #show(task: Task, { counts, errors, histogram, occurrences, seconds }: Checked): void {
    const facts: [string, string][] = [
      ['Bytes', number(counts.bytes)], ['Code points', number(counts.codePoints)],
      ['Line feeds', number(counts.lines)], ['Errors', number(counts.errors)],
      ['Time', `${seconds.toFixed(2)} s, ${size(counts.bytes / Math.max(seconds, 0.001))} a second`],
    ];
    const list = h('dl', { class: 'facts' }, ...facts.map(([term, value]) => h('div', {}, h('dt', {}, term), h('dd', {}, value))));
    this.#findings.replaceChildren(h('section', { 'aria-label': 'Counts' }, list));
    if (counts.errors > 0) {
      this.#findings.append(
        heatMap(histogram, counts.bytes),
        this.#repairs(task),
        errorList(task.file, task.encoding, errors, counts.errors));
    }
    this.#findings.append(charts(counts, occurrences));
  }

  #repairs(task: Task): HTMLElement {
    const policy = h('select', { id: 'policy' });
    options(policy, POLICIES.filter((one) => one !== 'strict').map((one) => [one, LABELS[one]]));
    const make = (): void => {
      byId('download').replaceChildren();
      this.#start({ do: 'repair', file: task.file, encoding: task.encoding, policy: policy.value as Policy }, 'Repairing');
    };
    return h('section', { 'aria-labelledby': 'repair-title' },
      h('h2', { id: 'repair-title' }, 'Repair'),
      h('div', { class: 'row' },
        h('div', { class: 'field inline' }, h('label', { for: 'policy' }, 'Errors are'), policy),
        h('button', { type: 'button', id: 'repair', class: 'primary', onclick: make }, 'Make a repaired copy'),
        h('span', { id: 'download' })));
  }

  #download(blob: Blob, name: string): void {
    URL.revokeObjectURL(this.#link);
    this.#link = URL.createObjectURL(blob);
    const link = h('a', { href: this.#link, download: name.replace(/(\.[^.]*)?$/, '.repaired$1') }, `Save it (${size(blob.size)})`);
    byId('download').replaceChildren(link);
    link.focus();
  }
}

const LABELS: Record<Policy, string> = {
  strict: 'an end to it',
  replace: 'replaced: U+FFFD for each',
  'replace-byte': 'replaced: U+FFFD for each byte',
  'replace-run': 'replaced: U+FFFD for each run',
  java: 'replaced as Java does',
  remove: 'left out',
  escape: 'escaped as \\xHH, reversibly',
  'same-length': 'replaced by ? for each byte',
};
