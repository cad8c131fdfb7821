// Migrates a database to a model: all steps in one transaction, or none if a step could lose data without permission.
import { graphErrors } from '../errors.ts';
import type { Model } from '../schema/model.ts';
import type { Store } from '../store/store.ts';
import { type MigrationPlan, planMigration } from './plan-migration.ts';

/** Permitted data loss. */
export interface MigrationPermissions {
  /** Names of steps (`drop photos.description`) that may lose data, optional ones included; default none. */
  readonly allow?: readonly string[];
}

/**
 * Plans and applies a migration. Without permissions, only safe steps are applied, as at start-up.
 *
 * @returns the applied plan; without steps if nothing had to change
 * @throws GRAPH_MIGRATION_REFUSED with every step that would lose data; the database is then unchanged
 */
export async function applyMigration(
  model: Model,
  store: Store,
  permissions: MigrationPermissions = {},
): Promise<MigrationPlan> {
  const options = { allow: permissions.allow ?? [], counts: permissions.allow !== undefined };
  const planPermitted = async (): Promise<MigrationPlan> => {
    const plan = await planMigration(model, store, options);
    checkPermitted(plan, store, permissions);
    return plan;
  };
  const apply = async (plan: MigrationPlan): Promise<MigrationPlan> => {
    if (plan.sql.length > 0) await store.script(plan.sql.join(';\n'));
    return plan;
  };
  const plan = await planPermitted();
  // The usual start takes no lock.
  if (plan.sql.length === 0) return plan;
  // Planned again: another server may have migrated until the lock was free.
  if (store.exclusively !== undefined) return store.exclusively(async () => apply(await planPermitted()));
  try {
    return await apply(plan);
  } catch (error) {
    // Another process may have migrated the file at the same time; then there is a different plan.
    const again = await planPermitted();
    if (again.sql.join() === plan.sql.join()) throw error;
    await apply(again);
    return plan;
  }
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
