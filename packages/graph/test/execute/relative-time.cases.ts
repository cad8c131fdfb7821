// Filters relative to the time of the operation: the same rows on both databases, at each time it is executed.
import { deepEqual, match } from 'node:assert/strict';
import { applyMigration, createGraph, readSchema, type Graph, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  scalar DateTime scalar Date scalar LocalDateTime
  type Slot { at: DateTime }
  type Event @entity { id: ID! at: DateTime day: Date local: LocalDateTime slot: Slot }
  input SlotInput { at: DateTime }
  input EventInput { at: DateTime day: Date local: LocalDateTime slot: SlotInput }
  type Query { events(where: EventFilter): [Event!]! }
  type Mutation { createEvent(input: EventInput!): Event! deleteEvents(where: EventFilter!): Int! }`;

/** The end of March, in the night before Berlin's clocks go to summer time. */
const NOW = Date.parse('2026-03-28T23:30:00Z');

const TIMES = [
  '2026-03-28T22:59:59.999Z',
  '2026-03-28T23:00:00.000Z',
  '2026-03-29T00:00:00.000Z',
  '2026-03-29T21:59:59.999Z',
  '2026-03-29T22:00:00.000Z',
  '2026-02-28T23:30:00.000Z',
];

async function open(store: Store): Promise<{ readonly graph: Graph; readonly clock: { at: number } }> {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }]);
  await applyMigration(model, store);
  const clock = { at: NOW };
  const graph = await createGraph({ model, store, clock: { now: () => clock.at } });
  for (const at of TIMES) {
    const input = { at, day: at.slice(0, 10), local: at.slice(0, -1), slot: { at } };
    const query = 'mutation ($input: EventInput!) { createEvent(input: $input) { id } }';
    match((await graph.execute({ query, variables: { input } })).body, /^\{"data":\{"createEvent"/);
  }
  return { graph, clock };
}

async function found(graph: Graph, query: string, where?: unknown): Promise<readonly number[]> {
  const { body } = await graph.execute({ query, variables: where === undefined ? {} : { where } });
  const answer = JSON.parse(body) as { data: { events: readonly { id: string }[] }; errors?: unknown };
  deepEqual(answer.errors, undefined, body);
  return answer.data.events.map(({ id }) => Number(id));
}

const BY_VARIABLE = 'query ($where: EventFilter) { events(where: $where) { id } }';

testOnStores('times relative to now are computed in the units of the calendar of a time zone', async (store) => {
  const { graph } = await open(store);
  const timeZone = 'Europe/Berlin';
  const cases: readonly (readonly [Readonly<Record<string, unknown>>, readonly number[]])[] = [
    [{ at: { relative: { gte: 'now' } } }, [3, 4, 5]],
    [{ at: { relative: { gte: 'now-30m', lt: 'now' } } }, [2]],
    [{ at: { relative: { gte: 'now/d', lte: 'now/d' } } }, [1, 2]],
    // In Berlin it is the 29th already, a day of 23 hours.
    [{ at: { relative: { gte: 'now/d', lte: 'now/d', timeZone } } }, [2, 3, 4]],
    [{ at: { relative: { gt: 'now/d', timeZone } } }, [5]],
    [{ at: { relative: { lt: 'now/d', timeZone } } }, [1, 6]],
    [{ at: { relative: { gte: 'now-1M', lt: 'now-1M+1s' } } }, [6]],
    [{ at: { relative: { lt: 'now-1w' } } }, [6]],
    [{ at: { relative: { gte: 'now/y', lt: 'now/y+1y' } } }, [1, 2, 3, 4, 5, 6]],
    [{ at: { relative: { gt: null, timeZone } } }, [1, 2, 3, 4, 5, 6]],
    [{ not: { at: { relative: { lt: 'now' } } } }, [3, 4, 5]],
    [{ day: { relative: { gte: 'now' } } }, [1, 2, 3, 4, 5]],
    [{ day: { relative: { gt: 'now' } } }, [3, 4, 5]],
    [{ day: { relative: { gte: 'now', timeZone } } }, [3, 4, 5]],
    [{ day: { relative: { gte: 'now-1M/M', lte: 'now-1M/M' } } }, [6]],
    [{ local: { relative: { gt: 'now-30m' } } }, [3, 4, 5]],
    [{ local: { relative: { gte: 'now-30m', timeZone: 'UTC' } } }, [2, 3, 4, 5]],
    [{ local: { relative: { lt: 'now-30m', timeZone } } }, [1, 2, 6]],
    [{ slot: { at: { relative: { gte: 'now' } } } }, [3, 4, 5]],
  ];
  for (const [where, expected] of cases)
    deepEqual(await found(graph, BY_VARIABLE, where), expected, JSON.stringify(where));
  graph.feed.close();
});

testOnStores('a kept operation has the time of each execution, with and without variables', async (store) => {
  const { graph, clock } = await open(store);
  const literal = '{ events(where: { at: { relative: { gte: "now" } } }) { id } }';
  const half = 'query ($where: DateTimeFilter) { events(where: { at: $where }) { id } }';
  const where = { relative: { gte: 'now' } };
  for (const [at, expected] of [
    [NOW, [3, 4, 5]],
    [NOW + 86_400_000, []],
    [NOW - 86_400_000, [1, 2, 3, 4, 5]],
  ] as const) {
    clock.at = at;
    deepEqual(await found(graph, literal), expected);
    deepEqual(await found(graph, BY_VARIABLE, { at: where }), expected);
    deepEqual(await found(graph, half, where), expected);
  }
  clock.at = NOW;
  const remove = 'mutation { deleteEvents(where: { at: { relative: { lt: "now-1d" } } }) }';
  deepEqual((await graph.execute({ query: remove })).body, '{"data":{"deleteEvents":1}}');
  clock.at = NOW + 86_400_000;
  deepEqual((await graph.execute({ query: remove })).body, '{"data":{"deleteEvents":2}}');
  graph.feed.close();
});

testOnStores('all conditions of an operation have the same time', async (store) => {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }]);
  await applyMigration(model, store);
  let asked = 0;
  const graph = await createGraph({ model, store, clock: { now: () => NOW + asked++ * 86_400_000 } });
  const at = '2026-03-29T00:00:00.000Z';
  await graph.execute({ query: `mutation { createEvent(input: { at: "${at}" }) { id } }` });
  asked = 0;
  const today = 'query ($a: String) { events(where: { at: { relative: { gte: $a, lt: "now+1h" } } }) { id } }';
  const ask = async (): Promise<string> => (await graph.execute({ query: today, variables: { a: 'now' } })).body;
  // The first execution also plans.
  await ask();
  asked = 0;
  deepEqual(await ask(), '{"data":{"events":[{"id":"1"}]}}');
  deepEqual(asked, 1);
  graph.feed.close();
});

testOnStores('what is no relative time is refused with the words that are', async (store) => {
  const { graph } = await open(store);
  const wrong: readonly (readonly [Readonly<Record<string, unknown>>, RegExp])[] = [
    [
      { gte: 'yesterday' },
      /where\.at\.relative\.gte\\" is no time relative to now: yesterday.*GRAPH_RELATIVE_TIME_INVALID/,
    ],
    [{ gte: 'now-7x' }, /now-7x.*Send \\"now\\"/],
    [{ gte: 'now-1d/2d' }, /GRAPH_RELATIVE_TIME_INVALID/],
    [{ gte: 'nowhere' }, /GRAPH_RELATIVE_TIME_INVALID/],
    [{ gte: `now${'+1d'.repeat(101)}` }, /GRAPH_RELATIVE_TIME_INVALID/],
    [{ gte: 'now-999999999999y' }, /GRAPH_RELATIVE_TIME_INVALID/],
    [{ gte: 'now-3000y' }, /is no time between the years 1 and 9999.*GRAPH_VALUE_INVALID/],
    [{ gte: 'now', timeZone: 'Mars' }, /where\.at\.relative\.timeZone.*Mars.*GRAPH_TIME_ZONE_UNKNOWN/],
  ];
  for (const [relative, message] of wrong)
    match((await graph.execute({ query: BY_VARIABLE, variables: { where: { at: { relative } } } })).body, message);
  const remove = 'mutation { deleteEvents(where: { at: { relative: { timeZone: "UTC" } } }) }';
  match((await graph.execute({ query: remove })).body, /where\.at\.relative\\" is empty/);
  graph.feed.close();
});
