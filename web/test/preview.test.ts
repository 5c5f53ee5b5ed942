// The lines that are shown before and after a repair.
import { expect, test } from 'vitest';
import { Repairer } from 'utf8kit';
import { changedLines } from '../src/preview.ts';

function lines(text: Uint8Array): unknown[] {
  using repairer = new Repairer('fallback=windows-1252');
  repairer.push(text);
  repairer.finish();
  return changedLines(text, repairer.firstChanges());
}

test('all changes of a line are shown together', () => {
  const bytes = Buffer.from('plain\nGrüße aus Köln\n\nÄ', 'latin1');
  expect(lines(bytes)).toEqual([
    { number: 2, before: 'Gr\ufffd\ufffde aus K\ufffdln', after: 'Grüße aus Köln' },
    { number: 4, before: '\ufffd', after: 'Ä' },
  ]);
});

test('a long line is shown around its first change', () => {
  const [line] = lines(Buffer.from(`${'a'.repeat(1000)}é${'b'.repeat(1000)}`, 'latin1')) as { after: string }[];
  expect(line!.after).toContain('aéb');
  expect(line!.after.length).toBeLessThan(400);
});
