// Conditions that a nested row satisfies because the row around it does: the tasks of a project under the rule of the
// project need not be tested again. A condition is compared as text, with the columns that a foreign key makes equal.
import { toText } from '@lockstitch/kernel';
import { hasMembers } from '../present.ts';
import { simplifyCondition, termsOf } from './simplify.ts';
import type { Expr, Json, Select } from './sql.ts';
import { isExpr } from './tree.ts';

/** Conditions that are true in a part of the statement, as text. */
export type Known = ReadonlySet<string>;

export const NOTHING: Known = new Set();

/** Prints conditions so that those with the same meaning have the same text. */
class Canonical {
  /** Column of this select → the column that is equal to it. */
  readonly #equal: ReadonlyMap<string, string>;
  readonly #aliases = new Map<string, string>();
  /** Whether a bound value occurred that may differ from every other one. */
  isUnique = false;

  constructor(equal: ReadonlyMap<string, string>) {
    this.#equal = equal;
  }

  text(node: unknown): string {
    if (Array.isArray(node)) return `[${node.map((each) => this.text(each)).join()}]`;
    if (!hasMembers(node)) return `${typeof node} ${toText(node)}`;
    if (isExpr(node, 'parameter')) return this.#parameter(node);
    if (isExpr(node, 'column')) return this.#column(node);
    if (isExpr(node, 'and') || isExpr(node, 'or')) {
      const tested = node.operands.filter((each) => each.kind !== 'beforeDeadline');
      return `${node.kind}(${tested
        .map((each) => this.text(each))
        .toSorted()
        .join()})`;
    }
    return this.#object(node);
  }

  #parameter({ parameter, storage }: Extract<Expr, { kind: 'parameter' }>): string {
    if (parameter.kind === 'constant') return `${storage} ${typeof parameter.value} ${String(parameter.value)}`;
    this.isUnique ||= parameter.same === undefined;
    return `${storage} ${parameter.same ?? ''}`;
  }

  #column({ column, from }: Extract<Expr, { kind: 'column' }>): string {
    const own = this.#aliases.get(from);
    const name = columnName(own ?? from, column);
    return own === undefined ? (this.#equal.get(name) ?? name) : name;
  }

  #object(object: Readonly<Record<string, unknown>>): string {
    // A row source defines the alias that the other members use.
    const names = Object.keys(object).filter((name) => !HINTS.has(name));
    names.sort((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1));
    const members = names.map((name) => {
      const value = object[name];
      if (name !== 'alias') return value === undefined ? '' : `${name}:${this.text(value)}`;
      const own = `#${this.#aliases.size}`;
      this.#aliases.set(value as string, own);
      return own;
    });
    return `{${members.join()}}`;
  }
}

/** Members that do not change which rows there are. */
const HINTS: ReadonlySet<string> = new Set(['reference', 'referrer', 'anyOrder', 'unique', 'indexed', 'native', 'as']);

const FIRST = ['alias', 'from', 'on', 'joins'];

function rankOf(name: string): number {
  const rank = FIRST.indexOf(name);
  return rank < 0 ? FIRST.length : rank;
}

function columnName(alias: string, column: string): string {
  return `${alias}.${column}`;
}

/** The text of a condition; undefined if no other one can be the same. */
function conditionText(condition: Expr, equal: ReadonlyMap<string, string>): string | undefined {
  const canonical = new Canonical(equal);
  const text = canonical.text(condition);
  return canonical.isUnique ? undefined : text;
}

/** The conditions of a select, simplified. */
function simpleTerms(where: Expr | undefined): readonly Expr[] {
  return where === undefined ? [] : termsOf(simplifyCondition(where));
}

/** What is known below the rows of a select whose columns the alias has. */
export function knownBelow(select: Select, alias: string, known: Known): Known {
  const { from } = select;
  if (from.kind !== 'table' || select.where === undefined) return known;
  // Nested rows name the columns by the alias of the list.
  const shown = select.columns.flatMap(({ as, expr }): [string, string][] =>
    expr.kind === 'column' ? [[columnName(expr.from, expr.column), columnName(alias, as)]] : [],
  );
  const equal = new Map(alias === from.alias ? [] : shown);
  const texts = simpleTerms(select.where).map((term) => conditionText(term, equal));
  return new Set([...known, ...texts.filter((text) => text !== undefined)]);
}

/** A select without the conditions that are known to be true. */
export function withoutKnown(select: Select, known: Known): Select {
  const { where } = select;
  if (known.size === 0 || where === undefined) return select;
  const equal = new Map<string, string>();
  for (const term of termsOf(where)) {
    if (term.kind !== 'compare' || term.operator !== '=') continue;
    // Of keys that the database enforces; others may be equal in a collation only.
    const isEnforced = [term.reference, term.referrer].some((each) => each === 'required' || each === 'optional');
    if (!isEnforced || term.left.kind !== 'column' || term.right.kind !== 'column') continue;
    const [left, right] = [
      columnName(term.left.from, term.left.column),
      columnName(term.right.from, term.right.column),
    ];
    if (term.left.from === aliasOf(select)) equal.set(left, right);
    else if (term.right.from === aliasOf(select)) equal.set(right, left);
  }
  const isKnown = (term: Expr): boolean =>
    simpleTerms(term).every((each) => {
      const text = conditionText(each, equal);
      return text !== undefined && known.has(text);
    });
  const rest = termsOf(where).filter((term) => term.kind === 'beforeDeadline' || !isKnown(term));
  return rest.length === termsOf(where).length ? select : { ...select, where: { kind: 'and', operands: rest } };
}

/** A select whose columns are read from related rows, without the conditions that its own rows satisfy. */
export function withoutKnownInColumns(select: Select): Select {
  const alias = aliasOf(select);
  if (alias === undefined || !select.columns.some(({ expr }) => expr.kind === 'select')) return select;
  const known = knownBelow(select, alias, NOTHING);
  const columns = select.columns.map((column) => {
    const { expr } = column;
    return expr.kind === 'select' ? { ...column, expr: { ...expr, select: withoutKnown(expr.select, known) } } : column;
  });
  return { ...select, columns };
}

function aliasOf({ from }: Select): string | undefined {
  return from.kind === 'table' ? from.alias : undefined;
}

/** Whether a value has rows of its own. */
export function hasRows(json: Json): boolean {
  switch (json.kind) {
    case 'one':
    case 'list':
      return true;
    case 'object':
      return json.members.some(({ value }) => hasRows(value));
    case 'beforeDeadline':
    case 'with':
      return hasRows(json.value);
    case 'choose':
      return hasRows(json.otherwise) || json.branches.some(({ use }) => hasRows(use));
    case 'cursor':
      return json.items.some(hasRows);
    case 'concat':
      return json.parts.some(hasRows);
    case 'elements':
      return hasRows(json.element);
    case 'text':
    case 'constant':
    case 'nodeId':
    case 'value':
      return false;
  }
}
