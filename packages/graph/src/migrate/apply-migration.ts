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

/** What a server does while no other one migrates the database, where several share it. */
export interface MigrationTurn {
  /** Called with the plan, also an empty or a refused one; prevents it by throwing. */
  readonly before?: (plan: MigrationPlan) => Promise<void>;
  /** Called when the database has the shape of the model. */
  readonly after?: () => Promise<void>;
  /** Called once if it has to wait for more than five seconds. */
  readonly onWait?: () => void;
}

/**
 * Plans and applies a migration. Without permissions, only safe steps are applied, as at start-up.
 *
 * @param turn for stores that several servers share
 * @returns the applied plan; without steps if nothing had to change
 * @throws GRAPH_MIGRATION_REFUSED with every step that would lose data; the database is then unchanged
 */
export async function applyMigration(
  model: Model,
  store: Store,
  permissions: MigrationPermissions = {},
  turn: MigrationTurn = {},
): Promise<MigrationPlan> {
  const options = { allow: permissions.allow ?? [], counts: permissions.allow !== undefined };
  const planPermitted = async (before?: MigrationTurn['before']): Promise<MigrationPlan> => {
    const plan = await planMigration(model, store, options);
    await before?.(plan);
    checkPermitted(plan, store, permissions);
    return plan;
  };
  const apply = async (plan: MigrationPlan): Promise<MigrationPlan> => {
    if (plan.sql.length > 0) await store.script(plan.sql.join(';\n'));
    return plan;
  };
  const { exclusively } = store;
  const inTurn = async (): Promise<MigrationPlan> => {
    const applied = await apply(await planPermitted(turn.before));
    await turn.after?.();
    return applied;
  };
  if (turn.before !== undefined && exclusively !== undefined) return exclusively(inTurn, turn.onWait);
  const plan = await planPermitted();
  // The usual start of one server takes no lock.
  if (plan.sql.length === 0) return plan;
  // Planned again: another server may have migrated until the lock was free.
  if (exclusively !== undefined) return exclusively(inTurn, turn.onWait);
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
