// What a start says of its indexes.
import { match } from 'node:assert/strict';
import { test } from 'node:test';

import { type BannerFacts, printBanner } from '../../src/cli/banner.ts';

const FACTS: BannerFacts = {
  version: '1.0.0',
  name: 'notes',
  url: 'http://127.0.0.1:4000',
  hasConsole: false,
  generated: undefined,
  users: 1,
  store: 'data.sqlite',
  indexes: [
    { name: 'notes', documents: 1200, state: 'stale' },
    { name: 'authors', documents: 1, state: 'current' },
  ],
  lag: 0,
  took: 20,
};

test('a start names the indexes that still have the old schema', () => {
  match(
    printBanner(FACTS, false),
    /Index {4}notes 1,200 · authors 1 documents, in step with the data; rebuilding: notes\n/,
  );
  const current = FACTS.indexes.map((index) => ({ ...index, state: 'current' }));
  match(printBanner({ ...FACTS, indexes: current }, false), /documents, in step with the data\n/);
});
