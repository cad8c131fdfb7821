import { equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';

import { waitForPosition } from '../../src/routes/consistency.ts';

const at = (searchable: number, head: number) => ({
  feed: { head: () => Promise.resolve(head) },
  sync: { position: searchable, waitFor: () => Promise.resolve(false) },
});
const asking = (position: string) => ({ headers: { 'lockstitch-min-position': position } });

test('a search that asks for a position the index does not reach in time is told so, with both positions', async () => {
  await rejects(waitForPosition(asking('7'), at(5, 9)), (error: Error & { code?: string; status?: number }) => {
    equal(error.code, 'SERVER_POSITION_NOT_REACHED');
    equal(error.status, 503);
    equal(error.message, 'The index has not reached position 7 in time; it is at 5.');
    return true;
  });
});

test('a position that is reached, and none, need no waiting', async () => {
  await waitForPosition(asking('5'), at(5, 9));
  await waitForPosition({ headers: {} }, at(0, 9));
});
