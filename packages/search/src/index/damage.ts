// Reports damaged files to the index that they belong to, whether a search, a merge or a read of one document found the damage.
import { isProductError } from '@lockstitch/kernel';

/** Takes the label of the damaged file, and the reason. */
type Listener = (file: string, reason: string) => void;

/** One listener per directory, by its label. */
const listeners = new Map<string, Listener>();

/** Listens for damage to the files of a directory; returns a function that stops listening. */
export function onDamage(directory: string, listener: Listener): () => void {
  listeners.set(directory, listener);
  return () => {
    if (listeners.get(directory) === listener) listeners.delete(directory);
  };
}

/** Reports a damaged file to the listener of its directory. */
export function reportDamage(file: string, reason: string): void {
  listeners.get(file.slice(0, file.lastIndexOf('/')))?.(file, reason);
}

/** Reports the damage behind an error of a search thread: threads have no listeners. */
export function reportDamageOf(error: unknown): void {
  if (!isProductError(error) || error.code !== 'SEARCH_DAMAGED') return;
  const found = /^Index file \[(.*)\] is damaged: (.*)\.$/.exec(error.message);
  if (found !== null) reportDamage(found[1]!, found[2]!);
}
