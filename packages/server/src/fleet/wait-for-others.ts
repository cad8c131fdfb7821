// Steps of a migration that would break servers of another schema wait until none of them runs.
import { setTimeout } from 'node:timers/promises';

import { type MigrationStep, type Model, planMigration, type Store } from '@lockstitch/graph';
import type { Log } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import { serversOfOtherSchemas } from './server-registry.ts';

/** Milliseconds between two looks. */
const LOOK = 1000;
/** Looks between two lines of the log. */
const LINE_EVERY = 30;

const MESSAGE =
  'The schema waits for servers that its changes would break. Stop them, or change the schema in versions that can run side by side.';

/** Resolves as soon as the database can be migrated without harm to a server that runs. */
export async function waitForOthers(model: Model, store: Store, log: Log): Promise<void> {
  for (let look = 0; ; look++) {
    const others = await serversOfOtherSchemas(store, model);
    if (others.length === 0) return;
    const { steps } = await planMigration(model, store, { counts: false });
    const breaking = breakingSteps(steps);
    if (breaking.length === 0) return;
    if (look % LINE_EVERY === 0) log.write('warn', MESSAGE, { servers: others.join(', '), steps: breaking.join(', ') });
    await setTimeout(LOOK);
  }
}

/** @throws ProductError SERVER_OTHERS_RUN if one of the steps would break a server that runs */
export async function checkOthers(model: Model, store: Store, steps: readonly MigrationStep[]): Promise<void> {
  const breaking = breakingSteps(steps);
  const others = breaking.length === 0 ? [] : await serversOfOtherSchemas(store, model);
  if (others.length === 0) return;
  const parts = { servers: others.join(', '), steps: breaking.join(', ') };
  throw serverErrors.create('SERVER_OTHERS_RUN', parts);
}

/** Names of the steps that servers with the schema before would not survive. */
function breakingSteps(steps: readonly MigrationStep[]): readonly string[] {
  return steps.filter(({ isRolling }) => isRolling !== true).map(({ name }) => name);
}
