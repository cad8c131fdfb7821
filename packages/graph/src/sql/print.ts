// Prints an SQL tree as the text of a statement, with its bound values in order. Names from the schema are quoted;
// values are always bound. Not here: JSON (print-json.ts) and differences between databases (dialect.ts).
import { graphErrors } from '../errors.ts';
import { quoteName, quoteTable, quoteText } from '../schema/table-name.ts';
import { compareKeys, compositeColumns, keyAmong } from './composite-key.ts';
import type { Dialect, NativeTexts } from './dialect.ts';
import type { CommonTable, Expr, From, Json, OrderTerm, Parameter, Select } from './sql.ts';
import { JsonPrinter, type SqlPrinter } from './print-json.ts';
import { checkJsonDepth, checkSelectDepth } from './statement-depth.ts';

/** A statement ready to prepare. */
export interface PrintedStatement {
  readonly text: string;
  /** In the order of the placeholders. */
  readonly parameters: readonly Parameter[];
}

/** Prints a statement that returns one JSON text. */
export function printJson(json: Json, dialect: Dialect): PrintedStatement {
  checkJsonDepth(json);
  const printer = new Printer(dialect);
  return { text: `SELECT ${printer.json(json)} AS json`, parameters: printer.parameters };
}

/** Prints a select. */
export function printSelect(select: Select, dialect: Dialect): PrintedStatement {
  checkSelectDepth(select);
  const printer = new Printer(dialect);
  return { text: printer.select(select), parameters: printer.parameters };
}

/** Operands that are joined at one level. */
const MAX_OPERANDS = 50;
/**
 * Limit of conditions and bound values per statement; a list counts as one. Preparing takes quadratic time on SQLite
 * (4,000: 0.15 s, 30,000: 12 s), and PostgreSQL's protocol allows 65,535 parameters.
 */
const MAX_CONDITIONS = 4000;

/** Limit of sort terms and of group keys: SQLite allows 2,000 of each, PostgreSQL 1,664 with the columns. */
const MAX_TERMS = 1000;

/** Levels of EXISTS whose plans the database chooses freely; see `Dialect.planOnce`. */
const FREELY_PLANNED = 3;

