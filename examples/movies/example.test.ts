// The movies example: its schema can be served, and the published films become rows that fit it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { createGraph, openSqliteStore, readSchema } from '@lockstitch/graph';
import { ANONYMOUS } from '@lockstitch/kernel';

import { convertMovies } from './convert.ts';

const rows = convertMovies();
const file = 'schema.graphql';
const model = readSchema([{ file, text: readFileSync(new URL(file, import.meta.url), 'utf8') }]);

test('all films of the source become rows, and their directors, distributors and genres one row each', () => {
  const counts = Object.entries(rows).map(([type, list]) => [type, list.length]);
  assert.deepEqual(counts, [
    ['Director', 550],
    ['Distributor', 174],
    ['Genre', 12],
    ['Film', 3_201],
  ]);
});

test('rows use the field names of the schema', () => {
  for (const [type, list] of Object.entries(rows)) {
    const known = model.entities.get(type)!.fields;
    for (const row of list) for (const name of Object.keys(row)) assert.ok(known.has(name), `${type}.${name}`);
  }
});

test('relations are inferred: a film has one director, a director many films', () => {
  const relation = model.entities.get('Film')!.fields.get('director');
  assert.ok(relation?.kind === 'relation' && relation.inverse === 'films');
});

test('what a film names is there', () => {
  const names = (type: 'Director' | 'Distributor' | 'Genre') => new Set(rows[type].map((row) => row['name']));
  const [directors, distributors, genres] = [names('Director'), names('Distributor'), names('Genre')];
  for (const film of rows.Film) {
    assert.ok(film['director'] === null || directors.has(film['director']));
    assert.ok(film['distributor'] === null || distributors.has(film['distributor']));
    assert.ok(film['genre'] === null || genres.has(film['genre']));
  }
});

test('every day of release exists and lies in the time the source covers', () => {
  for (const film of rows.Film) {
    const day = film['released'] as string;
    assert.equal(new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10), day);
    assert.ok(day > '1900' && day < '2012', day);
  }
});

test('titles that are years are texts, and ratings are values of the enum', () => {
  assert.ok(rows.Film.some((film) => film['title'] === '1941'));
  const ratings = new Set(rows.Film.map((film) => film['rating']));
  assert.deepEqual(ratings, new Set([null, 'G', 'NC_17', 'NOT_RATED', 'OPEN', 'PG', 'PG_13', 'R']));
});

test('every row is imported, and what was apart is related', async () => {
  const store = await openSqliteStore({ file: ':memory:' });
  const graph = await createGraph({ model, store });
  for (const [type, list] of Object.entries(rows)) {
    const { written } = await graph.importRows(type, [list]);
    assert.equal(written, list.length, type);
  }
  const query = `{
    totalFilms
    allFilms(first: 1) { title released director { name } genre { name } distributor { name } }
    director(name: "Peter Jackson") { films { title } }
  }`;
  const { body } = await graph.execute({ query }, { principal: ANONYMOUS });
  const answer = JSON.parse(body) as { data: { director: { films: { title: string }[] } } };
  assert.deepEqual(answer.data, {
    totalFilms: 3_201,
    allFilms: [
      {
        title: 'Avatar',
        released: '2009-12-18',
        director: { name: 'James Cameron' },
        genre: { name: 'Action' },
        distributor: { name: '20th Century Fox' },
      },
    ],
    director: answer.data.director,
  });
  assert.ok(answer.data.director.films.some(({ title }) => title === 'King Kong'));
  graph.feed.close();
  await store.close();
});
