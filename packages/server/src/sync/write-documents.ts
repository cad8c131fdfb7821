// Documents of the data as writes to an index. Everything that fills, follows or mends an index writes through here.
import type { Index, Operation } from '@lockstitch/search';

import type { SourceDocument } from './document-source.ts';

/** The write that makes an index hold a document; without one, the write that removes it. */
export function toOperation(key: string, document: SourceDocument | undefined): Operation {
  if (document === undefined) return { kind: 'delete', id: key };
  return { kind: 'index', id: key, source: document.source };
}

/** Applies writes and insists on all of them: a document that does not fit its own mapping is a fault of ours. */
export async function writeDocuments(index: Index, operations: readonly Operation[]): Promise<void> {
  const results = await index.apply(operations);
  for (const result of results) if (result.kind === 'failed') throw result.error;
}
