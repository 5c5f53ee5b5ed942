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

/** Returns a string with its values inserted. */
export function say(key: Key, values: Record<string, string | number> = {}): string {
  return strings[key].replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    return typeof value === 'number' ? value.toLocaleString(language) : value;
  });
}

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
