// Compares two versions of a file: shows the damage of the new one, and restores it.
import type { Damage } from 'utf8kit/document';
import { byId, h } from './dom.ts';
import { amount, say } from './strings.ts';

const SHOWN = 200;

/** Compares the chosen versions as soon as there are two; `compare` works, and `save` offers the restored file. */
export function versions(
  compare: (old: File, changed: File) => Promise<{ damage: Damage[]; restored: Blob } | null>,
  save: (blob: Blob, name: string) => void,
): void {
  const [old, changed] = ['old-version', 'new-version'].map((id) => byId<HTMLInputElement>(id)) as [
    HTMLInputElement,
    HTMLInputElement,
  ];
  const found = byId('damages');
  const work = async (): Promise<void> => {
    const [before, after] = [old.files?.[0], changed.files?.[0]];
    if (!before || !after) return;
    const answer = await compare(before, after);
    if (!answer) return;
    const { damage, restored } = answer;
    const rows = damage
      .slice(0, SHOWN)
      .map(({ line, column, kind, doubtful }) =>
        h(
          'tr',
          {},
          h('td', {}, `${amount(line)}:${amount(column)}`),
          h('td', {}, say(`damage_${kind}`)),
          h('td', {}, doubtful ? say('unsure') : ''),
        ),
      );
    const button = h(
      'button',
      { type: 'button', class: 'primary', onclick: () => save(restored, after.name) },
      say('restore'),
    );
    found.replaceChildren(
      h('p', { role: 'status' }, damage.length > 0 ? say('damage', { count: damage.length }) : say('no_damage')),
      ...(damage.length > 0
        ? [
            button,
            h(
              'div',
              { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': say('versions') },
              h('table', {}, h('tbody', {}, ...rows)),
            ),
          ]
        : []),
    );
  };
  for (const input of [old, changed]) input.addEventListener('change', () => void work());
}
