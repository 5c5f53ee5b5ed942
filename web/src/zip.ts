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
const UNICODE_PATH = 0x7075;
/** The flag that marks the name and the comment as UTF-8. */
const UTF8 = 1 << 11;
/** The most bytes of a comment at the end, with what is before it. */
const TAIL = 0xffff + 22 + 20;
/** The most bytes of a directory that are read. */
const LARGEST = 64 * 1024 * 1024;

const viewOf = async (file: Blob, from: number, to: number): Promise<DataView> =>
  new DataView(await file.slice(from, to).arrayBuffer());

/** Returns where the directory is; `null` if the file is not a zip. */
async function directory(file: Blob): Promise<{ from: number; size: number } | null> {
  const start = Math.max(0, file.size - TAIL);
  const tail = await viewOf(file, start, file.size);
  for (let at = tail.byteLength - 22; at >= 0; at -= 1) {
    if (tail.getUint32(at, true) !== END || at + 22 + tail.getUint16(at + 20, true) > tail.byteLength) continue;
    const size = tail.getUint32(at + 12, true);
    const isLong = at >= 20 && tail.getUint32(at - 20, true) === LOCATOR;
    // What is before a zip, such as a program, is not in its offsets.
    if (!isLong) return { from: start + at - size, size };
    const long = Number(tail.getBigUint64(at - 20 + 8, true));
    const end = await viewOf(file, long, long + 56);
    if (end.byteLength < 56 || end.getUint32(0, true) !== END64) return null;
    return { from: Number(end.getBigUint64(48, true)), size: Number(end.getBigUint64(40, true)) };
  }
  return null;
}

/** Returns the names in a zip; `null` if the file is none, or is damaged. */
export async function storedNames(file: Blob): Promise<StoredName[] | null> {
  const head = await viewOf(file, 0, 4);
  const magic = head.byteLength < 4 ? 0 : head.getUint32(0, true);
  if (magic !== 0x04034b50 && magic !== END) return null;
  const place = await directory(file);
  if (!place || place.from < 0 || place.size > LARGEST) return null;
  const view = await viewOf(file, place.from, place.from + place.size);
  const all = new Uint8Array(view.buffer);
  const found: StoredName[] = [];
  for (let at = 0; at + 46 <= all.length && view.getUint32(at, true) === CENTRAL;) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true)) as [
      number,
      number,
      number,
    ];
    const bytes = all.slice(at + 46, at + 46 + name);
    const fields = all.subarray(at + 46 + name, at + 46 + name + extra);
    found.push({ bytes, known: unicodeName(fields, bytes), marked: (view.getUint16(at + 8, true) & UTF8) !== 0 });
    at += 46 + name + extra + comment;
  }
  return found;
}

/** Returns the name of the Unicode extra field, if it belongs to these bytes. */
function unicodeName(fields: Uint8Array, bytes: Uint8Array): string | null {
  const view = new DataView(fields.buffer, fields.byteOffset, fields.byteLength);
  for (let at = 0; at + 4 <= fields.length;) {
    const [kind, len] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
    const isOwn = kind === UNICODE_PATH && len > 5 && at + 4 + len <= fields.length;
    if (isOwn && fields[at + 4] === 1 && view.getUint32(at + 5, true) === checksum(bytes)) {
      return new TextDecoder().decode(fields.subarray(at + 9, at + 4 + len));
    }
    at += 4 + len;
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
