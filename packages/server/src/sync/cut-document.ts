// Cuts documents of the schema to the fields of an index that was built for another one, and is gone on with until that of the schema is
// built. Such an index may only be searched where each of its fields still is (`mayServeMeanwhile`).
import { hasMembers } from '@lockstitch/kernel';
import { type Operation, parseExactly } from '@lockstitch/search';

import { POLICY_FIELD } from '../policy/document-inputs.ts';

/** Dotted paths of the fields that stay, beside the policy's. */
export class KeptFields {
  readonly #paths: ReadonlySet<string>;
  /** Of the objects that hold such fields. */
  readonly #holders: ReadonlySet<string>;

  constructor(paths: readonly string[]) {
    this.#paths = new Set([POLICY_FIELD, ...paths]);
    this.#holders = new Set(paths.flatMap(holdersOf));
  }

  cutDocument(source: Uint8Array): Uint8Array {
    const document = parseExactly(Buffer.from(source).toString());
    return Buffer.from(JSON.stringify(this.#cut(document, '')));
  }

  /** Cuts what operations write. */
  cutOperations(operations: readonly Operation[]): readonly Operation[] {
    return operations.map((operation) =>
      operation.kind === 'index' ? { ...operation, source: this.cutDocument(operation.source) } : operation,
    );
  }

  #cut(value: unknown, start: string): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#cut(each, start));
    if (!hasMembers(value)) return value;
    const members = Object.entries(value).flatMap(([name, member]): readonly (readonly [string, unknown])[] => {
      const path = start + name;
      if (this.#paths.has(path)) return [[name, member]];
      return this.#holders.has(path) ? [[name, this.#cut(member, `${path}.`)]] : [];
    });
    return Object.fromEntries(members);
  }
}

/** `a` and `a.b` for the path `a.b.c`. */
function holdersOf(path: string): readonly string[] {
  const names = path.split('.');
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join('.'));
}
