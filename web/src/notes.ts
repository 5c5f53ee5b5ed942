// The library's notes on a text in the reader's language. Each note of the library has a pattern here, and a test gives
// the library texts with every note.
import { nameOf } from './meant.ts';
import { type Key, say } from './strings.ts';

const NOTES: readonly (readonly [pattern: RegExp, key: Key])[] = [
  [/^a dBase table, whose texts read as (?<name>.*): leave/, 'note_dbase'],
  [/^its leader says UTF-8, but it is not$/, 'note_not_utf8'],
  [/^its .* says (?<name>\S+), but it is UTF-8$/, 'note_is_utf8'],
  [/^text in it was (?<meant>\S+), read as (?<read>\S+)$/, 'note_misread'],
  [/^text within its escapes was (?<meant>\S+), read as (?<read>\S+)$/, 'note_escaped'],
  [/^contains names of mail folders/, 'note_folders'],
  [/^contains bytes of UTF-8 written as escapes/, 'note_bytes'],
  [/^text is lost in .*: U\+FFFD was read as (?<name>.*)$/, 'note_lost'],
  [/^characters whose bytes stand apart$/, 'note_join'],
  [/^text that is or was UTF-16 or UTF-32$/, 'note_utf16'],
  [/^controls that are signs of windows-1252$/, 'note_signs'],
  [/^byte order marks within it$/, 'note_marks'],
  [/^NULs$/, 'note_nuls'],
  [/^escapes of quoted-printable$/, 'note_quoted'],
];

/** Returns a note in the reader's language, or the library's words if it is not known. */
export function noteOf(note: string): string {
  for (const [pattern, key] of NOTES) {
    const found = pattern.exec(note);
    if (!found) continue;
    const named = (value: string): string =>
      value
        .split(' or ')
        .map((name) => nameOf(name.toLowerCase()))
        .join(', ');
    const names = Object.entries(found.groups ?? {}).map(([name, value]) => [name, named(value)] as const);
    return say(key, Object.fromEntries(names));
  }
  return `${note}.`;
}
