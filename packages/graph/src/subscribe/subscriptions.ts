// Runs subscriptions: changes of a type from the feed, filtered by arguments and read rules, each with the response of
// its selection. Not here: sockets and their protocols (the server).
import { ANONYMOUS, isProductError, type Principal, type ProductError } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import type { GraphContext, GraphRequest, GraphResponse, PreparedSubscription } from '../execute/contracts.ts';
import { DENIED } from '../execute/prefetched.ts';
import type { Change, Snapshot } from '../feed/change.ts';
import type { Feed } from '../feed/feed.ts';
import type { Model } from '../schema/model.ts';
import type { Store } from '../store/store.ts';
import { createEntityTables, type EntityTable } from '../write/entity-table.ts';
import { createRowGuard } from '../write/row-guard.ts';
import { createEventFilter, type EventFilter } from './event-filter.ts';
import { followFeed } from './follow-feed.ts';
import { createRetryOnOutage } from './retry-on-outage.ts';
import { createRecentChanges } from './recent-changes.ts';
import { isVisibleChange } from './visible-change.ts';
import { createSharedResponses } from './shared-responses.ts';
import { lookUp } from '../present.ts';

/** The subscriber and the start position. */
export interface SubscribeContext extends GraphContext {
  /** Start after this feed position, as in the last event; default: with new changes. */
  readonly after?: number | undefined;
  /** Maximum lag in changes before the subscription is ended; default 10,000. */
  readonly lagLimit?: number | undefined;
  /** The subscription is resumed: during an outage it waits instead of being rejected. Default: false. */
  readonly goesOn?: boolean | undefined;
}

/** One event. */
export interface SubscriptionEvent {
  /** The response as JSON text. */
  readonly body: string;
  /** Feed position of the event. */
  readonly position: number;
}

/** A running subscription, or the response with its errors and HTTP status. */
export type Subscribed =
  | {
      readonly kind: 'events';
      readonly events: AsyncIterableIterator<SubscriptionEvent>;
      /**
       * Everything up to here has been delivered or does not concern the subscriber; resuming after it loses nothing.
       */
      position(): number;
    }
  | { readonly kind: 'refused'; readonly response: GraphResponse; readonly status: number };

/** The part of a graph that subscriptions need. */
export interface SubscribableGraph {
  readonly model: Model;
  readonly store: Store;
  readonly feed: Feed;
  subscription(request: GraphRequest, context?: GraphContext): PreparedSubscription | GraphResponse;
}

/** Starts a subscription. */
export type Subscribe = (request: GraphRequest, context?: SubscribeContext) => Promise<Subscribed>;

/** Creates the state shared by a graph's subscriptions and returns the function that starts one. */
export function createSubscriptions(graph: SubscribableGraph): Subscribe {
  const { model, store, feed } = graph;
  const tables = createEntityTables(model, store);
  const guard = createRowGuard(model);
  const recent = createRecentChanges(feed);
  const retryOnOutage = createRetryOnOutage(feed);
  const shared = createSharedResponses<SubscriptionEvent | undefined>((event) => event?.body.length ?? 0);

  async function toEvent(
    change: Change,
    filter: EventFilter,
    prepared: PreparedSubscription,
    principal: Principal,
  ): Promise<SubscriptionEvent | undefined> {
    if (!filter.passes(change)) return undefined;
    return shared(change.position, prepared.alike, () => answer(change, filter, prepared, principal));
  }

  async function answer(
    change: Change,
    filter: EventFilter,
    prepared: PreparedSubscription,
    principal: Principal,
  ): Promise<SubscriptionEvent | undefined> {
    if (filter.asksDatabase && !(await prepared.matches(change.key))) return undefined;
    const table = lookUp(tables, change.type);
    const values = change.after ?? change.before ?? {};
    // Rules are evaluated on the object as of the event, with related rows as they are now.
    const row = table.fromSnapshot(values);
    const unit = { model, session: store, dialect: store.dialect, tables, principal };
    const gone = (await isGone(change, table, values, principal)) ? change.type : undefined;
    const seen = gone === undefined ? unit : { ...unit, gone };
    if (!(await guard.canSee(seen, table, row))) return undefined;
    const denied = await guard.deniedFields(seen, table, row);
    for (const field of filter.fields) if (denied.has(field)) return undefined;
    const hidesKeys = (type: string): boolean => prepared.hidesKeys(type);
    if (!(await isVisibleChange({ model, feed, guard, unit, hidesKeys }, change, table, denied))) return undefined;
    const shown = denied.size === 0 ? values : withhold(values, denied);
    const { body, outage } = await prepared.respond(change.key, shown);
    // Each event is sent once, so it waits until it is complete.
    if (outage !== undefined) throw outage;
    return { body, position: change.position };
  }

  /** Whether rules over other rows apply to an object that has been deleted. */
  async function isGone(change: Change, table: EntityTable, values: Snapshot, principal: Principal): Promise<boolean> {
    const { entity } = table;
    if (guard.decideAlone(principal, entity, values, 'read', entity.fields.keys()) !== undefined) return false;
    if (change.operation === 'deleted') return true;
    const bound = table.toKey(change.key);
    return bound === undefined || (await table.findBy(store, entity.key.column, [bound])).length === 0;
  }

  return async (request, context = {}) => {
    const prepared = graph.subscription(request, context);
    if ('body' in prepared) return { kind: 'refused', response: prepared, status: 400 };
    const { binding } = prepared;
    if (binding.kind !== 'changes') {
      const reason = 'the engine follows stored types only';
      return refused(graphErrors.create('GRAPH_SUBSCRIPTION_FIELD', { field: prepared.field, reason }));
    }
    const { principal = ANONYMOUS, signal, lagLimit, goesOn = false } = context;
    const filter = createEventFilter(model, binding, prepared.args, (type) => prepared.hidesKeys(type));
    // Before returning: any change after the caller knows of the subscription must be an event.
    const head = await (goesOn ? retryOnOutage(() => feed.head(), signal) : feed.head());
    const { after = head } = context;
    try {
      await checkPosition(feed, after, head);
    } catch (error) {
      if (isProductError(error)) return refused(error);
      throw error;
    }
    const following = followFeed({
      feed,
      recent,
      retryOnOutage,
      after,
      signal,
      lagLimit,
      toEvent: (change) => toEvent(change, filter, prepared, principal),
    });
    return { kind: 'events', ...following };
  };
}

/** @throws ProductError GRAPH_SUBSCRIPTION_POSITION, GRAPH_FEED_TRIMMED */
async function checkPosition(feed: Feed, after: number, head: number): Promise<void> {
  if (after > head) throw graphErrors.create('GRAPH_SUBSCRIPTION_POSITION', { after, head });
  if (after < head) await feed.read(after, 1);
}

function refused(error: ProductError): Subscribed {
  const extensions = { code: error.code, hint: error.hint };
  return {
    kind: 'refused',
    status: error.status,
    response: { body: JSON.stringify({ errors: [{ message: error.message, extensions }] }), executed: false },
  };
}

/** Marks fields that the caller could not read at the event. The current value, and the caller's rights, may differ. */
function withhold(
  values: Readonly<Record<string, unknown>>,
  denied: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  return { ...values, ...Object.fromEntries([...denied].map((name) => [name, DENIED])) };
}
