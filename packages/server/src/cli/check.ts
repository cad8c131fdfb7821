// `lockstitch check`: reports every problem of an application with location and remedy, without starting it; then
// warnings; with --integrity also damage of its data.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import {
  adviseOnDefaults,
  adviseOnPayloads,
  adviseOnRules,
  adviseOnSoftDeletion,
  checkIntegrity,
  type IntegrityReport,
  planMigration,
  type SchemaProblem,
} from '@lockstitch/graph';

import { checkApp, type LoadedApp, printProblem } from '../app/load-app.ts';
import { dataFolder, type Problem } from '../config/load-config.ts';
import { openStore } from '../data/open-store.ts';
import { serverErrors } from '../errors.ts';
import { adviseOnCapture } from '../sync/advise-on-capture.ts';
import { furthestIndex } from '../sync/furthest-index.ts';
import { describeGone } from '../sync/lost-changes.ts';
import { asTyped } from './as-typed.ts';
import type { Command } from './parse-arguments.ts';
import { countOf } from './progress.ts';
import type { Terminal } from './terminal.ts';

/** Prints the problems. The exit code is 1 if there are any, or if the data is damaged. */
export async function check(
  { arguments: [folder = '.'], options, switches }: Command,
  { out, environment }: Terminal,
): Promise<number> {
  if (options['data'] !== undefined && !switches.has('integrity'))
    throw serverErrors.create('SERVER_BAD_ARGUMENTS', {
      reason: 'The option --data is for "check --integrity": without it, no data is looked at.',
    });
  const reading = await checkApp(folder, environment, { data: options['data'] });
  const data = reading.kind === 'good' && switches.has('integrity') ? await checkData(reading.app) : undefined;
  const integrity = data?.report;
  const problems = reading.kind === 'bad' ? reading.problems : [];
  const advice = reading.kind === 'good' ? adviseOn(reading.app).map(toProblem) : [];
  const unchecked = reading.kind === 'good' ? reading.app.unchecked : [];
  if (switches.has('json')) {
    const found = integrity === undefined ? {} : { integrity };
    out.write(
      `${JSON.stringify({ folder, good: problems.length === 0, problems, advice, unchecked, ...found }, undefined, 2)}\n`,
    );
  } else if (reading.kind === 'good') {
    const { entities } = reading.app.model;
    const indexed = [...entities.values()].filter((entity) => entity.searchIndex !== undefined);
    const none = `No mistakes: ${countOf(entities.size, 'stored type')}, ${indexed.length} of them searchable.\n`;
    const meant = advice.length === 0 ? '' : `\nBut is this meant?\n${advice.map(printProblem).join('\n')}\n`;
    const open = unchecked.length === 0 ? '' : `\n${unchecked.join('\n  ')}\n`;
    out.write(`${none}${meant}${open}${data === undefined ? '' : printData(data)}`);
  } else {
    const count = countOf(problems.length, 'mistake');
    out.write(asTyped(`${count} in "${folder}":\n${problems.map(printProblem).join('\n')}\n`, environment));
  }
  return problems.length === 0 && (integrity?.findings.length ?? 0) === 0 ? 0 : 1;
}

function adviseOn({ model }: LoadedApp): readonly SchemaProblem[] {
  return [
    ...adviseOnDefaults(model),
    ...adviseOnPayloads(model),
    ...adviseOnRules(model),
    ...adviseOnSoftDeletion(model),
    ...adviseOnCapture(model),
  ];
}

interface CheckedData {
  readonly report: IntegrityReport;
  /** Whether there is no database yet. */
  readonly isNew?: true;
}

/** Reads the whole database; may run beside a server. */
async function checkData(app: LoadedApp): Promise<CheckedData> {
  const { url } = app.config.database;
  const file = join(dataFolder(app), 'data.sqlite');
  const nothing = (text: string): CheckedData => ({ report: { rows: 0, findings: [{ kind: 'file', text }] } });
  // A read-only check must not create a database.
  if (url === undefined && !existsSync(file)) {
    const seen = await furthestIndex(app.model, dataFolder(app));
    return seen === undefined ? { report: { rows: 0, findings: [] }, isNew: true } : nothing(describeGone(file, seen));
  }
  const store = await openStore(url, dataFolder(app));
  try {
    const { steps } = await planMigration(app.model, store, { counts: false }).catch((error: unknown) => {
      if (url !== undefined) throw error;
      // A damaged SQLite file cannot be planned; the integrity check below reports the damage.
      return { steps: [] };
    });
    if (steps.length > 0)
      return nothing(`${store.description} does not hold the schema; "lockstitch plan" says what it lacks`);
    return { report: await checkIntegrity(app.model, store) };
  } finally {
    await store.close();
  }
}

function printData({ report: { rows, findings }, isNew }: CheckedData): string {
  if (isNew === true) return 'There is no database yet: the first start makes it.\n';
  const read = `${countOf(rows, 'row')} read`;
  if (findings.length === 0) return `No damage in the data: ${read}.\n`;
  return `${countOf(findings.length, 'damage')} in the data, ${read}:\n${findings.map(({ text }) => `  ${text}\n`).join('')}`;
}

function toProblem({ location, message, remedy }: SchemaProblem): Problem {
  const where = location === undefined ? 'schema' : `${location.file}:${location.line}:${location.column}`;
  return { where, message, hint: remedy };
}
