// Listens to a GraphQL subscription by server-sent events (the distinct connections mode of graphql-sse).
import { createClient } from 'graphql-sse';

/** Events of one subscription, in order. */
export interface Subscription {
  next(): Promise<unknown>;
  close(): Promise<void>;
}

/** Subscribes, and returns once the server has accepted. */
export async function openSubscription(
  url: string,
  query: string,
  headers: Record<string, string>,
): Promise<Subscription> {
  let connected!: () => void;
  const accepted = new Promise<void>((resolve) => {
    connected = resolve;
  });
  const client = createClient({ url, headers, on: { connected: () => connected() }, retryAttempts: 0 });
  const events = client.iterate({ query });
  const first = events.next();
  await Promise.race([accepted, first]);
  let waiting: Promise<IteratorResult<unknown>> | undefined = first;
  return {
    async next() {
      const { value } = await (waiting ?? events.next());
      waiting = undefined;
      return value;
    },
    async close() {
      await events.return?.();
      client.dispose();
    },
  };
}
