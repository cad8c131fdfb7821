// Near words in the order, with the frequencies and the float scores of Lucene 8.7's DirectSpellChecker over the same documents.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi } from '@lockstitch/search';
import { SpellDictionary, type SpellOptions } from '../../src/suggest/spell-dictionary.ts';
import { startRest } from '../rest/harness.ts';

const OPTIONS: SpellOptions = {
  mode: 'always',
  size: 5,
  maxInspections: 5,
  accuracy: 0.5,
  maxEdits: 2,
  prefixLength: 1,
  minWordLength: 4,
  maxTermFreq: 0.5,
  minDocFreq: 0,
  sort: 'score',
  similarity: undefined,
};

async function dictionary(texts: readonly string[]): Promise<SpellDictionary> {
  const engine = await createEngine();
  const ask = await startRest(createRestApi(engine));
  await ask('PUT /t', { mappings: { properties: { t: { type: 'text' } } } });
  // A segment each.
  for (const [at, t] of texts.entries()) {
    await ask(`PUT /t/_doc/${at}?refresh=true`, { t });
  }
  return new SpellDictionary(engine.index('t').searcher(), 't');
}

test('words are counted once, however many segments hold them', async () => {
  const words = await dictionary(['red fox', 'red red dog', 'fox', 'blue']);
  equal(words.size, 4);
  equal(words.occurrences, 7);
  deepEqual(words.statsOf('red'), { docFreq: 2, total: 3 });
  deepEqual(words.statsOf('green'), { docFreq: 0, total: 0 });
});

test('near words come by likeness, then by frequency, then by themselves', async () => {
  const words = await dictionary(['house', 'house mouse', 'horse', 'hoarse', 'houses', 'horse hosue', 'hose']);
  deepEqual(words.near('hause', OPTIONS), [
    { text: 'house', score: Math.fround(0.8), freq: 2 },
    { text: 'horse', score: Math.fround(0.6), freq: 2 },
    { text: 'hoarse', score: Math.fround(0.6), freq: 1 },
    { text: 'hosue', score: Math.fround(0.6), freq: 1 },
    { text: 'houses', score: Math.fround(0.6), freq: 1 },
  ]);
  deepEqual(
    words.near('hause', { ...OPTIONS, sort: 'frequency', size: 2 }).map(({ text }) => text),
    ['house', 'horse'],
  );
  deepEqual(
    words.near('hause', { ...OPTIONS, minDocFreq: 1 }).map(({ text }) => text),
    ['house', 'horse'],
  );
  deepEqual(
    words.near('hause', { ...OPTIONS, accuracy: 0.7 }).map(({ text }) => text),
    ['house'],
  );
});

test('a word that is there, is too frequent or too short has no near ones, as the mode says', async () => {
  const words = await dictionary(['house', 'house', 'horse', 'mouse', 'mouse', 'mouse']);
  deepEqual(words.near('house', { ...OPTIONS, mode: 'missing' }), []);
  // Two edits leave the first letter as it is.
  deepEqual(
    words.near('house', { ...OPTIONS, prefixLength: 0 }).map(({ text }) => text),
    ['mouse', 'horse'],
  );
  deepEqual(
    words.near('house', { ...OPTIONS, prefixLength: 0, mode: 'popular' }).map(({ text }) => text),
    ['mouse'],
  );
  deepEqual(words.near('house', { ...OPTIONS, maxTermFreq: 0.1 }), []);
  deepEqual(words.near('hous', { ...OPTIONS, minWordLength: 5 }), []);
});
