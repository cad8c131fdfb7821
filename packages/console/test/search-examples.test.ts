import assert from 'node:assert/strict';
import { test } from 'node:test';

import { examplesFor, readFields } from '../src/pages/search-examples.ts';

const keyword = { type: 'keyword' };
const mapping = {
  photos: {
    mappings: {
      properties: {
        id: keyword,
        url: keyword,
        name: { type: 'text', fields: { keyword } },
        created: { type: 'date' },
        category: keyword,
        postedBy: { properties: { githubLogin: keyword, name: { type: 'text', fields: { keyword } } } },
      },
    },
  },
};

test('a mapping becomes a flat list of dotted paths, sub-fields included', () => {
  assert.deepEqual(
    readFields(mapping).map(({ path, type }) => `${path} ${type}`),
    [
      'id keyword',
      'url keyword',
      'name text',
      'name.keyword keyword',
      'created date',
      'category keyword',
      'postedBy.githubLogin keyword',
      'postedBy.name text',
      'postedBy.name.keyword keyword',
    ],
  );
});

test('the first example counts by a field of the index and by one of a related object, keys and addresses left out', () => {
  const [first] = examplesFor(readFields(mapping));
  assert.deepEqual(first?.body['aggs'], {
    category: { terms: { field: 'category', size: 8 } },
    'postedBy.githubLogin': { terms: { field: 'postedBy.githubLogin', size: 8 } },
  });
});

test('examples name only fields that are there', () => {
  const titles = examplesFor(readFields(mapping)).map(({ title }) => title);
  assert.deepEqual(titles, [
    'Everything, counted',
    'Everything',
    'Match in name',
    'Match in every text',
    'Newest by created',
    'Match and filter',
  ]);
  for (const nothing of [undefined, {}, { empty: {} }, { empty: { mappings: {} } }]) {
    assert.deepEqual(
      examplesFor(readFields(nothing)).map(({ title }) => title),
      ['Everything'],
    );
  }
});
