// Prints JSON trees: SQL whose value is JSON text, as a concatenation of pieces or as one call of a function that makes objects.
// Not here: the expressions and rows that it consists of (print.ts).
import { first } from '../present.ts';
import { quoteText } from '../schema/table-name.ts';
import type { Dialect } from './dialect.ts';
import { type CommonTable, type Expr, type From, type Json, type JsonFormat, type Select, VIOLATION } from './sql.ts';

/** The printer of the SQL in a JSON tree. It binds values in the order in which it is called. */
export interface SqlPrinter {
  readonly dialect: Dialect;
  expr(expr: Expr): string;
  select(select: Select): string;
  from(from: From): string;
  /** The common tables before a select. */
  with(tables: readonly CommonTable[]): string;
}

/** A piece of a concatenation: literal text, SQL of type text, or SQL of any type that concat prints. */
type Piece = { readonly literal: string } | { readonly sql: string } | { readonly value: string };

/** Argument limit of functions: 100 on PostgreSQL, 127 on older SQLite. */
const MAX_ARGUMENTS = 90;

/** Prints the JSON of one statement. */
export class JsonPrinter {
  readonly #sql: SqlPrinter;

  constructor(sql: SqlPrinter) {
    this.#sql = sql;
  }

  /** Prints an expression whose value is JSON text. */
  print(json: Json): string {
    return this.#flat(json) ?? this.#concat(this.#pieces(json));
  }

