// `lockstitch plan`: prints the migration steps and SQL that the schema needs, and the indexes that the next start
// builds. Writes nothing. A database that does not exist yet is compared as an empty one.
import { join } from 'node:path';

import { type MigrationPlan, type MigrationStep, planMigration } from '@lockstitch/graph';

import { loadApp } from '../app/load-app.ts';
import { dataFolder } from '../config/load-config.ts';
import { isNewDatabase, openStore } from '../data/open-store.ts';
import { compareIndexes, type IndexStep } from '../sync/compare-indexes.ts';
import type { Command } from './parse-arguments.ts';
import type { Terminal } from './terminal.ts';

export async function plan(
  { arguments: [folder = '.'], options, switches }: Command,
  terminal: Terminal,
): Promise<number> {
  const app = await loadApp(folder, terminal.environment, { data: options['data'] });
  const data = dataFolder(app);
  const { url } = app.config.database;
  const isNew = url === undefined && isNewDatabase(data);
  const store = await openStore(url, isNew ? ':memory:' : data);
  try {
    const planned = await planMigration(app.model, store);
    const database = isNew ? `${join(data, 'data.sqlite')} (new)` : store.description;
    // What is on a cluster is not looked at.
    const isElsewhere = data === ':memory:' || app.config.search.engine !== 'embedded';
    const indexes = isElsewhere ? [] : await compareIndexes(app.model, data);
    if (switches.has('json'))
      terminal.out.write(`${JSON.stringify({ database, ...planned, indexes }, undefined, 2)}\n`);
    else terminal.out.write(`${printPlan(planned, database)}${printIndexes(indexes)}`);
  } finally {
    await store.close();
  }
  return 0;
}

function printPlan({ steps, sql, optional }: MigrationPlan, database: string): string {
  const left =
    optional.length === 0
      ? []
      : ['', 'Optional; left as it is, as the schema does not know it:', ...optional.map(printStep)];
  if (steps.length === 0) return [`Nothing to change: ${database} holds the schema.`, ...left, ''].join('\n');
  return [
    `${countSteps(steps)} for ${database}:`,
    ...steps.map(printStep),
    ...left,
    '',
    'SQL:',
    ...sql.map((statement) => `  ${statement.replaceAll('\n', '\n  ')};`),
    '',
  ].join('\n');
}

function printIndexes(indexes: readonly IndexStep[]): string {
  if (indexes.length === 0) return '';
  return ['', 'Search, at the next start:', ...indexes.map(({ text }) => `  ${text}`), ''].join('\n');
}

/** Prints one step as a line, and what it would lose. */
export function printStep({ name, text, loses, blocked, optional }: MigrationStep): string {
  if (loses === undefined && optional === true) return `  ${text}\n      To let it happen: --allow-loss "${name}"`;
  if (loses === undefined) return `  ${text}`;
  if (blocked) return `  ${text}\n      Cannot be done: ${loses}.`;
  return `  ${text}\n      Loses ${loses}. To let it happen: --allow-loss "${name}"`;
}

/** Example: `3 steps`. */
export function countSteps(steps: readonly MigrationStep[]): string {
  return steps.length === 1 ? '1 step' : `${steps.length} steps`;
}
