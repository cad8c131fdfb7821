// A generation of another definition that is gone on with until that of the schema is built. Its mapping is strict, so documents are cut to
// the fields that it has.
import type { Operation } from '@lockstitch/search';

import { KeptFields } from '../sync/cut-document.ts';
import type { RejectedDocument } from '../sync/write-documents.ts';
import { ClusterTarget, type ClusterTargetParts } from './cluster-target.ts';

export class FormerTarget extends ClusterTarget {
  readonly #kept: KeptFields;

  /** @param paths of the fields that its documents have, dotted */
  constructor(parts: ClusterTargetParts, paths: readonly string[]) {
    super(parts);
    this.#kept = new KeptFields(paths);
  }

  override write(operations: readonly Operation[], version: number): Promise<readonly RejectedDocument[]> {
    return super.write(this.#kept.cutOperations(operations), version);
  }

  override comparable(source: Uint8Array): Uint8Array {
    return this.#kept.cutDocument(source);
  }
}
