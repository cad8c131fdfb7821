// Tests whether PostgreSQL allows a change of a column's type. Views, triggers and policies on the column, foreign keys
// to it, and incompatible defaults, checks and indexes prevent it. Reads only: the change is tried on an empty copy and
// rolled back.
import { toError } from '@lockstitch/kernel';
import type { Store } from '../store/store.ts';
import type { TableFacts } from './change.ts';
import { quoteName } from './table-shape.ts';
import { quoteText } from '../schema/table-name.ts';

/** Returns what prevents a conversion; undefined: nothing. */
export async function tryConversion(
  { store, table: quoted, wanted }: Pick<TableFacts, 'store' | 'table' | 'wanted'>,
  table: string,
  column: string,
  sql: readonly string[],
): Promise<string | undefined> {
  if (store.dialect !== 'postgres') return undefined;
  const users = await usersOf(store, table, column, wanted);
  if (users.length > 0)
    return `${users.join(', ')} ${users.length === 1 ? 'uses' : 'use'} the column; drop ${users.length === 1 ? 'it' : 'them'} first and make ${users.length === 1 ? 'it' : 'them'} again afterwards`;
  return tryOnCopy(store, quoted, sql);
}

async function usersOf(
  store: Store,
  table: string,
  column: string,
  wanted: ReadonlySet<string>,
): Promise<readonly string[]> {
  const at = `(SELECT oid FROM pg_class WHERE relname = ${quoteText(table)} AND relnamespace = current_schema()::regnamespace)`;
  const attribute = `(SELECT attnum FROM pg_attribute WHERE attrelid = ${at} AND attname = ${quoteText(column)})`;
  const rows = await store
    .prepare(
      `SELECT DISTINCT coalesce('view ' || v.relname, pg_describe_object(d.classid, d.objid, 0)) FROM pg_depend d
         LEFT JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
         LEFT JOIN pg_class v ON v.oid = w.ev_class
       WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = ${at} AND d.refobjsubid = ${attribute}
         AND d.classid IN ('pg_rewrite'::regclass, 'pg_trigger'::regclass, 'pg_policy'::regclass)
       UNION
       SELECT 'the key ' || k.conname || ' of table ' || f.relname FROM pg_constraint k JOIN pg_class f ON f.oid = k.conrelid
       WHERE k.contype = 'f' AND k.confrelid = ${at} AND ${attribute} = ANY(k.confkey)
         AND NOT (array_length(k.confkey, 1) = 1 AND f.relname IN (${[...wanted].map(quoteText).join(', ')}))
         AND format_type((SELECT atttypid FROM pg_attribute WHERE attrelid = ${at} AND attname = ${quoteText(column)}), NULL)
           NOT IN ('smallint', 'integer')
       ORDER BY 1`,
    )
    .rows([]);
  return rows.map(([name]) => String(name));
}

async function tryOnCopy(store: Store, quoted: string, sql: readonly string[]): Promise<string | undefined> {
  const copy = quoteName('lockstitch_try');
  const undo = new Error('tried');
  let failure: Error | undefined;
  try {
    await store.transaction(async (session) => {
      try {
        await session.prepare(`CREATE TEMP TABLE ${copy} (LIKE ${quoted} INCLUDING ALL) ON COMMIT DROP`).run([]);
      } catch {
        // Without the privilege to create a copy, the change itself will report errors.
        throw undo;
      }
      for (const statement of sql) {
        try {
          await session.prepare(statement.replace(`ALTER TABLE ${quoted} `, `ALTER TABLE pg_temp.${copy} `)).run([]);
        } catch (error) {
          failure = toError(error);
          throw undo;
        }
      }
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  return failure === undefined ? undefined : `PostgreSQL refuses it (${failure.message}); change the column yourself`;
}
