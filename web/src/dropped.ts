// The dropped files, including those of folders, recursively.

export interface Dropped {
  file: File;
  path: string;
}

export async function dropped(transfer: DataTransfer): Promise<Dropped[]> {
  // Read now, because the items are no longer available after the event.
  const entries = Array.from(transfer.items, (item) => (item.kind === 'file' ? item.webkitGetAsEntry() : null)).filter(
    (entry) => entry !== null,
  );
  if (entries.length === 0) return Array.from(transfer.files, (file) => ({ file, path: file.name }));
  const files = (await Promise.all(entries.map(filesOf))).flat();
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function filesOf(entry: FileSystemEntry): Promise<Dropped[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed));
    return [{ file, path: entry.fullPath.replace(/^\//, '') }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const all: Dropped[] = [];
  // A folder returns at most a hundred entries at a time.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return all;
    all.push(...(await Promise.all(some.map(filesOf))).flat());
  }
}
