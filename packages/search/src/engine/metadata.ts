// What is kept about the engine as a whole, beside its indices: a JSON value in a small file. What it means is for
// the host that writes it.
import { toError } from '@lockstitch/kernel';
import { crc32 } from '../directory/zlib.ts';
import type { Directory } from '../directory/directory.ts';
import { searchError } from '../errors/search-errors.ts';

export const METADATA = 'metadata';

/** The value and its file. */
export interface Metadata {
  /** Undefined until first written. */
  readonly value: unknown;
  /** Why the file cannot be read. */
  readonly damage: Error | undefined;
  /** Replaces the value at once, and durably when the promise resolves. Later calls win. */
  update(value: unknown): Promise<void>;
}

/** What an operator writes to give up what a file held. */
const GIVEN_UP = '{}';

/**
 * Opens the file; a damaged one is left as it is, so that an operator can restore it.
 *
 * @param mustExist whether a missing file is damage; default: it was never written
 */
export async function openMetadata(directory: Directory, file = METADATA, mustExist = false): Promise<Metadata> {
  let value: unknown;
  let damage: Error | undefined;
  try {
    value = await read(directory, file, mustExist);
  } catch (error) {
    damage = toError(error);
  }
  let writing: Promise<void> = Promise.resolve();
  let stored = value;
  return {
    get value() {
      return value;
    },
    damage,
    update(next) {
      if (damage !== undefined) return Promise.reject(damage);
      value = next;
      const json = JSON.stringify(next);
      const text = `${crc32(json).toString(16).padStart(8, '0')}\n${json}`;
      // One after the other, so that the last one written is the last one given. Each was made of the one before: where that could not be
      // kept, neither can it.
      const written = writing
        .then(() => directory.writeFile(file, [new TextEncoder().encode(text)]))
        .then(() => void (stored = next));
      writing = written;
      written.catch(() => {
        if (writing !== written) return;
        value = stored;
        writing = Promise.resolve();
      });
      return written;
    },
  };
}

async function read(directory: Directory, file: string, mustExist: boolean): Promise<unknown> {
  const damaged = (reason: string): Error =>
    searchError('SEARCH_DAMAGED', { file: `${directory.label}/${file}`, reason });
  if (!(await directory.exists(file))) {
    if (mustExist) throw damaged('it is missing');
    return undefined;
  }
  const text = Buffer.from(await directory.readFile(file)).toString();
  if (text.trim() === GIVEN_UP) return undefined;
  const json = text.slice(9);
  if (text[8] !== '\n' || crc32(json).toString(16).padStart(8, '0') !== text.slice(0, 8))
    throw damaged('it fails its checksum');
  return JSON.parse(json);
}
