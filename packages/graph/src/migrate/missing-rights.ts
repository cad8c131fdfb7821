// What the database's user may not do for new tables on PostgreSQL, as a blocked step that says what the owner has to run.
import { quoteName } from '../schema/table-name.ts';
import type { Store } from '../store/store.ts';
import type { MigrationStep } from './change.ts';

/** Whether a schema exists, and the step that stops a plan without the right to create tables in it. */
export async function checkSchemaRights(
  store: Store,
  schema: string,
): Promise<{ readonly exists: boolean; readonly refused: MigrationStep | undefined }> {
  const [[exists, mayCreate, user, database] = []] = await store
    .prepare(
      `SELECT to_regnamespace($1) IS NOT NULL,
         CASE WHEN to_regnamespace($1) IS NULL THEN has_database_privilege(current_database(), 'CREATE')
              ELSE has_schema_privilege(to_regnamespace($1)::oid, 'CREATE') AND has_schema_privilege(to_regnamespace($1)::oid, 'USAGE') END,
         current_user::text, current_database()::text`,
    )
    .rows([quoteName(schema)]);
  if (mayCreate) return { exists: Boolean(exists), refused: undefined };
  const [place, role] = [quoteName(schema), quoteName(String(user))];
  const [what, remedy] = exists
    ? [`tables in schema ${schema}`, `GRANT USAGE, CREATE ON SCHEMA ${place} TO ${role}`]
    : [
        `schema ${schema}`,
        `CREATE SCHEMA ${place} AUTHORIZATION ${role}, or: GRANT CREATE ON DATABASE ${quoteName(String(database))} TO ${role}`,
      ];
  const loses = `this user of the database may not create it. Let the owner of the database or a superuser run: ${remedy}`;
  return {
    exists: Boolean(exists),
    refused: { name: `create in ${schema}`, text: `Create ${what}`, loses, blocked: true },
  };
}
