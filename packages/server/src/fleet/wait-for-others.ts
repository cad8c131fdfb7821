// Steps of a migration that would break servers of another schema wait until none of them runs.
import { setTimeout } from 'node:timers/promises';

import { applyMigration, type MigrationPlan, type MigrationStep, type Model, type Store } from '@lockstitch/graph';
import type { Log } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import { type Registration, serversOfOtherSchemas } from './server-registry.ts';

/** Milliseconds between two looks. */
const LOOK = 1000;
/** Looks between two lines of the log. */
const LINE_EVERY = 30;

const MESSAGE =
  'The schema waits for servers that its changes would break. Stop them, or change the schema in versions that can run side by side.';

/**
 * Migrates the database as soon as that harms no server that runs, and says so to the others before any of them looks:
 * both happen in one turn, which one server has at a time.
 */
export async function migrateBeside(model: Model, store: Store, registration: Registration, log: Log): Promise<void> {
  let found: Harm | undefined;
  const before = async ({ steps }: MigrationPlan): Promise<void> => {
    found = await harmOf(model, store, steps);
    if (found !== undefined) throw serverErrors.create('SERVER_OTHERS_RUN', found);
  };
  const onWait = (): void => log.write('info', 'Another server migrates or fills the database. This one waits for it.');
  for (let look = 0; ; look++) {
    try {
      await applyMigration(model, store, {}, { before, after: () => registration.useSchema(), onWait });
      return;
    } catch (error) {
      if (found === undefined) throw error;
      if (look % LINE_EVERY === 0) log.write('warn', MESSAGE, { ...found });
      await setTimeout(LOOK);
    }
  }
}

/** @throws ProductError SERVER_OTHERS_RUN if one of the steps would break a server that runs */
export async function checkOthers(model: Model, store: Store, steps: readonly MigrationStep[]): Promise<void> {
  const found = await harmOf(model, store, steps);
  if (found !== undefined) throw serverErrors.create('SERVER_OTHERS_RUN', found);
}

/** Servers that run, the steps that they would not survive, and what these do. */
type Harm = Readonly<Record<'servers' | 'steps' | 'meaning', string>>;

async function harmOf(model: Model, store: Store, steps: readonly MigrationStep[]): Promise<Harm | undefined> {
  const breaking = steps.filter(({ isRolling }) => isRolling !== true);
  const others = breaking.length === 0 ? [] : await serversOfOtherSchemas(store, model);
  if (others.length === 0) return undefined;
  const [names, texts] = [breaking.map(({ name }) => name), breaking.map(({ text }) => text)];
  return { servers: others.join(', '), steps: names.join(', '), meaning: texts.join('; ') };
}
