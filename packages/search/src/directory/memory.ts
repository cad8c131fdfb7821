// A directory in memory: for tests, caches and indexes that are rebuilt at every start. Nothing survives the process.
import type { AppendFile, Directory, RandomReader } from './directory.ts';

/** Makes an empty directory in memory. */
export function memoryDirectory(): Directory {
  const files = new Map<string, { bytes: Uint8Array; size: number }>();
  const directories = new Map<string, Directory>();
  const get = (name: string): Uint8Array => {
    const file = files.get(name);
    if (file === undefined) throw Object.assign(new Error(`ENOENT: no such file, open '${name}'`), { code: 'ENOENT' });
    return file.bytes.subarray(0, file.size);
  };
  return {
    label: 'memory',
    durable: false,
    list: () => Promise.resolve([...files.keys()].sort()),
    exists: (name) => Promise.resolve(files.has(name)),
    readFile: (name) => Promise.resolve().then(() => get(name).slice()),
    open: (name) =>
      Promise.resolve().then((): RandomReader => {
        const bytes = get(name);
        return {
          size: bytes.length,
          read: (position, length) => bytes.subarray(position, position + length),
          close: () => undefined,
        };
      }),
    writeFile(name, parts) {
      const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
      let at = 0;
      for (const part of parts) {
        bytes.set(part, at);
        at += part.length;
      }
      files.set(name, { bytes, size: at });
      return Promise.resolve();
    },
    async extendFile(name, size, parts) {
      await this.writeFile(name, [get(name).slice(0, size), ...parts]);
    },
    openAppend(name, size) {
      const file = files.get(name) ?? { bytes: new Uint8Array(1024), size: 0 };
      files.set(name, file);
      if (size !== undefined) file.size = size;
      const append: AppendFile = {
        get size() {
          return file.size;
        },
        append(bytes) {
          if (file.size + bytes.length > file.bytes.length) {
            const grown = new Uint8Array(Math.max(file.bytes.length * 2, file.size + bytes.length));
            grown.set(file.bytes.subarray(0, file.size));
            file.bytes = grown;
          }
          file.bytes.set(bytes, file.size);
          file.size += bytes.length;
        },
        overwrite(bytes, position) {
          file.bytes.set(bytes, position);
        },
        resize(bytes) {
          file.size = Math.min(file.size, bytes);
        },
        sync: () => Promise.resolve(),
        close: () => undefined,
      };
      return Promise.resolve(append);
    },
    remove(name) {
      files.delete(name);
      return Promise.resolve();
    },
    rename(name, to) {
      const bytes = get(name);
      files.delete(name);
      files.set(to, { bytes, size: bytes.length });
      return Promise.resolve();
    },
    directory(name) {
      const found = directories.get(name) ?? memoryDirectory();
      directories.set(name, found);
      return Promise.resolve(found);
    },
    directories: () => Promise.resolve([...directories.keys()].sort()),
    removeDirectory(name) {
      directories.delete(name);
      return Promise.resolve();
    },
    lock: () => Promise.resolve(),
    unlock: () => Promise.resolve(),
  };
}
