// Documents of the graph as the indexes hold them.
import type { Graph } from '@lockstitch/graph';

import { POLICY_FIELD, readInputs } from '../policy/document-inputs.ts';
import type { SearchPolicy } from '../policy/search-policy.ts';
import type { DocumentSource } from './document-source.ts';

/** The parts of a graph that indexing uses. */
export type IndexedGraph = Pick<Graph, 'model' | 'store' | 'feed' | 'sequencer' | 'loadDocuments' | 'countDocuments'>;

/** Loads documents together with their policy fields. */
export function createGraphSource(graph: IndexedGraph, policy: SearchPolicy): DocumentSource {
  const encoder = new TextEncoder();
  const load: (...given: Parameters<Graph['loadDocuments']>) => ReturnType<DocumentSource['byKeys']> = async (
    type,
    range,
  ) => {
    const documents = await graph.loadDocuments(type, range);
    const rules = policy.documents(type)?.inputs ?? [];
    return documents.map(({ key, source, inputs }) => {
      if (inputs === undefined) return { key, source: encoder.encode(source) };
      // Appended to the document's own members. Every document has at least its key.
      const carried = JSON.stringify({ [POLICY_FIELD]: readInputs(rules, inputs) });
      return { key, source: encoder.encode(`${source.slice(0, -1)},${carried.slice(1)}`) };
    });
  };
  return {
    byKeys: (type, keys) => load(type, { keys }),
    byRange: (type, after, limit) => load(type, { after, limit }),
    count: (type) => graph.countDocuments(type),
  };
}
