// Adopts what the engine can really serve: the schema is read and planned like that of any application, and a column or
// table that the plan refuses is left out with its reason.
import type { Store } from '../store/store.ts';
import { planMigration } from '../migrate/plan-migration.ts';
import { readSchema } from '../schema/read-schema.ts';
import { adoptDatabase } from './adopt-database.ts';
import type { Adoption } from './adoption.ts';
import { type DatabaseDescription, sqlName } from './database-description.ts';
import { printAdoptedSchema } from './print-schema.ts';

/** Leaving a key column out may leave others out with it; each round leaves out at least one. */
const ROUNDS = 10;

/** Adopts a database. @param store the database, or an empty one with the same tables; it is only read */
export async function settleAdoption(database: DatabaseDescription, store: Store): Promise<Adoption> {
  const refused = new Map<string, string>();
  let adoption = adoptDatabase(database);
  for (let round = 0; round < ROUNDS && adoption.types.length > 0; round++) {
    const model = readSchema([{ file: 'schema.graphql', text: printAdoptedSchema(adoption) }]);
    const { steps } = await planMigration(model, store, { counts: false });
    const blocked = steps.filter((step) => step.blocked && !refused.has(step.name));
    if (blocked.length === 0) return adoption;
    for (const { name, loses } of blocked) refused.set(name, loses ?? 'the engine cannot read it');
    adoption = adoptDatabase(withRefusals(database, refused));
  }
  return adoption;
}

/** The description with the reason at each refused table and column. @param refused name of the step → reason */
function withRefusals(database: DatabaseDescription, refused: ReadonlyMap<string, string>): DatabaseDescription {
  return {
    ...database,
    tables: database.tables.map((table) => ({
      ...table,
      refused: refused.get(`read ${sqlName(table)}`),
      columns: table.columns.map((column) => ({
        ...column,
        refused: refused.get(`read ${sqlName(table)}.${column.name}`),
      })),
    })),
  };
}
