import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';

import { checkApp } from '../../src/app/load-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runLine } from '../cli/run-here.ts';

const schema = (rule: string): string =>
  `type Note @entity @auth(read: "${rule}") { id: ID! @id tenant: String owner: String }\ntype Query { notes: [Note!]! }\n`;
const USERS = "passwordEncoder: 'noop', users: [{ username: 'ada', password: 'x', attributes: { tenant: 'a' } }]";

test('4 a member of the principal that no account has is a mistake with a suggestion', async (context) => {
  const problemsOf = async (rule: string, config: string) => {
    const folder = temporaryFolder(context, {
      'schema.graphql': schema(rule),
      'lockstitch.config.mjs': `export default { ${config} };`,
    });
    const reading = await checkApp(folder, {});
    if (reading.kind === 'bad') return { problems: reading.problems, unchecked: [] };
    return { problems: [], unchecked: reading.app.unchecked };
  };
  deepEqual(await problemsOf('tenant == principal.tenant or owner == principal.username', USERS), {
    problems: [],
    unchecked: [],
  });
  const [slip] = (await problemsOf('tenant == principal.tennant', USERS)).problems;
  equal(slip?.where, 'schema.graphql:1:1');
  match(slip.message, /reads principal\.tennant, which no account has: .* Did you mean "tenant"\?/);
  match(slip.hint!, /"attributes" of "users".*There are: username, .*, tenant\./);
  // The generated user has none; a token has claims.
  match((await problemsOf('tenant == principal.tenant', '')).problems[0]!.message, /which no account has/);
  const bearer = "bearer: { issuer: 'https://i.example', audience: 'a', secret: 's'.repeat(32) }";
  match((await problemsOf('tenant == principal.org', bearer)).problems[0]!.hint!, /write principal\.claims\.org\./);
  deepEqual(await problemsOf('tenant == authentication.principal.claims.org', bearer), { problems: [], unchecked: [] });
  const rule = "rules: [{ any: true, access: 'principal.tennant != null' }]";
  const [first] = (await problemsOf('tenant == principal.tenant', `${USERS}, ${rule}`)).problems;
  match(`${first!.where} ${first!.message}`, /^lockstitch\.config\.mjs:1 A rule reads principal\.tennant/);
});

test('4 where accounts come from elsewhere, check says that their members are not checked', async (context) => {
  const folder = temporaryFolder(context, {
    'schema.graphql': schema('tenant == principal.usernam or owner == principal.team'),
    'lockstitch.config.mjs': "export default { userStore: 'sql' };",
  });
  const { code, out } = await runLine(['check', folder]);
  equal(code, 0);
  match(out, /^Not checked, as accounts come from the database \(userStore: 'sql'\):$/m);
  match(out, /^ {2}principal\.usernam \(schema\.graphql:1:1\)\. Did you mean username\?$/m);
  match(out, /^ {2}principal\.team \(schema\.graphql:1:1\)\.$/m);
});
