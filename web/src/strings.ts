// The page's strings outside the lesson, in the reader's language: one file per language.
import { byId } from './dom.ts';
import en from './strings/en.json';

export type Key = keyof typeof en;

/** The languages, by their own names. */
const LANGUAGES: Record<string, string> = {
  en: 'English',
  ar: 'العربية',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  ja: '日本語',
  ru: 'Русский',
  uk: 'Українська',
  zh: '中文',
};

const others = import.meta.glob<Record<Key, string>>(['./strings/*.json', '!./strings/en.json'], { import: 'default' });
let language = 'en';
let strings: Record<Key, string> = en;

type Values = Record<string, string | number>;

/** Returns a string in a language, such as `say`. */
export type Say = (key: Key, values?: Values) => string;

const inserted = (text: string, values: Values, tag: string): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    return typeof value === 'number' ? value.toLocaleString(tag) : value;
  });

/** Returns a string with its values inserted. */
export const say: Say = (key, values = {}) => inserted(strings[key], values, language);

/** Returns a string in English, the language of the lesson. */
export const sayInEnglish: Say = (key, values = {}) => inserted(en[key], values, 'en');

/** Formats a number. */
export const amount = (value: number, digits = 0): string =>
  value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Formats a number of bytes, with the noun. */
export const byteCount = (value: number): string =>
  value.toLocaleString(language, { style: 'unit', unit: 'byte', unitDisplay: 'long' });

/** Formats a size. */
export function size(bytes: number): string {
  if (bytes < 1024) return byteCount(bytes);
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), 4);
  return `${amount(bytes / 1024 ** power, 1)} ${['', 'KiB', 'MiB', 'GiB', 'TiB'][power]}`;
}

/** Returns the name of a script by its code of four letters. */
export const scriptName = (code: string): string =>
  new Intl.DisplayNames(language, { type: 'script' }).of(code) ?? code;

/** Returns the chosen language, or the first available one of the reader's. */
function wanted(): string {
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem('language');
  } catch {
    // Storage may be forbidden.
  }
  const all = [chosen, ...navigator.languages].map((tag) => tag?.split('-')[0] ?? '');
  return all.find((tag) => tag in LANGUAGES) ?? 'en';
}

async function speak(tag: string): Promise<void> {
  strings = tag === 'en' ? en : await others[`./strings/${tag}.json`]!();
  language = tag;
  Object.assign(document.documentElement, { lang: tag, dir: tag === 'ar' ? 'rtl' : 'ltr' });
  for (const element of document.querySelectorAll<HTMLElement>('[data-say]'))
    element.textContent = say(element.dataset.say as Key);
  document.title = `${say('title')} · utf8kit`;
  for (const element of document.querySelectorAll<HTMLElement>('[data-label]'))
    element.setAttribute('aria-label', say(element.dataset.label as Key));
}

/** Shows the page in the reader's language, and in any language chosen later. Calls `changed` then. */
export async function speakLanguages(changed: () => void): Promise<void> {
  const list = byId<HTMLSelectElement>('language');
  list.replaceChildren(
    ...Object.entries(LANGUAGES).map(([tag, name]) => Object.assign(new Option(name, tag), { lang: tag })),
  );
  list.addEventListener('change', () => {
    try {
      localStorage.setItem('language', list.value);
    } catch {
      // The choice applies only to this visit.
    }
    void speak(list.value).then(changed);
  });
  await speak((list.value = wanted())).catch(() => speak((list.value = 'en')));
}
