// Opens definitions that an earlier release accepted and this one refuses: drops the parameters at fault, so that an upgrade never makes
// an index red. New definitions with the same mistakes are refused.
import { isProductError, wordsOf } from '@lockstitch/kernel';
import type { IndexDefinition } from '../settings/index-definition.ts';

/** A definition that can be opened. */
export interface UpgradedDefinition {
  readonly definition: IndexDefinition;
  /** Dotted paths of what was dropped. */
  readonly dropped: readonly string[];
}

type Path = readonly string[];

/** Mistakes of one definition, at most. */
const MOST_DROPPED = 20;
/** Definitions tried for one mistake; those whose names the error mentions come first. */
const MOST_TRIED = 500;

/**
 * Drops what is refused, as little as possible.
 *
 * @param make makes a mapper of a definition; throws what is wrong with it
 * @returns undefined if no single parameter is at fault
 */
export function upgradeDefinition(
  definition: IndexDefinition,
  make: (definition: IndexDefinition) => unknown,
): UpgradedDefinition | undefined {
  const dropped: string[] = [];
  let current = definition;
  let reason = refusalOf(current, make);
  while (reason !== undefined) {
    if (dropped.length === MOST_DROPPED) return undefined;
    const found = dropOne(current, reason, make);
    if (found === undefined) return undefined;
    dropped.push(found.path.join('.'));
    ({ definition: current, reason } = found);
  }
  return { definition: current, dropped };
}

/** Parameters that say how documents were indexed: dropped only if nothing else is at fault. */
const INDEXED_BY = wordsOf(`
  index doc_values enabled dynamic analyzer tokenizer filter index_options norms`);

/** The first parameter without which the definition is accepted, or else is refused for another reason. */
function dropOne(
  definition: IndexDefinition,
  reason: string,
  make: (definition: IndexDefinition) => unknown,
): { readonly definition: IndexDefinition; readonly path: Path; readonly reason: string | undefined } | undefined {
  const { mappings, custom } = definition;
  const paths = [...leavesOf({ mappings, custom }, [])]
    .map((path) => {
      const mentioned = path.filter((step) => reason.includes(step)).length / path.length;
      return { path, rank: mentioned - (INDEXED_BY.includes(path.at(-1)!) ? 1 : 0) };
    })
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MOST_TRIED);
  let other: ReturnType<typeof dropOne>;
  for (const { path } of paths) {
    const without = { ...definition, ...withoutPath({ mappings, custom }, path) };
    const next = refusalOf(without, make);
    if (next === undefined) return { definition: without, path, reason: undefined };
    if (next !== reason) other ??= { definition: without, path, reason: next };
  }
  return other;
}

/** Why a definition is refused. @throws errors that are no refusals */
function refusalOf(definition: IndexDefinition, make: (definition: IndexDefinition) => unknown): string | undefined {
  try {
    make(definition);
    return undefined;
  } catch (error) {
    if (!isProductError(error)) throw error;
    return error.message;
  }
}

/** Paths of parameters: of all values but objects with members. Types stay, and so do names of fields and parts. */
function* leavesOf(value: object, path: Path): Generator<Path> {
  for (const [key, member] of Object.entries(value)) {
    const at = [...path, key];
    const isParent = typeof member === 'object' && member !== null && !Array.isArray(member);
    if (isParent && Object.keys(member as object).length > 0) yield* leavesOf(member as object, at);
    else if (member !== undefined && key !== 'type') yield at;
  }
}

function withoutPath(value: object, [step, ...rest]: Path): object {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      if (key !== step) return [[key, member]];
      return rest.length === 0 ? [] : [[key, withoutPath(member as object, rest)]];
    }),
  );
}
