// `lockstitch migrate`: migrates the database of an application to its schema in one transaction. A step that loses
// data is rejected unless it is named.
import { applyMigration, type MigrationTurn, planMigration } from '@lockstitch/graph';
import { didYouMean } from '@lockstitch/kernel';

import { loadApp } from '../app/load-app.ts';
import { dataFolder } from '../config/load-config.ts';
import { lockDataFolder } from '../data/data-lock.ts';
import { openStore } from '../data/open-store.ts';
import { serverErrors } from '../errors.ts';
import { checkOthers } from '../fleet/wait-for-others.ts';
import type { Command } from './parse-arguments.ts';
import { countSteps, printStep } from './plan.ts';
import type { Terminal } from './terminal.ts';

export async function migrate(command: Command, terminal: Terminal): Promise<number> {
  const [folder = '.', ...allow] = command.arguments;
  const { options, switches } = command;
  if (allow.length > 0 !== switches.has('allow-loss')) {
    const reason =
      allow.length > 0
        ? `"${allow[0]}" is no option; steps that may lose data are named after --allow-loss.`
        : 'Name the steps that may lose data after --allow-loss, as "lockstitch plan" calls them.';
    throw serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
  }
  const app = await loadApp(folder, terminal.environment, { data: options['data'] });
  const data = dataFolder(app);
  const lock = data === ':memory:' ? undefined : lockDataFolder(data);
  try {
    const store = await openStore(app.config.database.url, data);
    try {
      const { steps: planned, optional } = await planMigration(app.model, store, { counts: false });
      const lossy = [...planned.filter((step) => step.loses !== undefined), ...optional].map((step) => step.name);
      for (const name of allow) {
        if (lossy.includes(name)) continue;
        const reason = `No step that loses data is called "${name}".${didYouMean(name, lossy)}`;
        throw serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
      }
      const turn: MigrationTurn =
        app.config.servers === 'several' ? { before: ({ steps }) => checkOthers(app.model, store, steps) } : {};
      const { steps, sql, optional: left } = await applyMigration(app.model, store, { allow }, turn);
      const { description: database } = store;
      if (switches.has('json'))
        terminal.out.write(`${JSON.stringify({ database, steps, sql, optional: left }, undefined, 2)}\n`);
      else if (steps.length === 0) terminal.out.write(`Nothing to change: ${database} holds the schema.\n`);
      else {
        const lines = steps.map((step) => printStep({ ...step, loses: undefined, optional: false }));
        terminal.out.write(`${countSteps(steps)} applied to ${database}:\n${lines.join('\n')}\n`);
      }
    } finally {
      await store.close();
    }
  } finally {
    lock?.release();
  }
  return 0;
}
