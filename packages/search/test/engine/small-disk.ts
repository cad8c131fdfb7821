// A disk of a few megabytes that fills up: a file system in memory where the system lets one be mounted, and a wrapper that fails one of the
// writes for tests everywhere.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { AppendFile, Directory } from '../../src/directory/directory.ts';

/** A mounted disk; undefined where none can be. */
export function mountDisk(context: TestContext, size: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  context.after(() => {
    execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Leaves that many bytes free on a disk, by a file. */
export function leaveFree(folder: string, bytes: number): void {
  const ballast = join(folder, 'ballast');
  rmSync(ballast, { force: true });
  const { bavail, bsize } = statfsSync(folder);
  const room = bavail * bsize - bytes;
  if (room > 0) writeFileSync(ballast, Buffer.alloc(room));
}

/** Which of the writes to a directory fails. */
export interface Faults {
  /** Writes so far. */
  count: number;
  /** The first that fails, and the first after it that does not. */
  from: number;
  to: number;
  readonly code: string;
  /** What failed. */
  readonly failed: string[];
}

/** A directory whose writes fail as told. */
export function faultyDirectory(inner: Directory, faults: Faults): Directory {
  const step = (what: string): void => {
    const at = faults.count++;
    if (at < faults.from || at >= faults.to) return;
    faults.failed.push(what);
    throw Object.assign(new Error(`${faults.code}: injected, ${what}`), { code: faults.code });
  };
  const kind = (name: string): string => name.replaceAll(/\d+|-[0-9a-f]{8}/g, '');
  const wrapFile = (name: string, file: AppendFile): AppendFile => ({
    get size() {
      return file.size;
    },
    append(bytes) {
      try {
        step(`append to ${kind(name)}`);
      } catch (error) {
        // Half of it may be there.
        file.overwrite!(bytes.subarray(0, bytes.length >> 1), file.size);
        throw error;
      }
      file.append(bytes);
    },
    overwrite: (bytes, position) => file.overwrite!(bytes, position),
    resize: (bytes) => file.resize!(bytes),
    async sync() {
      step(`sync ${kind(name)}`);
      await file.sync();
    },
    close: () => file.close(),
  });
  return {
    ...inner,
    directory: async (name) => faultyDirectory(await inner.directory(name), faults),
    async writeFile(name, parts) {
      step(`write ${kind(name)}`);
      await inner.writeFile(name, parts);
    },
    async extendFile(name, size, parts) {
      step(`extend ${kind(name)}`);
      await inner.extendFile(name, size, parts);
    },
    async openAppend(name, size) {
      step(`open ${kind(name)}`);
      return wrapFile(name, await inner.openAppend(name, size));
    },
    async open(name) {
      step(`read ${kind(name)}`);
      return await inner.open(name);
    },
  };
}
