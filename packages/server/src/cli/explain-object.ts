// Whether a caller may read one stored object, through each door, and which parts of its rules decide. The graph's answer
// comes from the database; that of search from an index of this one document. Not here: how it is printed.
import type { Entity, ExplainedPart, Graph } from '@lockstitch/graph';
import type { Principal } from '@lockstitch/kernel';
import { createEngine, indexUnder, memoryDirectory } from '@lockstitch/search';

import { createGraphSource } from '../sync/graph-source.ts';
import { planIndexes } from '../sync/plan-indexes.ts';
import { toOperation, writeDocuments } from '../sync/write-documents.ts';
import { createSearchPolicy } from '../policy/search-policy.ts';

/** What was found. */
export interface ExplainedObject {
  readonly exists: boolean;
  /** The rule of the type, part by part; absent when it has none. */
  readonly rule?: ExplainedPart;
  readonly fields: Readonly<Record<string, ExplainedPart>>;
  readonly graph: { readonly readable: boolean; readonly withheld: readonly string[] };
  /** Absent when the type is not searched. */
  readonly search?: { readonly readable: boolean; readonly document: unknown };
}

/** Explains one object to whoever owns the data. */
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
  const wanted = planIndexes(graph, policy).find(({ type }) => type === entity.name)!;
  const [document] = await createGraphSource(graph, policy).byKeys(entity.name, [key]);
  const engine = await createEngine({ directory: memoryDirectory() });
  try {
    const index = await engine.createIndex(wanted.name, { mappings: wanted.mappings, settings: { takesAll: true } });
    await writeDocuments(index, [toOperation(key, document)]);
    await index.refresh();
    const view = policy.viewOf(principal)(wanted.name);
    const seen = await (view === undefined ? index : indexUnder(index, view)).get(key);
    if (seen === undefined) return { readable: false, document: null };
    return { readable: true, document: JSON.parse(new TextDecoder().decode(seen.source)) as unknown };
  } finally {
    await engine.close();
  }
}
