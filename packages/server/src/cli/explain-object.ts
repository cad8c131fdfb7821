// Explains whether a caller may read one object through GraphQL and through search, and which parts of its rules
// decide. The search result comes from a temporary index of this one document.
import type { Entity, ExplainedPart, Graph } from '@lockstitch/graph';
import { type Principal, required } from '@lockstitch/kernel';
import { createEngine, indexUnder, memoryDirectory } from '@lockstitch/search';

import { createGraphSource } from '../sync/graph-source.ts';
import { planIndexes } from '../sync/plan-indexes.ts';
import { toOperation, writeDocuments } from '../sync/write-documents.ts';
import { createSearchPolicy } from '../policy/search-policy.ts';

export interface ExplainedObject {
  readonly exists: boolean;
  /** The type's rule, part by part; absent if it has none. */
  readonly rule?: ExplainedPart;
  readonly fields: Readonly<Record<string, ExplainedPart>>;
  readonly graph: { readonly readable: boolean; readonly withheld: readonly string[] };
  /** Absent if the type is not searched. */
  readonly search?: { readonly readable: boolean; readonly document: unknown };
}

/** Explains one object to the owner of the data. */
export async function explainObject(
  graph: Graph,
  entity: Entity,
  key: string,
  principal: Principal,
): Promise<ExplainedObject> {
  const { exists, fields, rule } = await graph.explainRead(entity.name, key, principal);
  const readable = (await graph.readableKeys(entity.name, principal, { keys: [key] })).length > 0;
  const withheld = Object.entries(fields)
    .filter(([, { truth }]) => truth !== true)
    .map(([name]) => name);
  const found = entity.searchIndex === undefined ? undefined : await documentFor(graph, entity, key, principal);
  return {
    exists,
    ...(rule === undefined ? {} : { rule }),
    fields,
    graph: { readable, withheld },
    ...(found === undefined ? {} : { search: found }),
  };
}

async function documentFor(
  graph: Graph,
  entity: Entity,
  key: string,
  principal: Principal,
): Promise<{ readonly readable: boolean; readonly document: unknown }> {
  const policy = createSearchPolicy(graph.model);
  const wanted = required(
    planIndexes(graph, policy).find(({ type }) => type === entity.name),
    entity.name,
  );
  const [document] = await createGraphSource(graph, policy).byKeys(entity.name, [key]);
  const engine = await createEngine({ directory: memoryDirectory() });
  try {
    const index = await engine.createIndex(wanted.name, { mappings: wanted.mappings, settings: { takesAll: true } });
    await writeDocuments(index, [toOperation(key, document)]);
    await index.refresh();
    const view = policy.viewOf(principal)(wanted.name);
    const seen = await (view === undefined ? index : indexUnder(index, view)).get(key);
    if (seen === undefined) return { readable: false, document: null };
    return { readable: true, document: JSON.parse(new TextDecoder().decode(seen.source)) };
  } finally {
    await engine.close();
  }
}
