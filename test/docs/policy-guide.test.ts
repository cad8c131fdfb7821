// The schema that the guide to rules explains is one that an application starts with.
import { deepEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { readSchema } from '@lockstitch/graph';

import { checkSearchPolicy } from '../../packages/server/src/policy/check-search-policy.ts';
import { checkSearchFields } from '../../packages/server/src/sync/check-search-fields.ts';

test('the schema of the guide has no mistakes', () => {
  const page = readFileSync(new URL('../../docs/guide/policy.md', import.meta.url), 'utf8');
  const schema = /```graphql\n([\s\S]*?)```/.exec(page)![1]!;
  const text = `${schema}type Query {\n  project(id: ID!): Project\n}\n`;
  const model = readSchema([{ file: 'schema.graphql', text }], {
    check: (read) => [...checkSearchPolicy(read), ...checkSearchFields(read)],
  });
  deepEqual([...model.entities.keys()].toSorted(), ['Person', 'Project']);
});
