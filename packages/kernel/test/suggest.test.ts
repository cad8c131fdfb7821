import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { didYouMean, suggest } from '@lockstitch/kernel';

test('a swapped, missing, added or wrong letter finds the word that was meant', () => {
  const known = ['name', 'description', 'port'];
  equal(suggest('nmae', known), 'name');
  equal(suggest('descripton', known), 'description');
  equal(suggest('portt', known), 'port');
  equal(suggest('Prot', known), 'port');
});

test('a word that resembles none gets no suggestion', () => {
  equal(suggest('zebra', ['name', 'port']), undefined);
  equal(suggest('x'.repeat(10_000), ['name']), undefined);
  equal(didYouMean('zebra', ['name']), '');
});

test('the suggestion reads as a sentence', () => {
  equal(didYouMean('nmae', ['name']), ' Did you mean "name"?');
});

test('a known word is never answered with itself', () => {
  equal(suggest('kstem', ['kstem', 'stem']), undefined);
  equal(didYouMean('name', ['names', 'name']), '');
});
