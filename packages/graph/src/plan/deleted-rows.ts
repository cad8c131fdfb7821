// Which soft-deleted rows an operation sees: none, unless the argument `deleted` or a deleted holder says otherwise.
import { toText } from '@lockstitch/kernel';
import { DELETED_WORDS } from '../schema/bind-arguments.ts';
import type { ArgumentBindings } from '../schema/model.ts';
import { and, type Expr } from '../sql/sql.ts';
import type { ConditionArguments } from './argument-path.ts';
import type { Environment, View } from './environment.ts';
import { listValue } from './read-list.ts';
import { isDeleted, notDeleted, type RelatedRows, type RowScope } from './rows.ts';

/** The rows that the argument `deleted` asks for: those that are not deleted, unless it says otherwise. */
export function askedRows(
  env: Environment,
  rows: RelatedRows,
  bindings: ArgumentBindings,
  args: Pick<ConditionArguments, 'values'>,
): RelatedRows {
  const word = deletedWord(bindings, args);
  if (word === 'exclude') return rows;
  rows.scope.includesDeleted = true;
  return { ...rows, where: and(rows.link, withDeleted(env.view, rows.scope, word)) };
}

/** The word of the argument `deleted`. */
export function deletedWord(
  bindings: ArgumentBindings,
  args: Pick<ConditionArguments, 'values'>,
): 'exclude' | 'include' | 'only' {
  for (const [name, binding] of bindings)
    if (binding.kind === 'deleted') return DELETED_WORDS[toText(listValue(binding, args.values, name))] ?? 'exclude';
  return 'exclude';
}

/**
 * Whether the object of a to-one relation is there: it is not deleted, or its holder is deleted too and the caller may
 * see both. Else a deleted object could not return what its required fields refer to.
 */
export function isThere(view: View, holder: RowScope, rows: RowScope): Expr | undefined {
  const living = notDeleted(rows);
  const deleted = isDeleted(holder);
  if (living === undefined || deleted === undefined || rows.entity.auth?.readDeleted === undefined) return living;
  rows.includesDeleted = true;
  return { kind: 'or', operands: [living, and(deleted, view.deleted(rows)) ?? deleted] };
}

/** The deleted rows that the caller may see on request, alone or with the others. */
export function withDeleted(view: View, scope: RowScope, word: 'include' | 'only'): Expr | undefined {
  const living = notDeleted(scope);
  if (living === undefined) return undefined;
  const visible = view.deleted(scope);
  if (word === 'only') return and({ kind: 'not', operand: living }, visible);
  return visible === undefined ? undefined : { kind: 'or', operands: [living, visible] };
}
