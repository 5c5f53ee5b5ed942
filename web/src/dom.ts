// Helpers that create elements.

export type Child = Node | string | null | undefined | false;
type Properties = Record<string, string | number | boolean | ((event: never) => void) | null | undefined>;

/** Creates an element with attributes, listeners (`onclick`) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true && !name.startsWith('aria-')) element.setAttribute(name, '');
    else if (value != null && (value !== false || name.startsWith('aria-'))) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child != null && child !== false));
  return element;
}

/** Returns the element of the page with an id. */
export function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element as T;
}

/** Fills a select element. */
export function options(select: HTMLSelectElement, all: readonly (readonly [value: string, label: string])[]): void {
  select.replaceChildren(...all.map(([value, label]) => h('option', { value }, label)));
}

/** Marks a tab of a list as the selected one. */
export function select(list: HTMLElement, value: string): void {
  for (const tab of list.querySelectorAll<HTMLElement>('[role="tab"]')) {
    tab.setAttribute('aria-selected', String(tab.dataset.value === value));
    tab.tabIndex = tab.dataset.value === value ? 0 : -1;
  }
}

/** Creates a list of tabs. Arrow keys, Home and End move through them, and choosing one calls `choose`. */
export function tabs(list: HTMLElement, choose: (value: string) => void): void {
  const all = (): HTMLElement[] => Array.from(list.querySelectorAll<HTMLElement>('[role="tab"]'));
  const take = (tab: HTMLElement, focus: boolean): void => {
    select(list, tab.dataset.value!);
    if (focus) tab.focus();
    choose(tab.dataset.value!);
  };
  list.addEventListener('click', (event) => {
    const tab = (event.target as HTMLElement).closest<HTMLElement>('[role="tab"]');
    if (tab) take(tab, false);
  });
  list.addEventListener('keydown', (event) => {
    const every = all();
    const at = every.indexOf(event.target as HTMLElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: every.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    take(every[(to + every.length) % every.length]!, true);
  });
}

/** Copies text to the clipboard; returns whether it worked. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