  /** A flat object in one call, if the dialect has one. */
  #flat(json: Json): string | undefined {
    if (json.kind !== 'object') return undefined;
    const plain: {
      key: string;
      format: JsonFormat;
      value: Extract<Json, { kind: 'value' }> | undefined;
      text: string;
    }[] = [];
    for (const { key, value } of json.members) {
      if (value.kind === 'value' && isPlain(value.expr)) plain.push({ key, format: value.format, value, text: '' });
      // The only constant among plain values is a type name.
      else if (value.kind === 'constant' && /^"\w+"$/.test(value.text))
        plain.push({ key, format: 'string', value: undefined, text: value.text.slice(1, -1) });
      else return undefined;
    }
    return this.#sql.dialect.flatObject(
      plain.map(({ key, format, value, text }) => ({
        key,
        format,
        operand: value === undefined ? quoteText(text) : this.#sql.expr(value.expr),
      })),
    );
  }

  #pieces(json: Json): readonly Piece[] {
    switch (json.kind) {
      case 'constant':
        return [{ literal: json.text }];
      case 'value':
        // An integer key needs no escaping.
        if (json.format === 'id' && !json.nullable)
          return [{ literal: '"' }, { sql: this.#sql.expr(json.expr) }, { literal: '"' }];
        return [{ value: this.#sql.dialect.json(json.format, this.#sql.expr(json.expr), json.nullable) }];
      case 'object': {
        const flat = this.#flat(json);
        if (flat !== undefined) return [{ sql: flat }];
        const pieces: Piece[] = [];
        for (const { key, value } of json.members)
          pieces.push({ literal: `${pieces.length === 0 ? '{' : ','}"${key}":` }, ...this.#pieces(value));
        return pieces.length === 0 ? [{ literal: '{}' }] : [...pieces, { literal: '}' }];
      }
      case 'one': {
        const found = this.#sql.select(oneColumn(json.rows, json.element));
        const noRow = json.by && this.#sql.dialect.noRow?.(this.#sql.expr(json.by.key), json.by.storage);
        const missing = json.missing === 'violation' ? quoteText(VIOLATION) : (noRow ?? quoteText('null'));
        return [{ sql: `coalesce((${found}), ${missing})` }];
      }
      case 'list': {
        const flat = this.#sql.dialect.name === 'sqlite' ? this.#flatList(json) : undefined;
        if (flat !== undefined) return [{ sql: flat }];
        // Printed in text order, since placeholders are positional: the element comes before its rows.
        const element = this.print(json.element);
        const rows = this.#sql.from({ kind: 'query', select: json.rows, alias: aliasOf(json) });
        const list = `(SELECT ${this.#sql.dialect.aggregate(element)} FROM ${rows})`;
        return [
          { literal: '[' },
          { sql: this.#sql.dialect.name === 'postgres' ? `coalesce(${list}, '')` : list },
          { literal: ']' },
        ];
      }
      case 'elements':
        return [{ sql: this.#sql.dialect.aggregate(this.print(json.element)) }];
      case 'text':
        return [{ sql: this.#sql.expr(json.expr) }];
      case 'concat':
        return json.parts.flatMap((part) => this.#pieces(part));
      case 'beforeDeadline': {
        const check = this.#sql.dialect.deadlineCheck;
        if (check === undefined) return this.#pieces(json.value);
        const when = json.isRepeated === true ? `random() & 15 OR ${check}` : check;
        return [{ sql: `CASE WHEN ${when} THEN ${this.print(json.value)} ELSE 'null' END` }];
      }
      case 'with':
        return [{ sql: `(${this.#sql.with(json.tables)}SELECT ${this.print(json.value)})` }];
      case 'nodeId': {
        const text = concatAll([quoteText(json.start), this.#sql.expr(json.key)]);
        return [{ literal: '"' }, { sql: this.#sql.dialect.base64Url(text) }, { literal: '"' }];
      }
      case 'cursor': {
        const items = json.items.flatMap((item, index): Piece[] => [
          { literal: index === 0 ? '[' : ',' },
          ...this.#pieces(item),
        ]);
        return [
          { literal: '"' },
          { sql: this.#sql.dialect.hex(this.#concat([...items, { literal: ']' }])) },
          { literal: '"' },
        ];
      }
      case 'choose': {
        const branches = json.branches.map(({ when, use }) => `WHEN ${this.#sql.expr(when)} THEN ${this.print(use)}`);
        return [{ sql: `CASE ${branches.join(' ')} ELSE ${this.print(json.otherwise)} END` }];
      }
    }
  }

  #concat(pieces: readonly Piece[]): string {
    const merged: Piece[] = [];
    for (const piece of pieces) {
      const last = merged.at(-1);
      if ('literal' in piece && last !== undefined && 'literal' in last)
        merged[merged.length - 1] = { literal: last.literal + piece.literal };
      else merged.push(piece);
    }
    const [first] = merged;
    if (merged.length === 1 && first !== undefined && 'value' in first) return this.#sql.dialect.jsonText(first.value);
    return concatAll(
      merged.map((piece) => ('literal' in piece ? quoteText(piece.literal) : 'sql' in piece ? piece.sql : piece.value)),
    );
  }

  #flatList(json: Extract<Json, { kind: 'list' }>): string | undefined {
    const element = this.#flat(json.element);
    if (element === undefined) return undefined;
    const list = this.#sql.dialect.flatList(element);
    return list === undefined
      ? undefined
      : `(SELECT ${list} FROM ${this.#sql.from({ kind: 'query', select: json.rows, alias: aliasOf(json) })})`;
  }
}

/** The alias of a list's rows, derived from their table's alias, so that elements can refer to it. */
function aliasOf(json: Extract<Json, { kind: 'list' }>): string {
  const { from } = json.rows;
  return 'alias' in from ? `${from.alias}r` : 'r';
}

function oneColumn(rows: Select, element: Json): Select {
  return { ...rows, columns: [{ expr: { kind: 'json', json: element }, as: 'j' }] };
}

function isPlain(expr: Expr): boolean {
  return expr.kind === 'column';
}

function concatAll(parts: readonly string[]): string {
  if (parts.length === 1) return first(parts);
  if (parts.length <= MAX_ARGUMENTS) return `concat(${parts.join(', ')})`;
  const groups: string[] = [];
  for (let index = 0; index < parts.length; index += MAX_ARGUMENTS)
    groups.push(concatAll(parts.slice(index, index + MAX_ARGUMENTS)));
  return concatAll(groups);
}
