// Which requests a test of the policy sends to a search cluster.
import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '@lockstitch/search/requests';

import { type Asked, askOffered } from '../../src/noninterference/random-requests.ts';

test('most requests that a cluster does not offer are replaced by others, and some are kept', async () => {
  const random = createRandom(3);
  const graph: Asked = { kind: 'graph', query: '{ a }', variables: {} };
  const answers = [
    'GRAPH',
    '400 {"reason":"A [suggest] cannot be asked of a search cluster: its counts."}',
    '400 {"reason":"[GET /_cat/indices] is not offered with search.engine [opensearch]"}',
    '400 a mistake',
  ];
  let sent = 0;
  const counts = new Map<string, number>();
  for (let count = 0; count < 400; count++) {
    const [, answer] = await askOffered(
      random,
      () => graph,
      () => Promise.resolve(answers[sent++ % 4]!),
    );
    counts.set(answer, (counts.get(answer) ?? 0) + 1);
  }
  const [read, ...others] = answers.map((answer) => counts.get(answer) ?? 0);
  ok(read! > 150 && others[2]! > 150, 'what is offered, mistakes among it');
  ok(others[0]! > 5 && others[1]! > 5 && others[0]! + others[1]! < 60, 'what is not offered');
  deepEqual(read! + others[0]! + others[1]! + others[2]!, 400);
});
