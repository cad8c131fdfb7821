// `lockstitch check`: every mistake of an application at once, with place and remedy, without starting it.
import { checkApp, printProblem } from '../config/load-app.ts';
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
  if (switches.has('json')) {
    out.write(`${JSON.stringify({ folder, good: problems.length === 0, problems }, undefined, 2)}\n`);
  } else if (reading.kind === 'good') {
    const { entities } = reading.app.model;
    const indexed = [...entities.values()].filter((entity) => entity.searchIndex !== undefined);
    out.write(`No mistakes: ${countOf(entities.size, 'stored type')}, ${indexed.length} of them searchable.\n`);
  } else {
    const count = countOf(problems.length, 'mistake');
    out.write(`${count} in "${folder}":\n${problems.map(printProblem).join('\n')}\n`);
  }
  return problems.length === 0 ? 0 : 1;
}
