// Local times, and how much of time zones is kept.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { keptOffsets, localTime } from '../../src/store/local-time.ts';

test('offsets of time zones are kept within one bound for all zones', () => {
  const zones = Intl.supportedValuesOf('timeZone').slice(0, 40);
  for (const zone of zones) {
    for (let index = 0; index < 20; index++) localTime(new Date(index * 900_000).toISOString(), zone);
    ok(keptOffsets().zones <= 16);
  }
  for (let index = 0; index < 51_000; index++) localTime(new Date(index * 900_000).toISOString(), 'Etc/GMT+1');
  ok(keptOffsets().offsets <= 50_000);
  equal(localTime('2026-07-09T15:05:00.000Z', 'Europe/Berlin'), '2026-07-09T17:05:00.000');
});
