import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

import { checkApp } from '../../src/app/load-app.ts';
import { dataFolder, loadConfig } from '../../src/config/load-config.ts';
import { temporaryFolder } from '../temporary-folder.ts';

test('a folder without a configuration has every default', async (context) => {
  const folder = temporaryFolder(context);
  const loaded = await loadConfig(folder, {});
  deepEqual(loaded.problems, []);
  equal(loaded.file, undefined);
  equal(loaded.config.port, 4000);
  equal(dataFolder(loaded), join(folder, '.lockstitch'));
});

test('a TypeScript configuration is loaded as it stands', async (context) => {
  const folder = temporaryFolder(context, {
    'lockstitch.config.ts': 'const port: number = 8081;\nexport default { port, limits: { bodySize: 10 as number } };',
  });
  const { config, problems, file } = await loadConfig(folder, {});
  deepEqual(problems, []);
  equal(file, 'lockstitch.config.ts');
  equal(config.port, 8081);
  equal(config.limits.bodySize, 10);
  equal(config.limits.headerSize, 16_384);
});

test('a configuration anywhere may import the packages that serve it, and no others', async (context) => {
  const imports =
    "import { defineConfig } from 'lockstitch';\nimport { userNamed } from '@lockstitch/security';\nimport 'graphql';\n";
  const rest =
    "const ada = userNamed('ada').password('{noop}x').roles('ADMIN').build();\nexport default defineConfig({ port: 8082, userStore: { loadUserByUsername: () => ada } });\n";
  const folder = temporaryFolder(context, { 'lockstitch.config.ts': imports + rest });
  const { config, problems } = await loadConfig(folder, {});
  deepEqual(problems, []);
  equal(config.port, 8082);
  const other = temporaryFolder(context, { 'lockstitch.config.ts': `import 'csv-parse';\n${imports}${rest}` });
  match((await loadConfig(other, {})).problems[0]!.message, /Cannot find package 'csv-parse'/);
});

test('options win over the environment, and the environment over the file', async (context) => {
  const folder = temporaryFolder(context, { 'lockstitch.config.mjs': 'export default { port: 1, host: "::1" };' });
  equal((await loadConfig(folder, { PORT: '2' })).config.port, 2);
  equal((await loadConfig(folder, { PORT: '' })).config.port, 1);
  equal((await loadConfig(folder, { PORT: '2' }, { port: 3 })).config.port, 3);
  equal((await loadConfig(folder, {})).config.host, '::1');
  equal((await loadConfig(folder, { HOST: '0.0.0.0' })).config.host, '0.0.0.0');
  equal((await loadConfig(folder, { HOST: '[::]' })).config.host, '::');
  equal((await loadConfig(folder, { HOST: '' })).config.host, '::1');
  equal((await loadConfig(folder, { HOST: '0.0.0.0' }, { host: 'localhost' })).config.host, 'localhost');
  equal((await loadConfig(folder, { LOCKSTITCH_DATA: '/var/lib/notes' })).config.data, '/var/lib/notes');
  equal((await loadConfig(folder, { LOCKSTITCH_DATA: 'notes' })).config.data, resolve('notes'));
  equal((await loadConfig(folder, { LOCKSTITCH_DATA: '/x' }, { data: ':memory:' })).config.data, ':memory:');
  equal((await loadConfig(folder, {}, { data: ':memory:' })).config.data, ':memory:');
});

test('a mistake names the file and the line of the key', async (context) => {
  const folder = temporaryFolder(context, {
    'lockstitch.config.ts': 'export default {\n  port: 80,\n  limits: {\n    bodySzie: 1,\n  },\n};\n',
  });
  deepEqual(
    (await loadConfig(folder, {})).problems.map(({ where, message }) => ({ where, message })),
    [{ where: 'lockstitch.config.ts:4', message: 'Unknown key "bodySzie" in "limits". Did you mean "bodySize"?' }],
  );
});

test('a file that cannot be loaded is a mistake with its line, not a crash', async (context) => {
  const folder = temporaryFolder(context, { 'lockstitch.config.mjs': '\nthrow new Error("no luck");' });
  const [problem] = (await loadConfig(folder, {})).problems;
  equal(problem?.where, 'lockstitch.config.mjs:2');
  match(problem?.message ?? '', /no luck/);
  const missing = temporaryFolder(context, { 'lockstitch.config.mjs': 'import "no-such-package-at-all";' });
  const [absent] = (await loadConfig(missing, {})).problems;
  match(absent?.hint ?? '', /npm install no-such-package-at-all/);
  const bare = temporaryFolder(context, { 'lockstitch.config.mjs': 'export const port = 1;' });
  match((await loadConfig(bare, {})).problems[0]?.message ?? '', /exports no default/);
});

