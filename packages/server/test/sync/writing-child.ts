// Serves an application and writes to it without pause, and rebuilds its indexes now and then, until it is killed.
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';

import { createApp } from '../../src/app.ts';
import { loadApp } from '../../src/app/load-app.ts';
import { askIndexControl } from '../../src/sync/index-control.ts';

const folder = process.argv[2]!;
const app = await createApp(await loadApp(folder, {}, { port: 0 }));
const run = async (mutation: string): Promise<void> =>
  void (await app.graph.execute({ query: `mutation { ${mutation} }` }));
for (const login of ['ada', 'bob']) await run(`createAuthor(input: { login: "${login}" }) { login }`);
const isDeep = app.graph.model.entities.has('Team');
if (isDeep)
  for (let count = 0; count < 3; count++) await run('t: createTeam(name: "new") { id } createTag(word: "new") { id }');
// A process that is killed would leave nothing of it to the next.
flushCompileCache();
process.stdout.write('writing\n');
for (let number = 0; ; number++) {
  await run(`createNote(input: { title: "n${number}", author: "ada" }) { id }`);
  if (number % 3 === 0) await run(`updateAuthor(login: "ada", input: { name: "a${number}" }) { login }`);
  if (number % 5 === 0) await run(`deleteNote(id: ${Math.ceil(number / 2)}) { id }`);
  if (number % 7 === 0) await run(`updateNote(id: ${number + 1}, input: { author: "bob" }) { id }`);
  if (isDeep) {
    const [one, other] = [1 + (number % 3), 1 + ((number >> 2) % 3)];
    if (number % 4 === 1) await run(`updateTeam(id: ${one}, name: "t${number}") { id }`);
    if (number % 6 === 2) await run(`setTeam(login: "${number % 12 === 2 ? 'ada' : 'bob'}", team: ${one}) { login }`);
    if (number % 3 === 1) await run(`addTags(id: ${number + 1}, tags: [${one}, ${other}]) { id }`);
    if (number % 8 === 3) await run(`removeTags(id: ${number}, tags: [${other}]) { id }`);
    if (number % 9 === 4) await run(`updateTag(id: ${one}, word: "w${number}") { id }`);
  }
  if (number % 25 === 10) {
    void askIndexControl(join(folder, '.lockstitch'), { kind: 'rebuild', indexes: [] }, () => undefined).catch(
      () => undefined,
    );
  }
}
