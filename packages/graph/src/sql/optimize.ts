// Rewrites the statement that the planner wrote into one that the database executes faster, with the same result. The
// planner writes one subquery for each condition and order on related rows; what is best depends on the whole select.
// Not here: the rewrites themselves (simplify.ts, join-order.ts, semi-join.ts, implied.ts).
import type { Dialect } from './dialect.ts';
import { hasRows, type Known, knownBelow, NOTHING, withoutKnown, withoutKnownInColumns } from './implied.ts';
import { joinColumns, joinOrders, splitByPresence } from './join-order.ts';
import { countByReferrers, listBySemiJoin, pageBySemiJoin, wholeBySemiJoin } from './semi-join.ts';
import { simplifyBelow, simplifySelect, termsOf } from './simplify.ts';
import type { Expr, Json, Select } from './sql.ts';
import { outerAliases, rewrite, sizeOf } from './tree.ts';

/** Size from which a select is not written twice: preparing takes quadratic time. */
const LARGE = 600;

type List = Extract<Json, { kind: 'list' }>;

/** The same JSON value by a faster statement. */
export function optimizeJson(json: Json, { name }: Pick<Dialect, 'name'>): Json {
  return new Optimizer(name === 'sqlite').json(json);
}

/** The same rows of a select that reads all that match, whatever its limit. */
export function optimizeWhole(select: Select, { name }: Pick<Dialect, 'name'>): Select {
  const simple = simplifySelect(select);
  return name === 'sqlite' ? wholeBySemiJoin(simple) : simple;
}

class Optimizer {
  readonly #readsOtherEnds: boolean;
  #tables = 0;

  constructor(readsOtherEnds: boolean) {
    this.#readsOtherEnds = readsOtherEnds;
  }

  readonly #name = (): string => `lockstitch_c${this.#tables++}`;

  json(json: Json, known: Known = NOTHING): Json {
    switch (json.kind) {
      case 'constant':
        return json;
      case 'value':
        return { ...json, expr: this.#expr(json.expr) };
      case 'nodeId':
        return { ...json, key: this.#expr(json.key) };
      case 'object':
        return { ...json, members: json.members.map(({ key, value }) => ({ key, value: this.json(value, known) })) };
      case 'one': {
        const element = this.#below(json.rows, json.element, known, (alias) => alias);
        return { ...json, rows: this.#one(withoutKnown(json.rows, known)), element };
      }
      case 'list': {
        const element = this.#below(json.rows, json.element, known, (alias) => `${alias}r`);
        return this.#list({ ...json, rows: withoutKnown(json.rows, known), element });
      }
      case 'beforeDeadline':
        return { ...json, value: this.json(json.value, known) };
      case 'with':
        return {
          ...json,
          tables: json.tables.map(({ name, select }) => ({ name, select: this.#rows(select) })),
          value: this.json(json.value, known),
        };
      case 'elements':
      case 'text':
      case 'concat':
        // Only rewriting makes them.
        return json;
      case 'cursor':
        return { ...json, items: json.items.map((item) => this.json(item, known)) };
      case 'choose':
        return {
          ...json,
          branches: json.branches.map(({ when, use }) => ({ when: this.#expr(when), use: this.json(use, known) })),
          otherwise: this.json(json.otherwise, known),
        };
    }
  }

  /** The element of rows, whose own rows need not satisfy the conditions of these again. */
  #below(rows: Select, element: Json, known: Known, rename: (alias: string) => string): Json {
    const { from } = rows;
    if (from.kind !== 'table' || !hasRows(element)) return this.json(element, known);
    return this.json(element, knownBelow(rows, rename(from.alias), known));
  }

  /** Counts are rewritten where they stand; other selects inside are simplified. */
  #expr(expr: Expr): Expr {
    if (expr.kind === 'column') return expr;
    if (expr.kind === 'json') return { ...expr, json: this.json(expr.json) };
    return rewrite(expr, (node): Expr | undefined => {
      if (node.kind === 'count') return this.#count(node.select);
      return node.kind === 'exists' || node.kind === 'select' ? simplifyBelow(node) : undefined;
    });
  }

  #count(given: Select): Expr {
    const { from } = given;
    if (from.kind === 'query')
      return { kind: 'count', select: { ...given, from: { ...from, select: this.#rows(from.select) } } };
    if (given.limit !== undefined) return { kind: 'count', select: this.#rows(given) };
    const select = simplifySelect(given);
    const ends = countByReferrers(select);
    return ends ?? { kind: 'count', select: this.#readsOtherEnds ? wholeBySemiJoin(select) : select };
  }

  /** One row: the first of an order, or the only one. Its element reads the columns of its table, so that must stay. */
  #one(select: Select): Select {
    const { from } = select;
    if (from.kind === 'query') return { ...select, from: { ...from, select: this.#rows(from.select) } };
    return simplifySelect(select.orderBy === undefined ? select : joinOrders(select));
  }

  /**
   * A page of a table may be read in several ways; the statement holds each where the elements are short. PostgreSQL would
   * prepare each at every execution.
   */
  #list(list: List): Json {
    const { element, rows } = list;
    if (!this.#readsOtherEnds || rows.from.kind !== 'table' || rows.limit === undefined || !hasChoice(rows))
      return { ...list, rows: this.#rows(rows) };
    if (sizeOf(rows) + sizeOf(element) > LARGE) return { ...list, rows: this.#rows(rows) };
    const select = joinOrders(rows);
    const split = this.#split(select);
    if (split !== undefined) return { ...list, rows: split };
    const simple = simplifySelect(select);
    return listBySemiJoin(simple, element, this.#name) ?? { ...list, rows: simple };
  }

  /** Orders by a value that not every row has. */
  #split(select: Select): Select | undefined {
    return select.orderBy?.[0]?.expr.kind === 'select' && isRepeatable(select) ? splitByPresence(select) : undefined;
  }

  #rows(given: Select): Select {
    const { from } = given;
    if (from.kind === 'query') return { ...given, from: { ...from, select: this.#rows(from.select) } };
    if (from.kind !== 'table') return simplifySelect(given);
    const select = joinColumns(withoutKnownInColumns(joinOrders(given)));
    const split = this.#split(select);
    if (split !== undefined) return split;
    const simple = simplifySelect(select);
    if (!this.#readsOtherEnds || !hasChoice(simple)) return simple;
    if (simple.limit === undefined) return wholeBySemiJoin(simple);
    return (isRepeatable(simple) ? pageBySemiJoin(simple, this.#name) : undefined) ?? simple;
  }
}

/** Whether a select has a condition or an order that can be read in several ways; quicker than looking for them. */
function hasChoice({ orderBy, where }: Select): boolean {
  return (
    orderBy?.[0]?.expr.kind === 'select' || termsOf(where).some(({ kind }) => kind !== 'compare' && kind !== 'isNull')
  );
}

/** Whether a select may be written twice. */
function isRepeatable(select: Select): boolean {
  return outerAliases(select).length === 0 && sizeOf(select) < LARGE;
}
