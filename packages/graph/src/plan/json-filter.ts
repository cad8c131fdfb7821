// Converts the filter of a JSON value to conditions on the value at its path. Paths and values are bound. Not here: other
// columns (column-filter.ts).
import { isKeyOf, toText } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import type { Expr } from '../sql/sql.ts';
import type { JsonTest } from '../store/json-test.ts';
import { asArray, at, entriesAt, type ConditionArguments, type Path } from './argument-path.ts';
import { isStorable } from './bound-value.ts';
import { readTextOperator } from './text-operator.ts';

const TESTS = {
  eq: 'eq',
  ne: 'eq',
  in: 'in',
  notIn: 'in',
  lt: 'lt',
  lte: 'lte',
  gt: 'gt',
  gte: 'gte',
  has: 'hasSome',
  hasSome: 'hasSome',
  hasEvery: 'hasEvery',
} as const satisfies Readonly<Record<string, JsonTest>>;
const COMPARISONS: ReadonlySet<string> = new Set(['lt', 'lte', 'gt', 'gte']);
const LISTS: ReadonlySet<string> = new Set(['in', 'notIn', 'hasSome']);

/** The conditions of the filter at `path`. */
export function readJsonFilter(operand: Expr, args: ConditionArguments, path: Path): readonly Expr[] {
  const entries = entriesAt(args.values, path);
  const steps = entries.some(([name, value]) => name === 'path' && value !== null)
    ? args.parameter([...path, 'path'].join('.'), 'json', (values) => bindPath(values, [...path, 'path']))
    : undefined;
  const test = (name: JsonTest, value?: Expr): Expr => ({ kind: 'jsonTest', test: name, operand, path: steps, value });
  const conditions: Expr[] = [];
  for (const [operator, value] of entries) {
    const here = [...path, operator];
    if (operator === 'path' || (value === null && operator !== 'eq' && operator !== 'ne')) continue;
    if (operator === 'isNull' || operator === 'exists') conditions.push(unless(value === false, test(operator)));
    else if (value === null) conditions.push(unless(operator === 'ne', test('isNull')));
    else if (isKeyOf(TESTS, operator)) {
      const bound = args.parameter(here.join('.'), 'json', (values) => bindValue(values, here, operator));
      conditions.push(unless(operator === 'ne' || operator === 'notIn', test(TESTS[operator], bound)));
    } else conditions.push(readTextOperator(operator, { kind: 'textInJson', operand, path: steps }, args, here));
  }
  return conditions;
}

function unless(negated: boolean, operand: Expr): Expr {
  return negated ? { kind: 'isNotTrue', operand } : operand;
}

function bindPath(values: ConditionArguments['values'], path: Path): string {
  const steps = asArray(at(values, path));
  // The databases would read it as another path, or fail.
  if (!steps.every((step) => isStorable(toText(step)))) throw notComparable(path, UNSTORABLE);
  return JSON.stringify(steps);
}

/** The JSON to bind; null for a value that no row can hold, which equals nothing. */
function bindValue(values: ConditionArguments['values'], path: Path, operator: string): string | null {
  const value = at(values, path);
  if (COMPARISONS.has(operator)) {
    if (typeof value !== 'number' && typeof value !== 'string') throw notComparable(path, 'is neither number nor text');
    if (storableJson(value) === null) throw notComparable(path, UNSTORABLE);
  }
  if (operator === 'has') {
    const text = storableJson(value);
    return text === null ? null : `[${text}]`;
  }
  if (!LISTS.has(operator)) return storableJson(value);
  const storable = asArray(value).map(storableJson);
  return `[${storable.filter((each) => each !== null).join(',')}]`;
}

const UNSTORABLE = 'holds the character U+0000 or half of a surrogate pair';

function notComparable(path: Path, reason: string): Error {
  return graphErrors.create('GRAPH_VALUE_INVALID', { place: path.join('.'), reason });
}

/** A value as JSON; null if it holds a text that cannot be stored. */
function storableJson(value: unknown): string | null {
  let storable = true;
  const text = JSON.stringify(value, (name, each: unknown) => {
    storable &&= isStorable(name) && (typeof each !== 'string' || isStorable(each));
    return each;
  });
  return storable ? text : null;
}
