import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { createEngine, memoryDirectory } from '@lockstitch/search';

import { logRejected, toOperation, writeDocuments } from '../../src/sync/write-documents.ts';

test('a rejected document is removed with its old version, and the others are written', async (context) => {
  const engine = await createEngine({ directory: memoryDirectory(), maxDocumentBytes: 40 });
  context.after(() => engine.close());
  const index = await engine.createIndex('notes');
  const write = (...documents: readonly (readonly [key: string, text: string])[]) =>
    writeDocuments(
      index,
      documents.map(([key, text]) => toOperation(key, { key, source: Buffer.from(JSON.stringify({ text })) })),
    );
  assert.deepEqual(await write(['1', 'short'], ['2', 'short']), []);
  const rejected = await write(['1', 'x'.repeat(100)], ['2', 'other'], ['3', 'new']);
  assert.deepEqual(
    rejected.map(({ error, key }) => [key, (error as Error & { readonly code?: string }).code]),
    [['1', 'SEARCH_DOCUMENT_TOO_LARGE']],
  );
  await index.refresh();
  const documents = await Promise.all(['1', '2', '3'].map(async (key) => await index.get(key)));
  const sources = documents.map((document) => document?.source).map((source) => source && String(Buffer.from(source)));
  assert.deepEqual(sources, [undefined, '{"text":"other"}', '{"text":"new"}']);
});

test('the log names a rejected document by its code and field, and quotes nothing of it', async (context) => {
  const engine = await createEngine({ directory: memoryDirectory() });
  context.after(() => engine.close());
  const mappings = { properties: { tag: { type: 'keyword' }, n: { type: 'long' } } };
  const index = await engine.createIndex('notes', { mappings });
  const secret = 'secret';
  const sources = [{ tag: secret.repeat(10_000) }, { n: secret }];
  const rejected = await writeDocuments(
    index,
    sources.map((source, at) =>
      toOperation(String(at), { key: String(at), source: Buffer.from(JSON.stringify(source)) }),
    ),
  );
  const lines: unknown[] = [];
  logRejected({ write: (...line) => void lines.push(line) }, index, rejected);
  assert.equal(lines.length, 2);
  const text = inspect(lines, { depth: null, showHidden: true });
  assert.match(text, /SEARCH_TERM_TOO_LONG/);
  assert.match(text, /field: 'tag', length: 60000/);
  assert.doesNotMatch(text, /secret|115, 101, 99/);
});
