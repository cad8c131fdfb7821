// `lockstitch check`: every mistake of an application at once, with place and remedy, without starting it; and of one without
// mistakes, what is hardly meant.
import { adviseOnRules, type SchemaProblem } from '@lockstitch/graph';
import { checkApp, printProblem } from '../config/load-app.ts';
import type { Problem } from '../config/load-config.ts';
import { asTyped } from './as-typed.ts';
import type { Command } from './parse-arguments.ts';
import { countOf } from './progress.ts';
import type { Terminal } from './terminal.ts';

/** Prints the mistakes; exit code 1 when there are any. */
export async function check(
  { arguments: [folder], switches }: Command,
  { out, environment }: Terminal,
): Promise<number> {
  const reading = await checkApp(folder!, environment);
  const problems = reading.kind === 'bad' ? reading.problems : [];
  const advice = reading.kind === 'good' ? adviseOnRules(reading.app.model).map(toProblem) : [];
  if (switches.has('json')) {
    out.write(`${JSON.stringify({ folder, good: problems.length === 0, problems, advice }, undefined, 2)}\n`);
  } else if (reading.kind === 'good') {
    const { entities } = reading.app.model;
    const indexed = [...entities.values()].filter((entity) => entity.searchIndex !== undefined);
    out.write(`No mistakes: ${countOf(entities.size, 'stored type')}, ${indexed.length} of them searchable.\n`);
    if (advice.length > 0) out.write(`\nBut is this meant?\n${advice.map(printProblem).join('\n')}\n`);
  } else {
    const count = countOf(problems.length, 'mistake');
    out.write(asTyped(`${count} in "${folder}":\n${problems.map(printProblem).join('\n')}\n`, environment));
  }
  return problems.length === 0 ? 0 : 1;
}

function toProblem({ location, message, remedy }: SchemaProblem): Problem {
  const where = location === undefined ? 'schema' : `${location.file}:${location.line}:${location.column}`;
  return { where, message, hint: remedy };
}
