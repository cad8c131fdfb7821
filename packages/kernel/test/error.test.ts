import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { defineErrors, isProductError } from '@lockstitch/kernel';

const errors = defineErrors('DEMO', {
  DEMO_MISSING: { status: 404, message: 'No {what} is named "{name}".', hint: 'Look at {where}.' },
});

test('a catalogue entry becomes an error with code, status, message and hint filled in', () => {
  const error = errors.create('DEMO_MISSING', { what: 'index', name: 'photos', where: 'GET /_cat/indices' });
  deepEqual(
    [error.code, error.status, error.message, error.hint],
    ['DEMO_MISSING', 404, 'No index is named "photos".', 'Look at GET /_cat/indices.'],
  );
  equal(isProductError(error), true);
});

test('detail is for the log only and stays out of inspection and JSON', () => {
  const error = errors.create('DEMO_MISSING', {}, { detail: { secret: 'hunter2' } });
  equal(inspect(error, { depth: 9 }).includes('hunter2'), false);
  equal(JSON.stringify(error).includes('hunter2'), false);
});

test('a code without the package prefix is refused when the module loads', () => {
  throws(() => defineErrors('DEMO', { OTHER: { status: 400, message: '' } }), /must start with "DEMO_"/);
});
