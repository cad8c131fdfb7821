// Simplifies the conditions of selects. A row is selected if its condition is true, so unknown counts as false there; below
// NOT it does not. Not here: joins and orders (optimize.ts).
import { and, type Expr, type From, type Join, type Select } from './sql.ts';
import { columnsOf, replaceColumn, rewrite } from './tree.ts';
import { only } from '../present.ts';

const TRUE: Expr = { kind: 'literal', value: true };
const FALSE: Expr = { kind: 'literal', value: false };

/** The conditions of a select, joined by AND. */
export function termsOf(where: Expr | undefined): readonly Expr[] {
  if (where === undefined) return [];
  return where.kind === 'and' ? where.operands : [where];
}

/** A select with simpler conditions and without joins that nothing needs. */
export function simplifySelect(select: Select): Select {
  const { from, joins, where } = select;
  const simple: Select = {
    ...select,
    from: simplifyFrom(from),
    where: where === undefined ? undefined : conditionOf(where),
  };
  return joins === undefined || joins.length === 0 ? simple : withoutKeyJoins(simple);
}

function simplifyFrom(from: From): From {
  if (from.kind === 'query') return { ...from, select: simplifySelect(from.select) };
  return from.kind === 'union' ? { ...from, arms: from.arms.map(simplifySelect) } : from;
}

/** A condition that is true for the same rows. */
export function simplifyCondition(where: Expr): Expr {
  return truthOf(where);
}

function conditionOf(where: Expr): Expr | undefined {
  const simple = truthOf(where);
  return simple.kind === 'literal' && simple.value === true ? undefined : simple;
}

/** A condition that is true for the same rows; it may be false where the given one is unknown. */
function truthOf(expr: Expr): Expr {
  switch (expr.kind) {
    case 'literal':
      return expr.value === null ? FALSE : expr;
    case 'and':
    case 'or':
      return joined(expr.kind, expr.operands.map(truthOf));
    case 'choose': {
      const [branch, ...others] = expr.branches;
      const { otherwise } = expr;
      const isNever = otherwise.kind === 'literal' && (otherwise.value === null || otherwise.value === false);
      if (branch === undefined || others.length > 0 || !isNever) return simplifyBelow(expr);
      return joined('and', [truthOf(branch.when), truthOf(branch.use)]);
    }
    case 'exists':
      return existsOf(expr.select);
    case 'isNotTrue': {
      const operand = truthOf(expr.operand);
      if (operand.kind === 'literal') return operand.value === true ? FALSE : TRUE;
      return { kind: operand.kind === 'exists' ? 'not' : 'isNotTrue', operand };
    }
    case 'select': {
      // A truth value of at most one row.
      const { select } = expr;
      const { columns, limit, offset, orderBy, where } = select;
      const column = only(columns);
      if (column === undefined || limit !== undefined || offset !== undefined || orderBy !== undefined)
        return simplifyBelow(expr);
      return existsOf({ ...select, columns: FOUND, where: and(where, column.expr) });
    }
    default:
      return simplifyBelow(expr);
  }
}

const FOUND: Select['columns'] = [{ expr: { kind: 'literal', value: 1 }, as: 'found' }];

function joined(kind: 'and' | 'or', operands: readonly Expr[]): Expr {
  const decisive = kind === 'or';
  const left: Expr[] = [];
  for (const each of operands) {
    if (each.kind === 'literal' && typeof each.value === 'boolean') {
      if (each.value === decisive) return each;
    } else if (each.kind === kind) left.push(...each.operands);
    else left.push(each);
  }
  if (left.length === 0) return decisive ? FALSE : TRUE;
  return only(left) ?? { kind, operands: left };
}

/** Simplifies the selects inside an expression whose own value has to stay. */
export function simplifyBelow<T extends Expr>(expr: T): T {
  return rewrite(expr, (node): Expr | undefined => {
    switch (node.kind) {
      case 'exists':
      case 'select':
      case 'count':
        return { ...node, select: simplifySelect(node.select) };
      default:
        return undefined;
    }
  });
}

/** A row that a foreign key refers to needs no look-up where only its key is used. */
function existsOf(given: Select): Expr {
  const select = simplifySelect(given);
  const plain: Expr = { kind: 'exists', select };
  const { from, joins = [], where } = select;
  if (from.kind !== 'table' || joins.length > 0) return plain;
  const terms = termsOf(where);
  const link = terms.find((term) => isReferenceTo(term, from.alias));
  if (link === undefined || link.reference === 'unchecked') return plain;
  const rest = terms.filter((term) => term !== link && term.kind !== 'beforeDeadline');
  const key = link.left.column;
  if (!isOnly(columnsOf(rest).get(from.alias), key)) return plain;
  const conditions = rest.map((term) => replaceColumn(term, from.alias, key, link.right));
  return joined('and', [
    ...(link.reference === 'optional' ? [{ kind: 'isNull', operand: link.right, negated: true } as const] : []),
    ...conditions,
  ]);
}

function isOnly(columns: ReadonlySet<string> | undefined, name: string): boolean {
  return columns === undefined || (columns.size === 1 && columns.has(name));
}

type Link = Extract<Expr, { kind: 'compare' }> & { readonly left: Extract<Expr, { kind: 'column' }> };

/** Whether a condition says that the row of `alias` is the one that a foreign key of another row refers to. */
export function isReferenceTo(expr: Expr, alias: string): expr is Link {
  return (
    expr.kind === 'compare' &&
    expr.reference !== undefined &&
    expr.left.kind === 'column' &&
    expr.left.from === alias &&
    !columnsOf(expr.right).has(alias)
  );
}

/** Leaves out joined rows of which only the key is used, which is in the row that refers to them. */
function withoutKeyJoins(select: Select): Select {
  let rest: Select = select;
  for (const join of select.joins ?? []) {
    const { from, on } = join;
    if (from.kind !== 'table' || !isReferenceTo(on, from.alias) || on.reference !== 'required') continue;
    const joins: readonly Join[] = (rest.joins ?? []).filter((each) => each !== join);
    const without: Select = { ...rest, joins };
    if (!isOnly(columnsOf(without).get(from.alias), on.left.column)) continue;
    rest = replaceColumn(without, from.alias, on.left.column, on.right);
  }
  return rest;
}
