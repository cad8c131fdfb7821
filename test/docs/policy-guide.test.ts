// The schema that the guide to rules explains is one that an application starts with.
import { deepEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { readSchema } from '@lockstitch/graph';

import { checkSearchPolicy } from '../../packages/server/src/policy/check-search-policy.ts';
import { checkSearchFields } from '../../packages/server/src/sync/check-search-fields.ts';

test('the schemas of the guide have no mistakes', () => {
  const page = readFileSync(new URL('../../docs/guide/policy.md', import.meta.url), 'utf8');
  const types = [...page.matchAll(/```graphql\n([\s\S]*?)```/g)].map(([, schema]) => {
    const [, type] = /^type (\w+) @entity/m.exec(schema!)!;
    const text = `${schema}type Query {\n  one(id: ID!): ${type}\n}\n`;
    const model = readSchema([{ file: 'schema.graphql', text }], {
      check: (read) => [...checkSearchPolicy(read), ...checkSearchFields(read)],
    });
    return [...model.entities.keys()].toSorted();
  });
  deepEqual(types, [
    ['Person', 'Project'],
    ['File', 'Folder'],
  ]);
});
