// `lockstitch check --integrity`: what is damaged in the data is named, with an exit code.
import { equal, match } from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { check } from '../../src/cli/check.ts';
import { migrate } from '../../src/cli/migrate.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runHere } from './run-here.ts';

const FILES = {
  'schema.graphql': `scalar DateTime scalar JSON enum Mood { GLAD SAD } type Look { size: Int }
    type Note @entity { id: ID! text: String! made: DateTime! n: Int f: Float done: Boolean mood: Mood marks: [String!] any: JSON look: Look to: Note }
    type Query { notes: [Note!]! }`,
  'lockstitch.config.ts': "export default { data: './data' };\n",
};

test('4.9 check --integrity reads the file and each value, and its exit code says whether anything is damaged', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const file = join(folder, 'data', 'data.sqlite');
  const run = (...words: readonly string[]) => runHere(check, ['check', folder, ...words]);
  const missing = await run('--integrity');
  equal(missing.code, 0);
  match(missing.out, /There is no database yet: the first start makes it\.\n$/);
  equal(existsSync(join(folder, 'data')), false);
  await runHere(migrate, ['migrate', folder]);
  let database = new DatabaseSync(file);
  database.exec(`WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 1200)
    INSERT INTO notes (id, text, made, n, f, done, mood, marks, "any", look, "to")
    SELECT i, 'a', iif(i = 700, '2024-07-11T05:18:49.000Z', '2020-01-01T00:00:00.000Z'), 1, 1.5, 1, 'SAD', '["a"]', 'null', '{"size":1}', NULL FROM c`);
  database.close();
  const fine = await run('--integrity');
  equal(fine.code, 0, fine.out);
  match(fine.out, /No damage in the data: 1,200 rows read\.\n$/);
  equal((await run()).code, 0);

  const bytes = readFileSync(file);
  // Where a page was divided, the row is still there twice.
  for (let at = -1; (at = bytes.indexOf('2024-07-11T05:18:49.000Z', at + 1)) !== -1;) bytes[at + 8] = 'q'.charCodeAt(0);
  writeFileSync(file, bytes);
  const flipped = await run('--integrity', '--json');
  equal(flipped.code, 1);
  const { integrity } = JSON.parse(flipped.out) as { integrity: { findings: readonly { text: string }[] } };
  match(integrity.findings.map(({ text }) => text).join(), /^notes\.made: 1 row holds no DateTime!, with the key 700$/);

  database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec(
    `UPDATE notes SET made = '2024-07-11T05:18:49.000Z'; UPDATE notes SET n = 'x', f = 'y', done = 7, mood = 'BAD', marks = '[1]', "any" = '{', look = '{"size":"x"}', "to" = 99999 WHERE id <= 7`,
  );
  database.close();
  const bad = await run('--integrity');
  equal(bad.code, 1);
  for (const line of [
    /notes: 7 rows lead to no row of notes/,
    /notes\.n: 7 rows hold no Int, with the keys 1, 2, 3, 4, 5, …/,
    /notes\.f: 7 rows hold no Float/,
    /notes\.done: 7 rows hold no Boolean/,
    /notes\.mood: 7 rows hold no Mood/,
    /notes\.marks: 7 rows hold no \[String!\]/,
    /notes\.any: 7 rows hold no JSON/,
    /notes\.look: 7 rows hold no Look/,
  ])
    match(bad.out, line);

  const torn = readFileSync(file);
  torn.fill(0xff, 4096 * 3, 4096 * 3 + 2000);
  writeFileSync(file, torn);
  const damaged = await run('--integrity');
  equal(damaged.code, 1);
  match(damaged.out, /damages in the data/);
  match((await run('--data', join(folder, 'data'))).err, /--data is for "check --integrity"/);
});
