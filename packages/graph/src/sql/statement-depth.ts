// Limits the nesting depth of a statement, counted as SQLite does, so that both databases accept the same operations.
// SQLite adds up the expression heights around each subquery and allows 1,000, which cannot be raised; PostgreSQL is
// limited by its stack. The depth of SQLite's text is counted on the tree, never too low.
import { graphErrors } from '../errors.ts';
import type { Expr, From, Json, Select } from './sql.ts';

/** SQLITE_MAX_EXPR_DEPTH is 1,000 in every SQLite that Node bundles; less a margin. */
const DEEPEST = 970;
/** As print.ts groups operands and arguments. */
const MAX_OPERANDS = 50;

/** Checks a statement that returns one JSON text. @throws ProductError GRAPH_TOO_INVOLVED */
export function checkJsonDepth(json: Json): void {
  const meter = new Meter();
  check(meter.json(json) + meter.nested);
}

/** Checks a select. @throws ProductError GRAPH_TOO_INVOLVED */
export function checkSelectDepth(select: Select): void {
  const meter = new Meter();
  meter.select(select);
  check(meter.nested);
}

function check(depth: number): void {
  if (depth > DEEPEST) throw graphErrors.create('GRAPH_TOO_INVOLVED');
}

/** Methods return the height of an expression, and keep the largest depth of its subqueries in `nested`. */
class Meter {
  nested = 0;

  /** The height of the highest expression of a select; its FROM counts in `nested` only. */
  select({ columns, ...rest }: Select): number {
    const before = this.nested;
    let [height, deepest] = [0, 0];
    for (const table of rest.tables ?? []) {
      this.nested = 0;
      this.select(table.select);
      deepest = Math.max(deepest, this.nested);
    }
    const add = (measure: () => number): void => {
      this.nested = 0;
      const own = measure();
      height = Math.max(height, own);
      deepest = Math.max(deepest, own + this.nested);
    };
    for (const { expr } of columns) add(() => this.expr(expr));
    for (const from of [rest.from, ...(rest.joins ?? []).map((join) => join.from)]) {
      this.nested = 0;
      const own = this.#from(from);
      deepest = Math.max(deepest, own + this.nested);
    }
    // An inner join's condition is part of WHERE.
    const conditions = [
      ...(rest.where === undefined ? [] : [rest.where]),
      ...(rest.joins ?? []).map((join) => join.on),
    ];
    if (conditions.length > 0) add(() => chained(conditions.map((each) => this.expr(each))));
    for (const { expr } of rest.orderBy ?? []) add(() => this.expr(expr));
    for (const expr of [rest.limit, rest.offset]) if (expr !== undefined) add(() => 1 + this.expr(expr));
    this.nested = Math.max(before, deepest);
    return height;
  }

