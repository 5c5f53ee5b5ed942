// The names in a zip (PKWARE's APPNOTE.TXT), from its directory at the end; the members are not read.

/** A name as it is stored. */
export interface StoredName {
  bytes: Uint8Array;
  /** The same name in UTF-8, if the archive also has that (Info-ZIP's extra field 7075). */
  known: string | null;
  /** Whether it is marked as UTF-8. */
  marked: boolean;
}

const END = 0x06054b50;
const LOCATOR = 0x07064b50;
const END64 = 0x06064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const UNICODE_PATH = 0x7075;
/** The flag that marks the name and the comment as UTF-8. */
const UTF8 = 1 << 11;
/** The most bytes of a comment at the end, with what is before it. */
const TAIL = 0xffff + 22 + 20;
/** The most bytes of a directory that are read. */
const LARGEST = 64 * 1024 * 1024;

const viewOf = async (file: Blob, from: number, to: number): Promise<DataView<ArrayBuffer>> =>
  new DataView(await file.slice(from, to).arrayBuffer());

interface Directory {
  from: number;
  size: number;
  /** The offset of the record after it, if all offsets are in that record and count from the start of the file. */
  end: number | null;
}

/** Returns where the directory is; `null` if the file is not a zip. */
async function directory(file: Blob): Promise<Directory | null> {
  const start = Math.max(0, file.size - TAIL);
  const tail = await viewOf(file, start, file.size);
  for (let at = tail.byteLength - 22; at >= 0; at -= 1) {
    if (tail.getUint32(at, true) !== END || at + 22 + tail.getUint16(at + 20, true) > tail.byteLength) continue;
    const size = tail.getUint32(at + 12, true);
    const isLong = at >= 20 && tail.getUint32(at - 20, true) === LOCATOR;
    // What is before a zip, such as a program, is not in its offsets.
    const from = start + at - size;
    if (!isLong) return { from, size, end: tail.getUint32(at + 16, true) === from ? start + at : null };
    const long = Number(tail.getBigUint64(at - 20 + 8, true));
    const end = await viewOf(file, long, long + 56);
    if (end.byteLength < 56 || end.getUint32(0, true) !== END64) return null;
    return { from: Number(end.getBigUint64(48, true)), size: Number(end.getBigUint64(40, true)), end: null };
  }
  return null;
}

/** The entry of a member in the directory: its first 46 bytes, and what follows them. */
interface Record {
  head: DataView<ArrayBuffer>;
  name: Uint8Array<ArrayBuffer>;
  extra: Uint8Array<ArrayBuffer>;
  comment: Uint8Array<ArrayBuffer>;
}

/** Returns the entries of a directory. */
async function recordsOf(file: Blob, { from, size }: Directory): Promise<Record[]> {
  const all = await file.slice(from, from + size).arrayBuffer();
  const view = new DataView(all);
  const found: Record[] = [];
  for (let at = 0; at + 46 <= all.byteLength && view.getUint32(at, true) === CENTRAL;) {
    let end = at + 46;
    const [name, extra, comment] = [28, 30, 32].map((offset) => {
      const start = end;
      end += view.getUint16(at + offset, true);
      return new Uint8Array(all.slice(start, end));
    }) as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
    found.push({ head: new DataView(all.slice(at, at + 46)), name, extra, comment });
    at = end;
  }
  return found;
}

/** Returns the names in a zip; `null` if the file is none, or is damaged. */
export async function storedNames(file: Blob): Promise<StoredName[] | null> {
  const head = await viewOf(file, 0, 4);
  const magic = head.byteLength < 4 ? 0 : head.getUint32(0, true);
  if (magic !== LOCAL && magic !== END) return null;
  const place = await directory(file);
  if (!place || place.from < 0 || place.size > LARGEST) return null;
  return (await recordsOf(file, place)).map(({ head, name, extra }) => ({
    bytes: name,
    known: unicodeName(extra, name),
    marked: (head.getUint16(8, true) & UTF8) !== 0,
  }));
}

/**
 * Returns a copy of a zip in which the members at some indices have new names, marked as UTF-8. Data is not read, but
 * taken from the file. Fails if two members would have the same name, or if the zip is of a kind that is rare: zip64,
 * with data before it, or with comments in another encoding.
 */
