// The little that is needed to make elements.

type Child = Node | string | null | undefined;
type Properties = Record<string, string | number | boolean | ((event: Event) => void) | null | undefined>;

/** An element with attributes, listeners (`onclick`) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Properties = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/** The element of an id of the page. */
export function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element as T;
}

/** Fills a select. */
export function options(select: HTMLSelectElement, all: readonly (readonly [value: string, label: string])[]): void {
  select.replaceChildren(...all.map(([value, label]) => h('option', { value }, label)));
}
