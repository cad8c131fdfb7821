// How long an index has had no leader.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';

import { Vacancies } from '../../src/cluster/vacancies.ts';

test('a vacancy begins anew after a definition had a leader', () => {
  const vacancies = new Vacancies();
  const lasting = (now: number): readonly number[] => ['a', 'b'].map((each) => vacancies.lasting(each, now));
  vacancies.note(['a'], 10);
  vacancies.note(['a', 'b'], 20);
  deepEqual(lasting(25), [15, 5]);
  vacancies.note([], 30);
  deepEqual(lasting(35), [0, 0]);
  vacancies.note(['a', 'b'], 40);
  deepEqual(lasting(45), [5, 5]);
});
