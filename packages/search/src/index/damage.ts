// Damage that is found while an index is used: whoever reads a file tells it here, and the index that the file belongs to hears of it, be
// it a search, a merge or a look at one document that came upon it.
import { isProductError } from '@lockstitch/kernel';

/** Told which file is damaged, by its label, and how. */
type Listener = (file: string, reason: string) => void;

/** By the label of the directory that the files are in. */
const listeners = new Map<string, Listener>();

/** Has damage to the files of a directory told from now on; answers what ends that. */
export function hearOfDamage(directory: string, listener: Listener): () => void {
  listeners.set(directory, listener);
  return () => {
    if (listeners.get(directory) === listener) listeners.delete(directory);
  };
}

/** Tells of a damaged file. */
export function tellDamage(file: string, reason: string): void {
  listeners.get(file.slice(0, file.lastIndexOf('/')))?.(file, reason);
}

/** Tells of the damage that a thread has found: nobody listens there. */
export function tellDamageOf(error: unknown): void {
  if (!isProductError(error) || error.code !== 'SEARCH_DAMAGED') return;
  const found = /^Index file \[(.*)\] is damaged: (.*)\.$/.exec(error.message);
  if (found !== null) tellDamage(found[1]!, found[2]!);
}
