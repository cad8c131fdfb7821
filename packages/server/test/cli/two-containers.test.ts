// Servers on one volume, each process 1 of a namespace of its own as in a container.
import { equal, match, rejects } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { temporaryFolder } from '../temporary-folder.ts';
import { startCli } from './run-cli.ts';

const CONTAINER = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
const READY = /(?:Index|Search) .*\n/;
const SCHEMA = 'type Note @entity { id: ID! title: String! @search }\ntype Query { note(id: ID!): Note }\n';

const canContain = ((): boolean => {
  try {
    execFileSync(CONTAINER[0]!, [...CONTAINER.slice(1), 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const kinds = [
  {
    name: 'a search server',
    code: 'SEARCH_LOCKED',
    words: (folder: string) => ['search', '--open', '--port', '0', '--data', folder],
    data: (folder: string) => folder,
  },
  {
    name: 'an application',
    code: 'SERVER_DATA_IN_USE',
    words: (folder: string) => ['start', folder, '--port', '0'],
    data: (folder: string) => join(folder, '.lockstitch'),
  },
];

for (const { name, code, words, data } of kinds) {
  test(
    `4.2 a second container is refused the folder of ${name}, and a killed one frees it`,
    { skip: !canContain && 'this user cannot make namespaces' },
    async (context) => {
      const folder = temporaryFolder(context, { 'schema.graphql': SCHEMA });
      const first = await startCli(words(folder), READY, {}, CONTAINER);
      await rejects(startCli(words(folder), READY, {}, CONTAINER), (error: Error) => {
        match(error.message, /It ended with 1 /);
        match(error.message, new RegExp(`in use by process 1\\b[^]*\\(${code}\\)`));
        return true;
      });
      first.child.kill('SIGKILL');
      await first.exit;
      const third = await startCli(words(folder), READY, {}, CONTAINER);
      third.child.kill('SIGKILL');
      await third.exit;
    },
  );

  test(`4.2 ${name} starts although a lock file of a former process names one that runs`, async (context) => {
    const folder = temporaryFolder(context, { 'schema.graphql': SCHEMA });
    for (const place of [data(folder), join(data(folder), 'search')]) {
      mkdirSync(place, { recursive: true });
      for (const file of ['lock', 'lock.pid', '_lock', '_lock.json']) writeFileSync(join(place, file), '1');
    }
    const { child, exit } = await startCli(words(folder), READY);
    child.kill('SIGTERM');
    equal(await exit, 0);
  });
}
