// The SQL that removes a field from the embedded objects of a column, through nested objects and lists, for each
// database. Not here: whether that is permitted.
import { type Dialect, quoteName } from './table-shape.ts';
import { first } from '../present.ts';
import { quoteText } from '../schema/table-name.ts';

/** One step of a path: through `lists` levels of lists, then to the field. */
export interface EmbeddedStep {
  readonly lists: number;
  readonly name: string;
}

/** The statement that rewrites all rows with the field. `steps` lead from the column to it. */
export function dropEmbeddedFieldSql(
  dialect: Dialect,
  table: string,
  column: string,
  steps: readonly EmbeddedStep[],
): string {
  const quoted = quoteName(column);
  const without = (dialect === 'sqlite' ? onSqlite : onPostgres)(quoted, steps, 0);
  return `UPDATE ${quoteName(table)} SET ${quoted} = ${without} WHERE ${quoted} IS NOT NULL`;
}

function onSqlite(value: string, steps: readonly EmbeddedStep[], level: number): string {
  const step = first(steps);
  const rest = steps.slice(1);
  if (step.lists > 0) {
    const each = `e${level}`;
    const element = `CASE WHEN ${each}.type IN ('object', 'array') THEN json(${onSqlite(`${each}.value`, [{ ...step, lists: step.lists - 1 }, ...rest], level + 1)}) ELSE json_quote(${each}.value) END`;
    return `(SELECT json_group_array(json(${element}) ORDER BY ${each}.key) FROM json_each(${value}) ${each})`;
  }
  const path = quoteText(`$."${step.name}"`);
  if (rest.length === 0) return `json_remove(${value}, ${path})`;
  const inner = `json_extract(${value}, ${path})`;
  return `CASE WHEN json_type(${value}, ${path}) IN ('object', 'array') THEN json_set(${value}, ${path}, json(${onSqlite(inner, rest, level)})) ELSE ${value} END`;
}

function onPostgres(value: string, steps: readonly EmbeddedStep[], level: number): string {
  const step = first(steps);
  const rest = steps.slice(1);
  if (step.lists > 0) {
    const each = `e${level}`;
    const element = `CASE WHEN jsonb_typeof(${each}.v) IN ('object', 'array') THEN ${onPostgres(`${each}.v`, [{ ...step, lists: step.lists - 1 }, ...rest], level + 1)} ELSE ${each}.v END`;
    return `(SELECT coalesce(jsonb_agg(${element} ORDER BY ${each}.n), '[]') FROM jsonb_array_elements(${value}) WITH ORDINALITY AS ${each}(v, n))`;
  }
  const name = quoteText(step.name);
  if (rest.length === 0) return `${value} - ${name}`;
  const inner = `(${value} -> ${name})`;
  return `CASE WHEN jsonb_typeof(${value} -> ${name}) IN ('object', 'array') THEN jsonb_set(${value}, ARRAY[${name}], ${onPostgres(inner, rest, level)}) ELSE ${value} END`;
}
