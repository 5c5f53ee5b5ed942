// Makes zips of empty files, for tests.

/** A zip of empty files with these names, which are not marked as UTF-8 unless `marks` says so; `extra` fields. */
export function zip(
  names: readonly Uint8Array[],
  marks: boolean | readonly boolean[] = false,
  extra: readonly Uint8Array[] = [],
): Buffer {
  const [members, directory]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  names.forEach((name, index) => {
    const fields = extra[index] ?? new Uint8Array();
    const marked = typeof marks === 'boolean' ? marks : marks[index];
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(marked ? 1 << 11 : 0, 6);
    local.writeUInt16LE(name.length, 26);
    local.writeUInt16LE(fields.length, 28);
    members.push(local, Buffer.from(name), Buffer.from(fields));
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(marked ? 1 << 11 : 0, 8);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt16LE(fields.length, 30);
    central.writeUInt32LE(at, 42);
    directory.push(central, Buffer.from(name), Buffer.from(fields));
    at += 30 + name.length + fields.length;
  });
  const size = Buffer.concat(directory).length;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(names.length, 8);
  end.writeUInt16LE(names.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...members, ...directory, end]);
}
