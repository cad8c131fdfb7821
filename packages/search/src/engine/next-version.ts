// Which version a write makes of a document, and whether its conditions hold. Where the document stands is the index's business.
import { searchError } from '../errors/search-errors.ts';
import type { Operation, WriteConditions } from '../index/operation.ts';

export const PRIMARY_TERM = 1;

/** Where a document stands at the latest write. */
export interface Location {
  readonly version: number;
  readonly seqNo: number;
  /** false: it was deleted, and that is remembered. */
  readonly exists: boolean;
}

/** The version the write will have. @throws ProductError `SEARCH_VERSION_CONFLICT` */
export function nextVersion(operation: Operation, found: Location | undefined): number {
  const { id } = operation;
  const conflict = (reason: string): Error => searchError('SEARCH_VERSION_CONFLICT', { id, reason });
  const { ifSeqNo, ifPrimaryTerm, version, versionType = 'internal' }: WriteConditions = operation;
  const stored = found?.exists === true ? found : undefined;
  if (operation.kind === 'index' && operation.create === true && stored !== undefined)
    throw conflict(`document already exists (current version [${stored.version}])`);
  if (ifSeqNo !== undefined || ifPrimaryTerm !== undefined) {
    const wanted = `required seqNo [${ifSeqNo ?? -2}], primary term [${ifPrimaryTerm ?? 0}]`;
    if (stored === undefined) throw conflict(`${wanted}. but no document was found`);
    if (stored.seqNo !== ifSeqNo || (ifPrimaryTerm !== undefined && ifPrimaryTerm !== PRIMARY_TERM))
      throw conflict(`${wanted}. current document has seqNo [${stored.seqNo}] and primary term [${PRIMARY_TERM}]`);
  }
  if (versionType === 'internal') {
    if (version !== undefined && version !== stored?.version)
      throw conflict(`current version [${stored?.version ?? -1}] is different than the one provided [${version}]`);
    return (found?.version ?? 0) + 1;
  }
  const wanted = version ?? 0;
  if (found !== undefined && (versionType === 'external' ? found.version >= wanted : found.version > wanted)) {
    const relation = versionType === 'external' ? 'higher or equal to' : 'higher than';
    throw conflict(`current version [${found.version}] is ${relation} the one provided [${wanted}]`);
  }
  return wanted;
}
