// Tests of the JSON value at a path, in PostgreSQL's SQL. SQLite has functions that mean the same (store/json-test.ts).
import type { JsonTest } from '../store/json-test.ts';

/** The value at a path as `jsonb`; null if there is none. */
function valueAt(operand: string, path: string | undefined): string {
  const value = `(${operand})::jsonb`;
  // The list of steps is uncorrelated, so it is made once per statement.
  return path === undefined ? value : `(${value} #> ARRAY(SELECT json_array_elements_text(${path})))`;
}

export function postgresJsonTest(
  test: JsonTest,
  operand: string,
  path: string | undefined,
  value: string | undefined,
): string {
  const at = valueAt(operand, path);
  if (test === 'exists') return `${at} IS NOT NULL`;
  if (test === 'isNull') return `coalesce(jsonb_typeof(${at}), 'null') = 'null'`;
  const given = `(${value})::jsonb`;
  if (test === 'eq') return `${at} = ${given}`;
  if (test === 'in') return `${at} IN (SELECT jsonb_array_elements(${given}))`;
  // OFFSET keeps the planner from copying the operands into each use.
  return `(SELECT ${TESTS[test]} FROM (SELECT ${at} AS a, ${given} AS v OFFSET 0) j)`;
}

export function postgresTextInJson(operand: string, path: string | undefined): string {
  return `(SELECT CASE WHEN jsonb_typeof(a) = 'string' THEN a #>> '{}' END FROM (SELECT ${valueAt(operand, path)} AS a OFFSET 0) j)`;
}

/** Of the value `a` and the bound value `v`; each raises an error for none. */
const TESTS: Readonly<Record<Exclude<JsonTest, 'exists' | 'isNull' | 'eq' | 'in'>, string>> = {
  lt: ordered('<'),
  lte: ordered('<='),
  gt: ordered('>'),
  gte: ordered('>='),
  hasSome: `EXISTS (SELECT jsonb_array_elements(${array('a')}) INTERSECT SELECT jsonb_array_elements(v))`,
  hasEvery: `${array('a')} IS NOT NULL AND v IS NOT NULL AND NOT EXISTS (SELECT jsonb_array_elements(v) EXCEPT SELECT jsonb_array_elements(${array('a')}))`,
};

/** Texts compare by code point; the order of `jsonb` is that of the database's locale. */
function ordered(operator: string): string {
  return `CASE WHEN jsonb_typeof(a) <> jsonb_typeof(v) THEN NULL WHEN jsonb_typeof(a) = 'number' THEN a ${operator} v WHEN jsonb_typeof(a) = 'string' THEN (a #>> '{}') COLLATE "C" ${operator} (v #>> '{}') END`;
}

function array(value: string): string {
  return `(CASE WHEN jsonb_typeof(${value}) = 'array' THEN ${value} END)`;
}
