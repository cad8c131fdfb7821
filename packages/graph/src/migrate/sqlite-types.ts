// SQLite columns that the engine did not declare. The declared type decides only the affinity, and each value has its
// own type. So a column is kept by affinity, and converted value by value.
import type { Storage } from '../schema/model.ts';
import type { ColumnCompatibility } from './column-compatibility.ts';
import { type Conversion, onSqlite } from './convert-column.ts';
import { type ColumnShape, quoteName, storageOfType } from './table-shape.ts';
import { required } from '../present.ts';

/** Affinities that store and compare values of a storage as the engine's own columns do. */
const AFFINITY: Readonly<Record<Storage, string>> = {
  text: 'TEXT',
  integer: 'INTEGER',
  real: 'REAL',
  decimal: 'TEXT',
  boolean: 'INTEGER',
  timestamp: 'TEXT',
  json: 'TEXT',
};

/** Decides for such a column. */
export function sqliteCompatibility(old: ColumnShape, wanted: ColumnShape): ColumnCompatibility {
  const after = required(storageOfType('sqlite', wanted.type), wanted.type);
  if (affinityOf(old.type) === AFFINITY[after] && ['text', 'integer', 'real'].includes(after)) return { kind: 'kept' };
  return { kind: 'converted', foreign: true, ...fromAny(quoteName(old.name), after) };
}

/** SQLite, "Datatypes In SQLite" §3.1. */
export function affinityOf(declared: string): string {
  const type = declared.toUpperCase();
  if (type.includes('INT')) return 'INTEGER';
  if (/CHAR|CLOB|TEXT/.test(type)) return 'TEXT';
  if (type === '' || type.includes('BLOB')) return 'BLOB';
  return /REAL|FLOA|DOUB/.test(type) ? 'REAL' : 'NUMERIC';
}

/** By the type of each value; any other is a blob. */
function fromAny(v: string, after: Storage): Conversion {
  const rules = onSqlite(v);
  const same: Conversion = { fits: 'true', value: v };
  const of = (storage: Storage): Conversion | undefined =>
    storage === after ? same : (rules[`${storage} ${after}`] ?? undefined);
  const branches: string[] = [];
  const values: string[] = [];
  const add = (name: string, rule: Conversion | undefined): void => {
    if (rule === undefined) return;
    branches.push(`WHEN '${name}' THEN ${rule.fits}`);
    values.push(`WHEN '${name}' THEN ${rule.value}`);
  };
  add('integer', of('integer'));
  add('real', of('real'));
  if (after === 'json') add('text', { fits: `json_valid(${v})`, value: v });
  else add('text', of('text'));
  if (branches.length === 0) return { fits: 'false', value: 'NULL' };
  return {
    fits: `CASE typeof(${v}) ${branches.join(' ')} ELSE false END`,
    value: `CASE typeof(${v}) ${values.join(' ')} END`,
  };
}
