// Cuts documents of the schema to the fields of an index that was built for another one, and is gone on with until that of the schema is
// built. Such an index may only be searched where each of its fields still is (`mayServeMeanwhile`).
import { hasMembers } from '@lockstitch/kernel';
import { type Operation, parseExactly } from '@lockstitch/search';

import { POLICY_FIELD } from '../policy/document-inputs.ts';

/** @param paths dotted paths of the fields that stay, beside the policy's */
export function cutDocument(source: Uint8Array, paths: readonly string[]): Uint8Array {
  const document = parseExactly(Buffer.from(source).toString());
  return Buffer.from(JSON.stringify(cut(document, '', paths)));
}

/** Cuts what operations write. */
export function cutOperations(operations: readonly Operation[], paths: readonly string[]): readonly Operation[] {
  return operations.map((operation) =>
    operation.kind === 'index' ? { ...operation, source: cutDocument(operation.source, paths) } : operation,
  );
}

function cut(value: unknown, path: string, paths: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => cut(each, path, paths));
  if (!hasMembers(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]): readonly (readonly [string, unknown])[] => {
    const own = path === '' ? name : `${path}.${name}`;
    if (own === POLICY_FIELD || paths.includes(own)) return [[name, member]];
    return paths.some((each) => each.startsWith(`${own}.`)) ? [[name, cut(member, own, paths)]] : [];
  });
  return Object.fromEntries(members);
}
