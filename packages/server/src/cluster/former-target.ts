// A generation of another definition that is gone on with until that of the schema is built. Its mapping is strict, so documents are cut to
// the fields that it has; it may only be searched where each of these is still searched (`mayServeMeanwhile`).
import { hasMembers } from '@lockstitch/kernel';
import { type Operation, parseExactly } from '@lockstitch/search';

import { POLICY_FIELD } from '../policy/document-inputs.ts';
import type { RejectedDocument } from '../sync/write-documents.ts';
import { ClusterTarget, type ClusterTargetParts } from './cluster-target.ts';

export class FormerTarget extends ClusterTarget {
  readonly #paths: readonly string[];

  /** @param paths of the fields that its documents have, dotted */
  constructor(parts: ClusterTargetParts, paths: readonly string[]) {
    super(parts);
    this.#paths = paths;
  }

  override write(operations: readonly Operation[], version: number): Promise<readonly RejectedDocument[]> {
    const cut = operations.map((operation) =>
      operation.kind === 'index' ? { ...operation, source: this.comparable(operation.source) } : operation,
    );
    return super.write(cut, version);
  }

  override comparable(source: Uint8Array): Uint8Array {
    const document = parseExactly(Buffer.from(source).toString());
    return Buffer.from(JSON.stringify(this.#cut(document, '')));
  }

  #cut(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#cut(each, path));
    if (!hasMembers(value)) return value;
    const members = Object.entries(value).flatMap(([name, member]): readonly (readonly [string, unknown])[] => {
      const own = path === '' ? name : `${path}.${name}`;
      if (own === POLICY_FIELD || this.#paths.includes(own)) return [[name, member]];
      return this.#paths.some((each) => each.startsWith(`${own}.`)) ? [[name, this.#cut(member, own)]] : [];
    });
    return Object.fromEntries(members);
  }
}
