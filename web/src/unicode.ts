// Unicode's data about code points, loaded on first use (see ../tools/unicode.mjs).

interface Ranges {
  values: string[];
  flat: number[];
}

interface Data {
  version: string;
  names: string;
  rules: [first: number, last: number, prefix: string][];
  aliases: Record<string, Partial<Record<'control' | 'abbreviation' | 'correction' | 'alternate' | 'figment', string>>>;
  blocks: Ranges;
  scripts: Ranges;
  ages: Ranges;
  categories: Ranges;
}

const CATEGORIES: Record<string, string> = {
  Lu: 'uppercase letter',
  Ll: 'lowercase letter',
  Lt: 'titlecase letter',
  Lm: 'modifier letter',
  Lo: 'letter',
  Mn: 'nonspacing mark',
  Mc: 'spacing mark',
  Me: 'enclosing mark',
  Nd: 'decimal digit',
  Nl: 'letter number',
  No: 'number',
  Pc: 'connector',
  Pd: 'dash',
  Ps: 'opening punctuation',
  Pe: 'closing punctuation',
  Pi: 'initial quote',
  Pf: 'final quote',
  Po: 'punctuation',
  Sm: 'math symbol',
  Sc: 'currency symbol',
  Sk: 'modifier symbol',
  So: 'symbol',
  Zs: 'space',
  Zl: 'line separator',
  Zp: 'paragraph separator',
  Cc: 'control',
  Cf: 'format character',
  Cs: 'surrogate',
  Co: 'private use',
  Cn: 'unassigned',
};

export interface Facts {
  name: string;
  abbreviation: string | null;
  block: string;
  script: string;
  category: string;
  age: string;
}

export class Unicode {
  readonly #names = new Map<number, string>();

  private constructor(private readonly data: Data) {
    let value = -1;
    for (const line of data.names.split('\n')) {
      const [gap, name] = line.includes(';') ? (line.split(';') as [string, string]) : ['1', line];
      value += Number.parseInt(gap, 36);
      this.#names.set(value, name);
    }
  }

  static async load(): Promise<Unicode> {
    const response = await fetch(new URL('./unicode.bin', document.baseURI));
    if (!response.ok) throw new Error(`the names: ${response.status}`);
    const unpacked = new Response(response.body!.pipeThrough(new DecompressionStream('gzip')));
    return new Unicode((await unpacked.json()) as Data);
  }

  /** The name, or a label if there is none (The Unicode Standard, 4.8). */
  name(value: number): string {
    const alias = this.data.aliases[value];
    const rule = this.data.rules.find(([first, last]) => value >= first && value <= last);
    const named = alias?.correction ?? alias?.control ?? alias?.figment ?? this.#names.get(value);
    if (named) return named;
    if (rule) return `${rule[2]}${value.toString(16).toUpperCase()}`;
    if (value >= 0xac00 && value <= 0xd7a3) return `HANGUL SYLLABLE ${syllable(value - 0xac00)}`;
    const category = value > 0x10ffff ? 'beyond Unicode' : at(this.data.categories, value);
    const label =
      (value & 0xfffe) === 0xfffe || (value >= 0xfdd0 && value <= 0xfdef)
        ? 'noncharacter'
        : (CATEGORIES[category ?? 'Cn'] ?? category);
    return `<${label}>`;
  }

  /** Returns the data of a code point; `null` beyond Unicode. */
  facts(value: number): Facts | null {
    if (value > 0x10ffff) return null;
    const { blocks, scripts, ages, categories, aliases } = this.data;
    const category = at(categories, value) ?? 'Cn';
    return {
      name: this.name(value),
      abbreviation: aliases[value]?.abbreviation ?? null,
      block: at(blocks, value) ?? 'no block',
      script: at(scripts, value) ?? 'Unknown',
      category: `${CATEGORIES[category] ?? category} (${category})`,
      age: at(ages, value) ?? 'not assigned',
    };
  }

  /** Finds code points by number (`U+20AC`, `20AC`), as themselves, or by words of their names. */
  search(query: string, limit: number): number[] {
    const wanted = query.trim();
    if (!wanted) return [];
    const found: number[] = [];
    if ([...wanted].length === 1) found.push(wanted.codePointAt(0)!);
    const number = /^(?:u\+|0x)?([0-9a-f]{2,6})$/i.exec(wanted);
    if (number && Number.parseInt(number[1]!, 16) <= 0x10ffff) found.push(Number.parseInt(number[1]!, 16));
    const words = wanted.toUpperCase().split(/[\s_]+/);
    const scored: [number, number][] = [];
    const weigh = (value: number, name: string): void => {
      if (!words.every((word) => name.includes(word))) return;
      const parts = name.split(/[ -]/);
      scored.push([value, words.filter((word) => parts.includes(word)).length * 100 - parts.length]);
    };
    for (const [value, name] of this.#names) weigh(value, name);
    for (const [value, alias] of Object.entries(this.data.aliases))
      weigh(Number(value), Object.values(alias).join(' '));
    scored.sort(([a, x], [b, y]) => y - x || a - b);
    return [...new Set([...found, ...scored.map(([value]) => value)])].slice(0, limit);
  }
}

function at({ values, flat }: Ranges, value: number): string | null {
  let end = 0;
  for (let index = 0; index < flat.length; index += 3) {
    const first = end + flat[index]!;
    end = first + flat[index + 1]!;
    if (value < first) return null;
    if (value < end) return values[flat[index + 2]!]!;
  }
  return null;
}

const INITIAL = 'G GG N D DD R M B BB S SS  J JJ C K T P H'.split(' ');
const MIDDLE = 'A AE YA YAE EO E YEO YE O WA WAE OE YO U WEO WE WI YU EU YI I'.split(' ');
const FINAL = ' G GG GS N NJ NH D L LG LM LB LS LT LP LH M B BS S SS NG J C K T P H'.split(' ');
const syllable = (index: number): string =>
  `${INITIAL[Math.floor(index / 588)]}${MIDDLE[Math.floor(index / 28) % 21]}${FINAL[index % 28]}`;
