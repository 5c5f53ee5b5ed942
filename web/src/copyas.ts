// The text as a literal in other languages.
import { explain } from 'utf8kit';
import { byId, copy, h } from './dom.ts';
import { hex } from './format.ts';
import type { Model } from './model.ts';

/** The length of the longest text that is written out. */
const LONGEST = 65_536;

/** Writes a text: printable ASCII unchanged, other characters with `point`, and invalid bytes with `byte`. */
function quoted(
  model: Model,
  quote: string,
  point: (value: number) => string,
  byte: (value: number) => string,
  special: Record<string, string> = {},
): string {
  const known: Record<string, string> = {
    '\\': '\\\\',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    [quote]: `\\${quote}`,
    ...special,
  };
  let out = '';
  for (const item of explain(model.bytes, model.encoding)) {
    const value = item.codePoint;
    if (value === null || value > 0x10ffff) out += item.bytes.map((one) => byte(one.value)).join('');
    else if (value > 0x7f || value < 0x20 || value === 0x7f) out += known[String.fromCodePoint(value)] ?? point(value);
    else out += known[String.fromCharCode(value)] ?? String.fromCharCode(value);
  }
  return quote + out + quote;
}

const digits = (value: number, width: number): string => value.toString(16).toUpperCase().padStart(width, '0');
const pairs = (value: number): string =>
  value > 0xffff
    ? `\\u${digits(0xd800 + ((value - 0x10000) >> 10), 4)}\\u${digits(0xdc00 + ((value - 0x10000) & 0x3ff), 4)}`
    : `\\u${digits(value, 4)}`;
/** Shows each byte, with something between them. */
const each = (model: Model, show: (byte: number) => string, between = ''): string =>
  Array.from(model.bytes, (byte) => show(byte)).join(between);
const list = (model: Model): string => each(model, (byte) => `0x${hex(byte)}`, ', ');
const broken = (model: Model): boolean =>
  model.errors > 0 ||
  explain(model.bytes, model.encoding).some(
    (item) => (item.codePoint ?? 0) > 0x10ffff || ((item.codePoint ?? 0) & 0x1ff800) === 0xd800,
  );

/**
 * The languages and their literals; `null` if a language cannot express the text. A literal contains bytes if possible,
 * otherwise characters.
 */
export const FORMS: [name: string, (model: Model) => string | null][] = [
  ['C', (model) => `"${Array.from(model.bytes, (byte, at) => cByte(byte, model.bytes[at - 1])).join('')}"`],
  [
    'Rust',
    (model) =>
      broken(model)
        ? `b"${each(model, (byte) => asciiOr(byte, '"', (one) => `\\x${hex(one)}`))}"`
        : quoted(
            model,
            '"',
            (value) => `\\u{${digits(value, 1)}}`,
            () => '',
          ),
  ],
  [
    'Python',
    (model) =>
      broken(model)
        ? `b"${each(model, (byte) => asciiOr(byte, '"', (one) => `\\x${hex(one).toLowerCase()}`))}"`
        : quoted(
            model,
            '"',
            (value) => (value > 0xffff ? `\\U${digits(value, 8)}` : `\\u${digits(value, 4)}`),
            () => '',
          ),
  ],
  [
    'JavaScript',
    (model) =>
      broken(model)
        ? `Uint8Array.of(${list(model)})`
        : quoted(
            model,
            "'",
            (value) => (value > 0xffff ? `\\u{${digits(value, 1)}}` : `\\u${digits(value, 4)}`),
            () => '',
          ),
  ],
  ['Go', (model) => `"${each(model, (byte) => asciiOr(byte, '"', (one) => `\\x${hex(one)}`))}"`],
  [
    'Java',
    (model) =>
      broken(model)
        ? `new byte[] { ${each(model, (byte) => `${byte > 127 ? '(byte) ' : ''}0x${hex(byte)}`, ', ')} }`
        : quoted(model, '"', pairs, () => ''),
  ],
  [
    'CSS',
    (model) =>
      broken(model)
        ? null
        : quoted(
            model,
            '"',
            (value) => `\\${digits(value, 1)} `,
            () => '',
            { '\n': '\\A ', '\r': '\\D ', '\t': '\\9 ' },
          ),
  ],
  [
    'SQL',
    (model) =>
      broken(model) ? `X'${Array.from(model.bytes, hex).join('')}'` : `'${text(model).replaceAll("'", "''")}'`,
  ],
  [
    'Percent',
    (model) =>
      Array.from(model.bytes, (byte) =>
        /[\w.~-]/.test(String.fromCharCode(byte)) && byte < 128 ? String.fromCharCode(byte) : `%${hex(byte)}`,
      ).join(''),
  ],
  [
    'HTML',
    (model) =>
      broken(model)
        ? null
        : Array.from(
            text(model),
            (one) =>
              ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[one] ??
              (one > '\x7e' ? `&#x${digits(one.codePointAt(0)!, 1)};` : one),
          ).join(''),
  ],
  ['\\x', (model) => Array.from(model.bytes, (byte) => `\\x${hex(byte)}`).join('')],
  ['Hex', (model) => Array.from(model.bytes, hex).join(' ')],
  ['Base64', (model) => btoa(Array.from(model.bytes, (byte) => String.fromCharCode(byte)).join(''))],
];

function text(model: Model): string {
  return explain(model.bytes, model.encoding)
    .map((item) => String.fromCodePoint(item.codePoint!))
    .join('');
}

function asciiOr(byte: number, quote: string, other: (byte: number) => string): string {
  const known: Record<number, string> = {
    0x5c: '\\\\',
    0x0a: '\\n',
    0x0d: '\\r',
    0x09: '\\t',
    [quote.charCodeAt(0)]: `\\${quote}`,
  };
  return known[byte] ?? (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : other(byte));
}

/** C's \x takes all following hexadecimal digits, so a digit after it begins a new literal. */
function cByte(byte: number, before: number | undefined): string {
  const written = asciiOr(byte, '"', (one) => `\\x${hex(one)}`);
  const escaped = before !== undefined && (before >= 0x7f || (before < 0x20 && ![9, 10, 13].includes(before)));
  return escaped && /^[0-9a-f]$/i.test(written) ? `" "${written}` : written;
}

/** The buttons, each with the text that it copies. */
export function drawCopies(model: Model): void {
  const region = byId('copies');
  if (model.bytes.length === 0 || model.bytes.length > LONGEST) {
    region.replaceChildren(
      h('p', { class: 'hint' }, model.bytes.length === 0 ? 'Nothing to copy yet.' : 'Too long to be written out.'),
    );
    return;
  }
  region.replaceChildren(
    ...FORMS.map(([name, write]) => {
      const written = write(model);
      const button = h(
        'button',
        { type: 'button', disabled: written === null, onclick: () => void copied() },
        `Copy as ${name}`,
      );
      const copied = async (): Promise<void> => {
        button.textContent = (await copy(written!)) ? 'Copied' : 'Not allowed';
        setTimeout(() => {
          button.textContent = `Copy as ${name}`;
        }, 1200);
      };
      return h(
        'div',
        { class: 'copy' },
        button,
        h(
          'code',
          {},
          written === null ? 'cannot hold these bytes' : written.length > 60 ? `${written.slice(0, 60)}…` : written,
        ),
      );
    }),
  );
}