test('3.3 every mistake is reported, whatever the file exports', async (context) => {
  const exported = ['null', '[]', '5', '() => ({})', 'Promise.resolve({})', 'new Map()', '{ schema: [1] }'];
  for (const value of [...exported, '{ get port() { throw new Error("boom"); } }']) {
    const folder = temporaryFolder(context, { 'lockstitch.config.mjs': `export default ${value};` });
    const reading = await checkApp(folder, {});
    equal(reading.kind === 'bad' && reading.problems[0]?.where.startsWith('lockstitch.config.mjs'), true, value);
  }
});

test('a folder that is not there is refused by name', async () => {
  await rejects(loadConfig('/no/such/folder', {}), { code: 'SERVER_FOLDER_NOT_FOUND' });
});

test("invalid environment variables are reported, without a URL's password", async (context) => {
  const folder = temporaryFolder(context);
  const { problems } = await loadConfig(folder, {
    PORT: 'http',
    HOST: 'http://0.0.0.0:4000',
    DATABASE_URL: 'mysql://root:hunter2@db/x',
    SEARCH_URL: 'https://elastic:hunter2@search',
  });
  equal(problems.length, 4);
  equal((await loadConfig(folder, { HOST: '0.0.0.0:4000' })).problems.length, 1);
  const cluster = temporaryFolder(context, {
    'lockstitch.config.mjs': "export default { search: { engine: 'opensearch' } };",
  });
  const { problems: malformed } = await loadConfig(cluster, { SEARCH_URL: 'search:9200' });
  deepEqual(
    malformed.map(({ message }) => message),
    ['SEARCH_URL must be addresses as https://host:9200, separated by commas and without a password.'],
  );
  equal(JSON.stringify(problems).includes('hunter2'), false);
});

test('what is about a cluster and what is about the embedded engine do not go together', async (context) => {
  const problemsOf = async (search: string, environment = {}): Promise<readonly string[]> => {
    const files = { 'lockstitch.config.mjs': `export default { search: ${search} };` };
    const { problems } = await loadConfig(temporaryFolder(context, files), environment);
    return problems.map(({ message }) => message);
  };
  const cluster = "engine: 'opensearch', nodes: ['https://search:9200']";
  deepEqual(await problemsOf(`{ ${cluster}, auth: { username: 'a', password: 'env:UNSET' }, scores: 'fast' }`), []);
  deepEqual(await problemsOf("{ engine: 'elasticsearch' }", { SEARCH_URL: 'http://a:9200, http://b:9200' }), []);
  deepEqual(await problemsOf("{ engine: 'elasticsearch' }"), [
    "No address of the cluster is given for search.engine: 'elasticsearch'.",
  ]);
  deepEqual(await problemsOf(`{ ${cluster}, ownIndexes: true, maxTurn: 0, memoryBudget: 99999999 }`), [
    '"search.memoryBudget" is about the embedded engine.',
    '"search.maxTurn" is about the embedded engine.',
    'Indexes of clients cannot lie on the cluster.',
  ]);
  deepEqual(await problemsOf("{ prefix: 'photos', scores: 'fast', auth: { apiKey: 'env:KEY' } }"), [
    '"search.auth" is about a cluster, and the engine is embedded.',
    '"search.prefix" is about a cluster, and the engine is embedded.',
    '"search.scores" is about a cluster, and the engine is embedded.',
  ]);
  for (const auth of ["{ username: 'a' }", "{ apiKey: 'k', password: 'p' }", '{}'])
    deepEqual(await problemsOf(`{ ${cluster}, auth: ${auth} }`), [
      '"search.auth" needs either username and password, or apiKey.',
    ]);
  deepEqual(await problemsOf(`{ ${cluster}, ca: './none.pem' }`), ['The file of "search.ca" is not there.']);
  const [message] = await problemsOf("{ engine: 'opensearch', nodes: ['https://elastic:hunter2@search'] }");
  equal(message, '"search.nodes[0]" must be an address as https://host:9200, without a password.');
  match((await problemsOf("{ engine: 'opensearch', nodes: ['https://joe@search'] }")).join(), /must be an address/);
  const key = "auth: { apiKey: 'env:KEY' }";
  deepEqual(await problemsOf(`{ engine: 'opensearch', nodes: ['http://127.0.0.1:9200', 'http://b:9200'], ${key} }`), [
    '"search.auth" would be sent to http://b:9200 without TLS, for everybody on the way to read.',
  ]);
  deepEqual(await problemsOf(`{ engine: 'opensearch', nodes: ['http://localhost:9200'], ${key} }`), []);
  match((await problemsOf("{ engine: 'opensearch', nodes: ['http://a:9200'], ca: '.' }")).join(), /No node .* has TLS/);
});

test('a credential of a cluster is read from the variable that it names', async (context) => {
  const config = `export default { search: { engine: 'opensearch', nodes: ['https://search:9200'], auth: { apiKey: 'env:THE_KEY' } } };`;
  const folder = temporaryFolder(context, { 'lockstitch.config.mjs': config });
  equal((await loadConfig(folder, { THE_KEY: 'secret' })).config.search.auth?.apiKey, 'secret');
  equal((await loadConfig(folder, {})).config.search.auth?.apiKey, 'env:THE_KEY');
});
