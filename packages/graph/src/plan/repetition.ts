// Limits repetition in a document. graphql-js checks pairwise whether fields of one name can be merged (GraphQL
// §5.3.2); for 1,200 times the same field it took half a second. This file only counts the pairs.
import { Kind, type DocumentNode, type FragmentDefinitionNode, type SelectionSetNode } from 'graphql';
import { graphErrors } from '../errors.ts';

/** Maximum number of pairs and selections in a document; graphql-js takes about 20 ms for it. */
const MOST = 50_000;

interface Counting {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  left: number;
  /** Fragments counted where they are spread. */
  readonly reached: Set<FragmentDefinitionNode>;
}

/**
 * Rejects a document with too much repetition. Fragments must not form cycles.
 *
 * @throws ProductError GRAPH_TOO_REPETITIVE
 */
export function checkRepetition(document: DocumentNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): void {
  const counting: Counting = { fragments, left: MOST, reached: new Set() };
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) countMerged(counting, [definition.selectionSet]);
  }
  for (const fragment of fragments.values()) {
    if (!counting.reached.has(fragment)) countMerged(counting, [fragment.selectionSet]);
  }
}

/** Counts the selections that would be merged, by response key, recursively. */
function countMerged(counting: Counting, sets: readonly SelectionSetNode[]): void {
  const fields = new Map<string, SelectionSetNode[]>();
  const counts = new Map<string, number>();
  const collect = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        count(counting, 1);
        collect(selection.selectionSet);
        continue;
      }
      const isField = selection.kind === Kind.FIELD;
      const name = isField ? (selection.alias ?? selection.name).value : '...';
      const before = counts.get(name) ?? 0;
      counts.set(name, before + 1);
      count(counting, 1 + before);
      if (!isField) {
        const fragment = counting.fragments.get(selection.name.value);
        if (fragment === undefined) continue;
        counting.reached.add(fragment);
        collect(fragment.selectionSet);
      } else if (selection.selectionSet !== undefined) {
        const below = fields.get(name);
        if (below === undefined) fields.set(name, [selection.selectionSet]);
        else below.push(selection.selectionSet);
      }
    }
  };
  for (const set of sets) collect(set);
  for (const below of fields.values()) countMerged(counting, below);
}

function count(counting: Counting, work: number): void {
  counting.left -= work;
  if (counting.left < 0) throw graphErrors.create('GRAPH_TOO_REPETITIVE');
}
