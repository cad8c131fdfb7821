// Conditions on related rows, read from their other end: the related rows that satisfy them are read once, and the rows of
// the list are found by key (77 µs against 16 ms for a key among many). That pays while there are few; a page of many
// matches is sooner filled row by row (229 µs against 27 ms), so the statement counts them up to a limit and then chooses.
// For SQLite; PostgreSQL plans EXISTS as a join by itself.
import { orderOfUnion, pass, sorted } from './join-order.ts';
import { termsOf } from './simplify.ts';
import type { CommonTable, Expr, Select } from './sql.ts';
import { columnsOf, outerAliases } from './tree.ts';

/** Most related rows that are read first for a page. */
const FEW = 1000;

/** A condition by its other end: `operand` is in the one column of `select`. */
interface SemiJoin {
  readonly term: Expr;
  readonly operand: Expr;
  readonly select: Select;
  /** The related rows are found by a value that the request gives. */
  readonly isByValue: boolean;
}

function semiJoinOf(term: Expr, alias: string): SemiJoin | undefined {
  if (term.kind !== 'exists') return undefined;
  const { from, joins = [], where, limit } = term.select;
  if (from.kind !== 'table' || limit !== undefined) return undefined;
  const own = new Set([from.alias, ...joins.map((join) => ('alias' in join.from ? join.from.alias : ''))]);
  const terms = termsOf(where);
  for (const link of terms) {
    if (link.kind !== 'compare' || link.operator !== '=') continue;
    const sides = [link.left, link.right] as const;
    for (const [inner, operand] of [sides, sides.toReversed()] as const) {
      if (inner?.kind !== 'column' || !own.has(inner.from) || operand?.kind !== 'column' || operand.from !== alias)
        continue;
      // Comparisons take the collation of the left column; the key among the others has the right one there.
      if (link.storage === 'text' && (hasOwnCollation(inner) || hasOwnCollation(operand))) continue;
      const rest = terms.filter((each) => each !== link);
      const select: Select = {
        columns: [{ expr: inner, as: 'k' }],
        from,
        joins: joins.map((join) => ({ ...join, anyOrder: true })),
        where: { kind: 'and', operands: rest },
      };
      if (outerAliases(select).length > 0) return undefined;
      return { term, operand, select, isByValue: rest.some(isByValue) };
    }
  }
  return undefined;
}

/** Whether a column may have a collation that the engine did not choose; what a conversion returns has none. */
function hasOwnCollation({ native }: Extract<Expr, { kind: 'column' }>): boolean {
  return native !== undefined && native.read === undefined;
}

/** Whether a condition compares a column with a bound value. */
function isByValue(expr: Expr): boolean {
  if (expr.kind === 'among') return expr.operand.kind === 'column' && expr.list.kind === 'parameter';
  if (expr.kind !== 'compare' || expr.operator !== '=') return false;
  const kinds = [expr.left.kind, expr.right.kind];
  return kinds.includes('column') && kinds.includes('parameter');
}

/** The condition whose other end is read first. */
function chosen(select: Select): SemiJoin | undefined {
  const { from, where, orderBy } = select;
  if (from.kind !== 'table' || outerAliases(select).length > 0) return undefined;
  const terms = termsOf(where);
  const key = orderBy?.at(-1)?.expr;
  const equal = terms.filter(isByValue);
  // One row needs no help.
  if (key?.kind === 'column' && equal.some((each) => columnsOf(each).get(key.from)?.has(key.column))) return undefined;
  const found = terms.map((term) => semiJoinOf(term, from.alias)).filter((each) => each !== undefined);
  // Without a value to find them by, all related rows are read; an index over the list's own rows may be better.
  return found.find((each) => each.isByValue) ?? (equal.length === 0 ? found[0] : undefined);
}

function fewOf(
  semiJoin: SemiJoin,
  limit: number,
  name: () => string,
): { readonly table: CommonTable; readonly isFew: Expr } {
  const table: CommonTable = {
    name: name(),
    select: { ...semiJoin.select, limit: { kind: 'literal', value: limit + 1 } },
  };
  const rows: Select = { columns: [], from: { kind: 'table', table: table.name, alias: 'k' } };
  const isFew: Expr = {
    kind: 'compare',
    operator: '<=',
    left: { kind: 'count', select: rows },
    right: { kind: 'literal', value: limit },
    storage: 'integer',
  };
  return { table, isFew };
}

/** The rows of a select whose condition is a key among those of another one. */
function byKeys(given: Select, { term, operand }: SemiJoin, select: Select): Select {
  const operands = termsOf(given.where).map((each): Expr => (each === term ? { kind: 'in', operand, select } : each));
  return { ...given, where: { kind: 'and', operands } };
}

const ZERO: Expr = { kind: 'literal', value: 0 };

/** A select of all rows that reads a condition's other end first; without a page, row by row is never much faster. */
export function wholeBySemiJoin(select: Select): Select {
  const semiJoin = chosen(select);
  return semiJoin === undefined ? select : byKeys(select, semiJoin, semiJoin.select);
}

/** A page that reads a condition's other end first if it has few rows. */
export function pageBySemiJoin(select: Select, name: () => string): Select | undefined {
  const { columns, from, limit, offset, orderBy = [] } = select;
  const semiJoin = limit === undefined ? undefined : chosen(select);
  if (semiJoin === undefined || limit === undefined || !('alias' in from)) return undefined;
  const { table, isFew } = fewOf(semiJoin, FEW, name);
  const end: Expr = offset === undefined ? limit : { kind: 'sum', operator: '+', left: limit, right: offset };
  const arm = (rows: Select, use: Expr, otherwise: Expr): Select => ({
    ...sorted(rows),
    limit: { kind: 'choose', branches: [{ when: isFew, use }], otherwise },
    offset: undefined,
  });
  const keys: Select = { columns: [pass('k', 'k')], from: { kind: 'table', table: table.name, alias: 'k' } };
  const { alias } = from;
  return {
    tables: [table],
    columns: columns.map(({ as }) => pass(alias, as)),
    from: { kind: 'union', arms: [arm(byKeys(select, semiJoin, keys), end, ZERO), arm(select, ZERO, end)], alias },
    orderBy: orderOfUnion(alias, orderBy),
    limit,
    offset,
  };
}
