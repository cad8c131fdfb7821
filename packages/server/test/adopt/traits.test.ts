// Databases with one hostile trait each, on both databases: the quick ones. All of them: `npm run soak -- adopt`.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import { temporaryFolder } from '../temporary-folder.ts';
import { adoptTrait } from './adopt-trait.ts';
import { POSTGRES_TRAITS } from './postgres-traits.ts';
import { SQLITE_TRAITS } from './sqlite-traits.ts';

const QUICK = {
  sqlite: [
    'names with quotes',
    'long names',
    'graphql reserved',
    'argument names',
    'numbers',
    'collation nocase',
    'composite of foreign keys',
  ],
  postgres: [
    'mixed case',
    'domains',
    'array types',
    'enum values',
    'enum keys',
    'schemas with equal tables',
    'own names',
  ],
};

for (const [dialect, traits] of [
  ['sqlite', SQLITE_TRAITS],
  ['postgres', POSTGRES_TRAITS],
] as const) {
  test(`${dialect}: ${QUICK[dialect].join(', ')} end in a schema that answers what SQL answers, or in a refusal`, async (context) => {
    for (const name of QUICK[dialect]) {
      const trait = traits[name]!;
      const found = await adoptTrait(dialect, trait, temporaryFolder(context));
      if (typeof found === 'string') return context.skip(found);
      deepEqual(found.left, trait.left, name);
      equal(found.rows, trait.rows, name);
    }
  });
}
