// The current text: its bytes, and the positions of its items. Items are explained on demand.
import { type Encoding, explain, type Explanation, outline } from 'utf8kit';

/**
 * A code point or an error. Bytes that a lax decoder would read as one sequence are one item, although they count as
 * several errors.
 */
export interface Item {
  index: number;
  offset: number;
  len: number;
  /** The code point; `null` for an error. */
  value: number | null;
  /** The item, or for an error, all the errors it consists of. */
  parts: Explanation[];
}

export class Model {
  readonly #starts: Uint32Array;
  readonly #points: Uint32Array;
  readonly #units: Uint32Array;
  /** The number of items. */
  readonly length: number;
  readonly errors: number;
  /** The number of items that are errors. */
  readonly places: number;
  readonly codePoints: number;

  constructor(
    readonly bytes: Uint8Array,
    readonly encoding: Encoding,
  ) {
    const { offsets, flags } = outline(bytes, encoding);
    const starts = new Uint32Array(flags.length + 1);
    const points = new Uint32Array(flags.length + 1);
    const units = new Uint32Array(flags.length + 1);
    let [count, point, unit, errors, places] = [0, 0, 0, 0, 0];
    for (let at = 0; at < flags.length; at += 1) {
      const flag = flags[at]!;
      if (flag !== 5) {
        starts[count] = offsets[at]!;
        points[count] = point;
        units[count] = unit;
        count += 1;
        places += flag & 1;
      }
      errors += flag & 1;
      point += 1;
      unit += flag === 2 ? 2 : 1;
    }
    starts[count] = bytes.length;
    points[count] = point;
    units[count] = unit;
    [this.#starts, this.#points, this.#units] = [starts, points, units];
    [this.length, this.errors, this.places, this.codePoints] = [count, errors, places, flags.length - errors];
  }

  /** Returns the item at an index. */
  item(index: number): Item {
    const [offset, end] = [this.#starts[index]!, this.#starts[index + 1]!];
    const all = explain(this.bytes.subarray(offset, end + 8), this.encoding);
    const parts = all
      .filter((part) => part.offset < end - offset)
      .map((part) => ({ ...part, offset: part.offset + offset }));
    return { index, offset, len: end - offset, value: parts.length === 1 ? parts[0]!.codePoint : null, parts };
  }

  /** Returns the start of an item in bytes, code points (with each error as one) and UTF-16 code units. */
  place(index: number): { byte: number; codePoint: number; unit: number } {
    return { byte: this.#starts[index]!, codePoint: this.#points[index]!, unit: this.#units[index]! };
  }

  /** Returns the item that contains a byte. */
  at(byte: number): number {
    let [low, high] = [0, this.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= byte) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }
}
