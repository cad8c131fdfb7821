// How often a document says the same thing again. Whether fields of one name can be merged (GraphQL §5.3.2) is checked pair
// by pair: 1200 times the same field took graphql-js half a second before it gave up. Here the pairs are counted instead.
import { Kind, type DocumentNode, type FragmentDefinitionNode, type SelectionSetNode } from 'graphql';
import { graphErrors } from '../errors.ts';

/** Pairs to be compared, and selections, over all definitions of a document: some 20 ms of graphql-js. */
const MOST = 50_000;

interface Counting {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  left: number;
  /** Fragments counted as part of what spreads them. */
  readonly reached: Set<FragmentDefinitionNode>;
}

/**
 * Refuses a document that repeats itself too much. Fragments must not contain themselves.
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

/** Counts selections that would be merged: those of one name among all the sets, and theirs in turn. */
function countMerged(counting: Counting, sets: readonly SelectionSetNode[]): void {
  const fields = new Map<string, SelectionSetNode[]>();
  const counts = new Map<string, number>();
  const collect = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        spend(counting, 1);
        collect(selection.selectionSet);
        continue;
      }
      const isField = selection.kind === Kind.FIELD;
      const name = isField ? (selection.alias ?? selection.name).value : '...';
      const before = counts.get(name) ?? 0;
      counts.set(name, before + 1);
      spend(counting, 1 + before);
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

function spend(counting: Counting, work: number): void {
  counting.left -= work;
  if (counting.left < 0) throw graphErrors.create('GRAPH_TOO_REPETITIVE');
}
