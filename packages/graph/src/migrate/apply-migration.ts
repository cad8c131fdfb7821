// Brings a database to a model: all steps in one transaction, and none when one of them could lose what nobody allowed
// to be lost.
import { graphErrors } from '../errors.ts';
import type { Model } from '../schema/model.ts';
import type { Store } from '../store/store.ts';
import { type MigrationPlan, planMigration } from './plan-migration.ts';

/** What may be lost. */
export interface MigrationPermissions {
  /** Names of steps (`drop photos.description`) that may lose what they say they lose, optional ones among them; default none. */
  readonly allow?: readonly string[];
}

/**
 * Plans and applies what a model needs. With no permissions only safe steps are applied, which is what a start does.
 *
 * @returns the plan that was applied; without steps when there was nothing to do
 * @throws GRAPH_MIGRATION_REFUSED naming every step that would lose something; the database is then unchanged
 */
export async function applyMigration(
  model: Model,
  store: Store,
  permissions: MigrationPermissions = {},
): Promise<MigrationPlan> {
  const options = { allow: permissions.allow ?? [], counts: permissions.allow !== undefined };
  const plan = await planMigration(model, store, options);
  checkPermitted(plan, store, permissions);
  if (plan.sql.length === 0) return plan;
  try {
    await store.script(plan.sql.join(';\n'));
  } catch (error) {
    // Another process that starts at the same moment may have done it first: then there is something else to do now.
    const again = await planMigration(model, store, options);
    if (again.sql.join() === plan.sql.join()) throw error;
    checkPermitted(again, store, permissions);
    if (again.sql.length > 0) await store.script(again.sql.join(';\n'));
  }
  return plan;
}

function checkPermitted(plan: MigrationPlan, store: Store, permissions: MigrationPermissions): void {
  const allowed = new Set(permissions.allow);
  const refused = plan.steps.filter((step) => step.loses !== undefined && (step.blocked || !allowed.has(step.name)));
  if (refused.length > 0) {
    const list = refused
      .map(({ blocked, loses, text }) => `  ${text}: ${blocked ? 'cannot be done' : 'loses data'}: ${loses}`)
      .join('\n');
    const names = refused.filter((step) => !step.blocked).map((step) => `"${step.name}"`);
    const first = names.length < refused.length ? 'Change what cannot be done first. ' : '';
    throw graphErrors.create(
      'GRAPH_MIGRATION_REFUSED',
      { store: store.description, list },
      names.length === 0
        ? {}
        : {
            hint: `${first}To allow the loss: lockstitch migrate <dir> --allow-loss ${names.join(' ')} (a program passes these names as "allow"). If the data is not needed, start with an empty database (another --data or DATABASE_URL).`,
          },
    );
  }
}
