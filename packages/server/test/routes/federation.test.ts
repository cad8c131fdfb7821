// An application that the configuration makes a subgraph of Apollo Federation, and one that it does not.
import { deepEqual, match } from 'node:assert/strict';
import { test } from 'node:test';

import { NOTES_SCHEMA, startApp } from '../start-app.ts';

test('an application is a subgraph where the configuration says so', async (context) => {
  const { call, graph } = await startApp(context, {
    config: { graph: { federation: true, introspection: "hasRole('DEVELOPER')" } },
    schema: NOTES_SCHEMA.replace(
      'type Author @entity',
      'type Author @entity @key(fields: "login") @auth(read: "isAuthenticated()")',
    ),
  });
  await graph('mutation { createAuthor(input: { login: "ann", name: "Ann" }) { login } }');
  const query = 'query ($of: [_Any!]!) { _entities(representations: $of) { ... on Author { name } } }';
  const json = {
    query,
    variables: {
      of: [
        { __typename: 'Author', login: 'ann' },
        { __typename: 'Author', login: 'bob' },
      ],
    },
  };
  deepEqual((await call('/graphql', { json })).json, { data: { _entities: [{ name: 'Ann' }, null] } });
  const sdl = await call('/graphql', { json: { query: '{ _service { sdl } }' } });
  match(sdl.text, /GRAPH_INTROSPECTION_OFF/);
});

test('an application has nothing of a subgraph otherwise', async (context) => {
  const { call } = await startApp(context);
  match((await call('/graphql', { json: { query: '{ _service { sdl } }' } })).text, /GRAPH_VALIDATION/);
});
