// How the values of a document read.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeValue } from '../src/pages/describe-value.ts';

test('objects are shown by their name, or else by their content', () => {
  assert.equal(describeValue({ login: 'ada', name: 'Ada' }), 'Ada');
  assert.equal(
    describeValue({ town: 'Oslo', country: null, at: { lat: 59.9, lon: 10.7 } }),
    'town Oslo, at lat 59.9, lon 10.7',
  );
  assert.equal(describeValue([{ name: 'a' }, 2000, 'b']), 'a, 2,000, b');
});