class Printer implements SqlPrinter {
  readonly parameters: Parameter[] = [];
  #conditions = 0;
  #existsWithin = 0;
  readonly dialect: Dialect;
  readonly #json: JsonPrinter;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
    this.#json = new JsonPrinter(this);
  }

  select(select: Select): string {
    const before = this.with(select.tables ?? []);
    const columns = select.columns.map(({ expr, as }) => {
      const printed = this.expr(expr);
      return expr.kind === 'column' && expr.column === as ? printed : `${printed} AS ${quoteName(as)}`;
    });
    return `${before}SELECT ${columns.join(', ')}${this.#rest(select)}`;
  }

  with(tables: readonly CommonTable[]): string {
    if (tables.length === 0) return '';
    return `WITH ${tables.map(({ name, select }) => `${name} AS MATERIALIZED (${this.select(select)})`).join(', ')} `;
  }

  /** Everything of a select after its columns. */
  #rest(select: Select): string {
    const dialect = this.dialect;
    let text = select.from.kind === 'nothing' ? '' : ` FROM ${this.from(select.from)}`;
    for (const { from, on, anyOrder } of select.joins ?? [])
      text += ` ${anyOrder === true ? 'JOIN' : dialect.join} ${this.from(from)} ON ${this.expr(on)}`;
    if (select.where !== undefined && !(select.where.kind === 'beforeDeadline' && dialect.deadlineCheck === undefined))
      text += ` WHERE ${this.expr(select.where)}`;
    if ((select.groupBy ?? 0) > MAX_TERMS) throw graphErrors.create('GRAPH_TOO_INVOLVED');
    if (select.groupBy !== undefined && select.groupBy > 0)
      text += ` GROUP BY ${Array.from({ length: select.groupBy }, (_, index) => index + 1).join(', ')}`;
    if (select.orderBy !== undefined && select.orderBy.length > 0) {
      if (select.orderBy.length > MAX_TERMS) throw graphErrors.create('GRAPH_TOO_INVOLVED');
      text += ` ORDER BY ${select.orderBy.map((term) => this.#order(term)).join(', ')}`;
    }
    if (select.limit !== undefined) text += ` LIMIT ${this.#limit(select.limit)}`;
    else if (select.offset !== undefined && dialect.offsetNeedsLimit) text += ' LIMIT -1';
    if (select.offset !== undefined) text += ` OFFSET ${this.#limit(select.offset)}`;
    return text;
  }

  /** Joins many operands in nested groups: SQLite nests `a OR b OR c` to the left and allows a depth of 1,000. */
  #joined(operands: readonly string[], operator: string): string {
    if (operands.length <= MAX_OPERANDS) return `(${operands.join(operator)})`;
    const groups: string[] = [];
    const size = Math.ceil(operands.length / MAX_OPERANDS);
    for (let start = 0; start < operands.length; start += size)
      groups.push(this.#joined(operands.slice(start, start + size), operator));
    return `(${groups.join(operator)})`;
  }

  #limit(expr: Expr): string {
    return expr.kind === 'parameter' ? this.dialect.limit(this.expr(expr)) : this.expr(expr);
  }

  #order(term: OrderTerm): string {
    const collation = term.storage === 'text' ? this.dialect.textCollation : '';
    const nulls = term.nullable ? this.dialect.nulls(term.descending) : '';
    return `${this.expr(term.expr)}${collation}${term.descending ? ' DESC' : ''}${nulls}`;
  }

  from(from: From): string {
    switch (from.kind) {
      case 'nothing':
        return '(SELECT 1) nothing';
      case 'table':
        return `${this.dialect.source?.(from.table) ?? quoteTable(from.table)} ${from.alias}`;
      case 'query':
        return `(${this.select(from.select)}) ${from.alias}`;
      case 'union':
        // Both databases require a subquery around an arm with its own order and limit.
        return `(${from.arms.map((arm) => (arm.limit === undefined ? this.select(arm) : `SELECT * FROM (${this.select(arm)}) arm`)).join(' UNION ALL ')}) ${from.alias}`;
      case 'elements':
        return from.list.kind === 'parameter'
          ? `${this.dialect.elements(this.expr(from.list), from.storage)} ${from.alias}`
          : `${this.dialect.storedElements(() => this.expr(from.list))} ${from.alias}`;
    }
  }

  expr(expr: Expr): string {
    const dialect = this.dialect;
    switch (expr.kind) {
      case 'column':
        return `${expr.from}.${quoteName(expr.column)}`;
      case 'parameter':
        this.parameters.push(expr.parameter);
        if (this.parameters.length > MAX_CONDITIONS) throw graphErrors.create('GRAPH_TOO_INVOLVED');
        return dialect.placeholder(this.parameters.length, expr.storage);
      case 'literal':
        return this.#literal(expr.value);
      case 'compare':
        return this.#compare(expr);
      case 'and':
      case 'or':
        return this.#junction(expr);
      case 'not':
        return `NOT (${this.expr(expr.operand)})`;
      case 'isNotTrue':
        return `(${this.expr(expr.operand)}) IS NOT TRUE`;
      case 'isNull':
        return `${this.expr(expr.operand)} IS ${expr.negated ? 'NOT ' : ''}NULL`;
      case 'among':
        return this.#among(expr);
      case 'text':
        return this.#text(expr);
      case 'matches':
        return dialect.matches(this.expr(expr.operand), this.expr(expr.pattern));
      case 'list': {
        const operand = (): string => this.expr(expr.operand);
        const list = (): string => this.expr(expr.list);
        if (expr.test === 'some') return dialect.listHasSome(operand, list);
        return expr.test === 'same' ? dialect.sameList(operand, list) : dialect.listHasEvery(operand, list);
      }
      case 'emptyList':
        return `${dialect.listLength(() => this.expr(expr.operand))} ${expr.negated ? '>' : '='} 0`;
      case 'jsonTest': {
        const { operand, path, value } = expr;
        // In this order, in which SQLite numbers the bound values.
        const printed = [operand, path, value].map((each) => each && this.expr(each));
        return dialect.jsonTest(expr.test, printed[0] ?? '', printed[1], printed[2]);
      }
      case 'textInJson':
        return dialect.textInJson(this.expr(expr.operand), expr.path && this.expr(expr.path));
      case 'member':
        return this.#member(expr);
      case 'beforeDeadline':
        return this.#beforeDeadline(expr);
      case 'exists':
        return this.#exists(expr.select);
      case 'in':
        return this.#in(expr);
      case 'select':
        return `(${this.select(expr.select)})`;
      case 'count':
        return this.#count(expr.select, expr.distinct);
      case 'cast':
        return expr.to === 'text'
          ? dialect.castText(this.expr(expr.operand))
          : dialect.castInteger(this.expr(expr.operand));
      case 'arithmetic':
        return dialect.arithmetic(expr.operator, this.expr(expr.left), this.expr(expr.right));
      case 'sum':
        return `(${this.expr(expr.left)} ${expr.operator} ${this.expr(expr.right)})`;
      case 'choose': {
        const branches = expr.branches.map(({ when, use }) => `WHEN ${this.expr(when)} THEN ${this.expr(use)}`);
        return `CASE ${branches.join(' ')} ELSE ${this.expr(expr.otherwise)} END`;
      }
      case 'aggregate':
        return this.#aggregate(expr);
      case 'timePart': {
        const { operand, zone, part, time } = expr;
        return dialect.timePart(() => this.expr(operand), time, part, zone && (() => this.expr(zone)));
      }
      case 'json':
        return this.json(expr.json);
    }
  }

  #compare(expr: Extract<Expr, { kind: 'compare' }>): string {
    const dialect = this.dialect;
    const exact = this.#nativeComparison(expr);
    if (exact !== undefined) return exact;
    const left = this.expr(expr.left);
    const collation =
      expr.storage === 'text' && expr.operator !== '=' && expr.operator !== '<>' ? dialect.textCollation : '';
    return `${left}${collation} ${expr.operator} ${this.expr(expr.right)}`;
  }

  #junction(expr: Extract<Expr, { kind: 'and' | 'or' }>): string {
    const dialect = this.dialect;
    const operands = expr.operands.filter(
      (each) => each.kind !== 'beforeDeadline' || dialect.deadlineCheck !== undefined,
    );
    if (operands.length === 0) return dialect.boolean(expr.kind === 'and');
    this.#conditions += operands.length;
    if (this.#conditions > MAX_CONDITIONS) throw graphErrors.create('GRAPH_TOO_INVOLVED');
    return this.#joined(
      operands.map((each) => this.expr(each)),
      expr.kind === 'and' ? ' AND ' : ' OR ',
    );
  }

  #among(expr: Extract<Expr, { kind: 'among' }>): string {
    const dialect = this.dialect;
    const native = nativeTexts(expr.operand);
    if (native !== undefined && expr.list.kind === 'parameter' && dialect.amongTexts !== undefined)
      return dialect.amongTexts(native.raw, this.expr(expr.list), native.texts);
    const composite = expr.list.kind === 'parameter' ? compositeColumns(expr.operand) : undefined;
    if (composite !== undefined) return dialect.amongComposite(composite, this.expr(expr.list));
    const operand = this.expr(expr.operand);
    const loose = looseColumn(expr.operand);
    if (loose !== undefined && expr.list.kind === 'parameter') {
      const own = dialect.among(loose, this.expr(expr.list), expr.storage);
      return `(${own} AND ${dialect.among(operand, this.expr(expr.list), expr.storage)})`;
    }
    return expr.list.kind === 'parameter'
      ? dialect.among(operand, this.expr(expr.list), expr.storage)
      : dialect.amongStored(operand, () => this.expr(expr.list), expr.storage);
  }

  #text(expr: Extract<Expr, { kind: 'text' }>): string {
    const dialect = this.dialect;
    // Each use of the pattern binds another value.
    const operand = this.expr(expr.operand);
    const mentions =
      dialect.name === 'sqlite'
        ? { contains: 1, startsWith: 2, endsWith: 3 }[expr.mode]
        : { contains: 1, startsWith: 1, endsWith: 2 }[expr.mode];
    const patterns = Array.from({ length: mentions }, () => this.expr(expr.pattern));
    let index = 0;
    return dialect.text(expr.mode, operand, '\u0000').replaceAll('\u0000', () => patterns[index++]!);
  }

  #beforeDeadline(expr: Extract<Expr, { kind: 'beforeDeadline' }>): string {
    const check = this.dialect.deadlineCheck;
    if (check === undefined) return this.dialect.boolean(true);
    if (expr.sample === undefined) return check;
    const { by, isInteger } = expr.sample;
    // The hash of an integer takes 25 ns, random() 75, and a call of JavaScript 100. The last bits alone may be the same in all rows.
    if (!isInteger) return `(random() & 127 OR ${check})`;
    return `((${this.expr(by)} % 1048573 * 2654435769 >> 16 & 127) > 0 OR ${check})`;
  }

  #aggregate({ of, operand, storage, isWide = false }: Extract<Expr, { kind: 'aggregate' }>): string {
    const dialect = this.dialect;
    if (operand === undefined) return 'count(*)';
    const collation = storage === 'text' ? dialect.textCollation : '';
    if (of === 'count' || of === 'countDistinct')
      return `count(${of === 'count' ? '' : 'DISTINCT '}${this.expr(operand)})`;
    if (of === 'min' || of === 'max') return `${of}(${this.expr(operand)}${collation})`;
    return dialect[of](() => this.expr(operand), storage, isWide);
  }

  /** Equality with a column of another type, by that type; the comparison of converted values could use no index. */
  #nativeComparison({ operator, left, right }: Extract<Expr, { kind: 'compare' }>): string | undefined {
    const { toNative } = this.dialect;
    if (operator !== '=') return undefined;
    const composite = compareKeys(left, right, this.dialect, (expr) => this.expr(expr));
    if (composite !== undefined) return composite;
    if (toNative === undefined) return this.#looseComparison(left, right);
    const [one, other] = [nativeTexts(left), nativeTexts(right)];
    if (one !== undefined && other?.texts.cast === one.texts.cast) return `${one.raw} = ${other.raw}`;
    if (one !== undefined) return `${one.raw} = ${toNative(this.expr(right), one.texts)}`;
    return other === undefined ? undefined : `${toNative(this.expr(left), other.texts)} = ${other.raw}`;
  }

  /** The column's own comparison is for the index. */
  #looseComparison(left: Expr, right: Expr): string | undefined {
    const [one, other] = [looseColumn(left), looseColumn(right)];
    if (one === undefined && other === undefined) return undefined;
    const own = `${one ?? this.expr(left)} = ${other ?? this.expr(right)}`;
    return `(${own} AND ${this.expr(left)} = ${this.expr(right)})`;
  }

  /** Composite keys are compared part by part, which an index can answer. */
  #in({ operand, select }: Extract<Expr, { kind: 'in' }>): string {
    const { given, among } = keyAmong(operand, select, this.dialect) ?? { given: this.expr(operand), among: select };
    return `${given} IN (${this.select(among)})`;
  }

  /** Nested members are one path; level by level, each would be extracted once per use of the next. */
  #member(expr: Extract<Expr, { kind: 'member' }>): string {
    const path = [expr.name];
    let { operand } = expr;
    for (; operand.kind === 'member'; operand = operand.operand) path.unshift(operand.name);
    return this.dialect.member(() => this.expr(operand), path, expr.storage);
  }

  #exists(select: Select): string {
    this.#existsWithin++;
    const fence = this.#existsWithin > FREELY_PLANNED ? this.dialect.planOnce : '';
    const printed = `EXISTS (${this.select(select)}${fence})`;
    this.#existsWithin--;
    return printed;
  }

  /** Rows are counted in place; only a page needs a subquery. */
  #count(select: Select, distinct?: Expr): string {
    if (select.limit !== undefined || select.offset !== undefined || select.tables !== undefined)
      return `(SELECT count(*) FROM (${this.select(select)}) counted)`;
    const counted = distinct === undefined ? '*' : `DISTINCT ${this.expr(distinct)}`;
    return `(SELECT count(${counted})${this.#rest({ ...select, orderBy: [] })})`;
  }

  #literal(value: string | number | boolean | null): string {
    if (value === null) return 'NULL';
    if (typeof value === 'boolean') return this.dialect.boolean(value);
    return typeof value === 'number' ? String(value) : quoteText(value);
  }

  json(json: Json): string {
    return this.#json.print(json);
  }
}

/** A column that can be compared by its own type, and how. */
function nativeTexts(expr: Expr): { readonly raw: string; readonly texts: NativeTexts } | undefined {
  if (expr.kind !== 'column') return undefined;
  const { raw, texts } = expr.native ?? {};
  return raw === undefined || texts === undefined ? undefined : { raw: `${expr.from}.${quoteName(raw)}`, texts };
}

/** A column that may take other texts for equal, without the conversion that does not. */
function looseColumn(expr: Expr): string | undefined {
  if (expr.kind !== 'column' || expr.native?.isLoose !== true || expr.native.raw === undefined) return undefined;
  return `${expr.from}.${quoteName(expr.native.raw)}`;
}
