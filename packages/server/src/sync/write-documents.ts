// Writes documents of the data to an index. Building, applying and repairing all write through here.
import { isProductError, type Log } from '@lockstitch/kernel';
import type { Index, Operation } from '@lockstitch/search';

import type { SourceDocument } from './document-source.ts';

/** Returns the operation that stores the document, or deletes it if there is none. */
export function toOperation(key: string, document: SourceDocument | undefined): Operation {
  if (document === undefined) return { kind: 'delete', id: key };
  return { kind: 'index', id: key, source: document.source };
}

export interface RejectedDocument {
  readonly key: string;
  readonly error: Error;
}

/**
 * Applies operations. A document that the index rejects, for example because it has too many bytes, is deleted from the
 * index: later changes must not be blocked, and its old version must not be found any more.
 *
 * @returns the rejected documents
 */
export async function writeDocuments(
  index: Index,
  operations: readonly Operation[],
): Promise<readonly RejectedDocument[]> {
  const rejected: RejectedDocument[] = [];
  for (const result of await index.apply(operations))
    if (result.kind === 'failed') rejected.push({ key: result.id, error: result.error });
  if (rejected.length > 0) await index.apply(rejected.map(({ key }) => toOperation(key, undefined)));
  return rejected;
}

/** Logs the documents that are missing in search until they change. Messages of refusals may quote values of rows, so the log has their codes. */
export function logRejected(log: Log, { name }: Pick<Index, 'name'>, rejected: readonly RejectedDocument[]): void {
  for (const { error, key } of rejected) {
    const reason = isProductError(error) ? { code: error.code, detail: error.detail } : { error };
    log.write('error', 'A document cannot be indexed and is left out of search', { index: name, key, ...reason });
  }
}
