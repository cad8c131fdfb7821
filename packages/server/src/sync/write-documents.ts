// Documents of the data as writes to an index. Everything that fills, follows or mends an index writes through here.
import type { Log } from '@lockstitch/kernel';
import type { Index, Operation } from '@lockstitch/search';

import type { SourceDocument } from './document-source.ts';

/** The write that makes an index hold a document; without one, the write that removes it. */
export function toOperation(key: string, document: SourceDocument | undefined): Operation {
  if (document === undefined) return { kind: 'delete', id: key };
  return { kind: 'index', id: key, source: document.source };
}

/** A document that an index cannot hold. */
export interface LeftOut {
  readonly key: string;
  readonly error: Error;
}

/**
 * Applies writes. A document that the index cannot hold, one of too many bytes say, is left out: the rest has to go on, and what the
 * document was before must not be found any more.
 *
 * @returns what was left out
 */
export async function writeDocuments(index: Index, operations: readonly Operation[]): Promise<readonly LeftOut[]> {
  const leftOut: LeftOut[] = [];
  for (const result of await index.apply(operations))
    if (result.kind === 'failed') leftOut.push({ key: result.id, error: result.error });
  if (leftOut.length > 0) await index.apply(leftOut.map(({ key }) => toOperation(key, undefined)));
  return leftOut;
}

/** Says which documents search lacks, until they change. */
export function logLeftOut(log: Log, { name }: Pick<Index, 'name'>, leftOut: readonly LeftOut[]): void {
  for (const { error, key } of leftOut)
    log.write('error', 'A document cannot be indexed and is left out of search', { index: name, key, error });
}