  #from(from: From): number {
    if (from.kind === 'query') this.select(from.select);
    else if (from.kind === 'union') for (const arm of from.arms) this.select(arm);
    else if (from.kind === 'elements') return 2 + this.expr(from.list);
    return 0;
  }

  /** Many operands are printed in nested groups. */
  #joined(operands: readonly Expr[]): number {
    let heights = operands.map((each) => this.expr(each));
    while (heights.length > MAX_OPERANDS) {
      const size = Math.ceil(heights.length / MAX_OPERANDS);
      heights = Array.from({ length: Math.ceil(heights.length / size) }, (_, group) =>
        chained(heights.slice(group * size, (group + 1) * size)),
      );
    }
    return chained(heights);
  }

  /** A condition with a subquery of its own. */
  #around(height: number): number {
    this.nested = Math.max(this.nested, height);
    return height;
  }

  expr(expr: Expr): number {
    switch (expr.kind) {
      case 'column':
      case 'parameter':
      case 'literal':
        return 1;
      case 'beforeDeadline':
        if (expr.sample === undefined) return 1;
        return expr.sample.isInteger ? 6 + this.expr(expr.sample.by) : 3;
      case 'compare':
      case 'arithmetic':
      case 'sum':
        return 1 + Math.max(this.expr(expr.left), this.expr(expr.right));
      case 'and':
      case 'or':
        return this.#joined(expr.operands);
      case 'not':
      case 'isNotTrue':
      case 'isNull':
      case 'cast':
        return 1 + this.expr(expr.operand);
      case 'among':
        return 1 + this.#around(4 + Math.max(this.expr(expr.operand), this.expr(expr.list)));
      case 'text':
        return 2 + Math.max(this.expr(expr.operand), 2 + this.expr(expr.pattern));
      case 'matches':
        return 1 + this.expr(expr.operand);
      case 'list':
        return 2 + this.#around(8 + this.expr(expr.operand));
      case 'jsonTest':
      case 'textInJson':
        return 2 + this.expr(expr.operand);
      case 'emptyList':
        return 4 + this.expr(expr.operand);
      case 'member': {
        let { operand } = expr;
        while (operand.kind === 'member') operand = operand.operand;
        return 4 + this.expr(operand);
      }
      case 'exists':
      case 'select':
        return 1 + this.select(expr.select);
      case 'in':
        return 1 + Math.max(this.expr(expr.operand), this.select(expr.select));
      case 'count':
        return 1 + Math.max(1, this.select(expr.select));
      case 'choose': {
        let height = this.expr(expr.otherwise);
        for (const { when, use } of expr.branches) height = Math.max(height, this.expr(when), this.expr(use));
        return 1 + height;
      }
      case 'aggregate':
        return 6 + (expr.operand === undefined ? 0 : this.expr(expr.operand));
      case 'timePart':
        return 8 + this.expr(expr.operand);
      case 'json':
        return this.json(expr.json);
    }
  }

  json(json: Json): number {
    switch (json.kind) {
      case 'constant':
        return 1;
      case 'value':
        return (json.format === 'wholeNumber' ? 4 : 2) + this.expr(json.expr);
      case 'object': {
        let height = 1;
        for (const { value } of json.members) height = Math.max(height, this.#member(value));
        return height + (json.members.length > 40 ? 2 : 1);
      }
      case 'one':
        return 2 + this.#rows(json.rows, json.element, 0);
      case 'list':
        return 1 + this.#rows({ columns: [], from: { kind: 'query', select: json.rows, alias: 'r' } }, json.element, 1);
      case 'elements':
        return 1 + this.json(json.element);
      case 'text':
        return this.expr(json.expr);
      case 'concat':
        return 2 + Math.max(1, ...json.parts.map((part) => this.json(part)));
      case 'beforeDeadline':
        return 1 + this.json(json.value);
      case 'with':
        return (
          1 +
          this.select({
            tables: json.tables,
            columns: [{ expr: { kind: 'json', json: json.value }, as: 'j' }],
            from: { kind: 'nothing' },
          })
        );
      case 'nodeId':
        return 4 + this.expr(json.key);
      case 'cursor': {
        let height = 1;
        for (const item of json.items) height = Math.max(height, this.json(item));
        return 2 + height;
      }
      case 'choose': {
        let height = this.json(json.otherwise);
        for (const { when, use } of json.branches) height = Math.max(height, this.expr(when), this.json(use));
        return 1 + height;
      }
    }
  }

  /** Nested objects are printed as one concatenation. */
  #member(json: Json): number {
    return json.kind === 'object' && json.members.length > 0 ? this.json(json) - 1 : this.json(json);
  }

  /** A select of one column: the element, inside `around` functions. */
  #rows(rows: Select, element: Json, around: number): number {
    const before = this.nested;
    this.nested = 0;
    const own = around + this.json(element);
    const deepest = own + this.nested;
    this.nested = 0;
    const rest = this.select({ ...rows, columns: [] });
    this.nested = Math.max(before, deepest, this.nested);
    return Math.max(own, rest);
  }
}

/** The height of chained operands: `a AND b AND c` nests to the left. */
function chained(heights: readonly number[]): number {
  let height = heights[0] ?? 1;
  for (let index = 1; index < heights.length; index++) height = 1 + Math.max(height, heights[index]!);
  return height;
}
