// What tests of subscriptions share: a graph with its subscriptions over a store, and how events are read.
import { ANONYMOUS, type Principal } from '@lockstitch/kernel';
import { createGraph } from '../../src/execute/create-graph.ts';
import type { Graph } from '../../src/execute/graph.ts';
import type { Store } from '../../src/store/store.ts';
import {
  createSubscriptions,
  type SubscribeContext,
  type SubscriptionEvent,
} from '../../src/subscribe/subscriptions.ts';
import { modelOf, PHOTO_SCHEMA } from '../photo-schema.ts';

export interface Fixture {
  readonly graph: Graph;
  subscribe(query: string, context?: SubscribeContext): Promise<AsyncIterableIterator<SubscriptionEvent>>;
  mutate(field: string, principal?: Principal): Promise<void>;
}

export async function open(store: Store, schema = PHOTO_SCHEMA): Promise<Fixture> {
  const graph = await createGraph({ model: modelOf(schema), store });
  const subscribe = createSubscriptions(graph);
  return {
    graph,
    async subscribe(query, context) {
      const result = await subscribe({ query }, context);
      if (result.kind === 'refused') throw new Error(result.response.body);
      return result.events;
    },
    async mutate(field, principal = ANONYMOUS) {
      const { body } = await graph.execute({ query: `mutation { ${field} }` }, { principal });
      if (body.includes('"errors"')) throw new Error(body);
    },
  };
}

export async function dataOf(events: AsyncIterableIterator<SubscriptionEvent>): Promise<unknown> {
  const { value, done } = (await events.next()) as IteratorResult<SubscriptionEvent, undefined>;
  return done === true ? 'done' : (JSON.parse(value.body) as { data: unknown }).data;
}

export const post = (name: string, more = ''): string =>
  `postPhoto(input: { name: "${name}", url: "/${name}", postedBy: "ann" ${more} }) { id }`;