export async function renamed(file: Blob, names: ReadonlyMap<number, string>): Promise<Blob> {
  const place = await directory(file);
  if (place?.end == null || place.from + place.size !== place.end) throw new Error('a zip of this kind is not renamed');
  const records = await recordsOf(file, place);
  const encoded = records.map(({ name }, index) => {
    const meant = names.get(index);
    return meant === undefined ? name : new TextEncoder().encode(meant);
  });
  if (new Set(encoded.map(String)).size < records.length) throw new Error('two members would have the same name');
  const offsetOf = (index: number): number => records[index]!.head.getUint32(42, true);
  const parts: BlobPart[] = [];
  let [copied, shift] = [0, 0];
  for (const index of records.map((_, index) => index).sort((one, other) => offsetOf(one) - offsetOf(other))) {
    const { head } = records[index]!;
    const at = offsetOf(index);
    if (at < copied || at >= place.from) throw new Error('a damaged zip');
    head.setUint32(42, at + shift, true);
    if (!names.has(index)) continue;
    const local = await viewOf(file, at, at + 30);
    if (local.byteLength < 30 || local.getUint32(0, true) !== LOCAL) throw new Error('a damaged zip');
    const end = at + 30 + local.getUint16(26, true);
    const next = end + local.getUint16(28, true);
    const extra = withoutName(new Uint8Array(await file.slice(end, next).arrayBuffer()));
    mark(local, 6, 26, encoded[index]!, extra);
    parts.push(file.slice(copied, at), local, encoded[index]!, extra);
    shift += 30 + encoded[index]!.length + extra.length - (next - at);
    copied = next;
  }
  parts.push(file.slice(copied, place.from));
  let size = 0;
  for (const [index, { head, extra: old, comment }] of records.entries()) {
    const [name, isNew] = [encoded[index]!, names.has(index)];
    const extra = isNew ? withoutName(old) : old;
    if (isNew) {
      new TextDecoder('utf-8', { fatal: true }).decode(comment);
      mark(head, 8, 28, name, extra);
    }
    parts.push(head, name, extra, comment);
    size += 46 + name.length + extra.length + comment.length;
  }
  // Larger offsets need zip64.
  if (place.from + shift + size >= 0xffffffff) throw new Error('a zip of this kind is not renamed');
  const end = await viewOf(file, place.end, file.size);
  end.setUint32(12, size, true);
  end.setUint32(16, place.from + shift, true);
  return new Blob([...parts, end]);
}

/** Marks a header as UTF-8, and sets the lengths of its name and extra fields. */
function mark(head: DataView, flags: number, lengths: number, name: Uint8Array, extra: Uint8Array): void {
  head.setUint16(flags, head.getUint16(flags, true) | UTF8, true);
  head.setUint16(lengths, name.length, true);
  head.setUint16(lengths + 2, extra.length, true);
}

/** Returns the extra fields, each with its kind. */
function* fieldsOf(extra: Uint8Array<ArrayBuffer>): Generator<[number, Uint8Array<ArrayBuffer>]> {
  const view = new DataView(extra.buffer);
  for (let at = 0; at + 4 <= extra.length;) {
    const end = at + 4 + view.getUint16(at + 2, true);
    yield [view.getUint16(at, true), extra.slice(at, end)];
    at = end;
  }
}

/** Returns the extra fields without the Unicode name, which is that of the name before. */
function withoutName(extra: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const fields = [...fieldsOf(extra)].filter(([kind]) => kind !== UNICODE_PATH).map(([, field]) => [...field]);
  return new Uint8Array(fields.flat());
}

/** Returns the name of the Unicode extra field, if it belongs to these bytes. */
function unicodeName(extra: Uint8Array<ArrayBuffer>, bytes: Uint8Array): string | null {
  for (const [kind, field] of fieldsOf(extra)) {
    const isOwn = kind === UNICODE_PATH && field.length > 9 && field[4] === 1;
    if (isOwn && new DataView(field.buffer).getUint32(5, true) === checksum(bytes)) {
      return new TextDecoder().decode(field.subarray(9));
    }
  }
  return null;
}

/** Returns the CRC-32 of bytes. */
function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
