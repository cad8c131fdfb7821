// Watches for commits of other processes: a dedicated connection LISTENs to the notification of every commit,
// reconnects when it is lost, and also polls. The listeners do not learn what was committed.
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { endOf } from './postgres-health.ts';

/** Notification channel of commits; wakes feed readers in other processes. */
export const CHANNEL = 'lockstitch_commit';
/** Pause before reconnecting, in milliseconds. */
const RECONNECT_DELAY = 500;
/**
 * Interval of the heartbeat, in milliseconds. It also notifies the listeners, since a pooler may swallow notifications.
 */
const LISTEN_BEAT = 500;
/** Missed heartbeats before the connection counts as lost; a network may drop it without telling either side. */
const MISSED_BEATS = 4;
/** How long to wait for the server to close the connection, in milliseconds. */
const GOODBYE = 1000;

/** Notifies listeners of commits. */
interface CommitListener {
  /** Call after each commit of this process. */
  announce(): void;
  readonly listen: (listener: () => void) => () => void;
  stop(): Promise<void>;
}

/** Creates the watch; it connects for the first listener. @param createClient creates an unconnected client */
export function createCommitListener(createClient: () => pg.Client, beatInterval = LISTEN_BEAT): CommitListener {
  const listeners = new Set<() => void>();
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const announce = (): void => {
    for (const listener of listeners) listener();
  };
  const disconnect = async (): Promise<void> => {
    clearTimeout(timer);
    const old = client;
    client = undefined;
    if (old === undefined) return;
    // The server may be gone.
    await Promise.race([endOf(old), setTimeout(GOODBYE, undefined, { ref: false })]);
  };
  const connect = (): void => {
    const opened = createClient();
    client = opened;
    let beating: NodeJS.Timeout | undefined;
    let missed = 0;
    const lost = (): void => {
      clearInterval(beating);
      if (client !== opened || stopped) return;
      client = undefined;
      // Otherwise a server that rejects LISTEN would collect a connection per attempt.
      void endOf(opened);
      timer = globalThis.setTimeout(connect, RECONNECT_DELAY).unref();
    };
    // LISTEN may be repeated.
    const listen = async (): Promise<void> => {
      await opened.query(`LISTEN ${CHANNEL}`);
      missed = 0;
      announce();
    };
    const beat = (): void => {
      if (missed++ === 0) listen().catch(lost);
      else if (missed > MISSED_BEATS) lost();
    };
    opened.on('notification', announce);
    opened.on('error', lost);
    opened.on('end', lost);
    // Notifications before LISTEN are missed, so listeners are notified once it is active.
    opened
      .connect()
      .then(listen)
      .then(() => {
        if (client === opened) beating = setInterval(beat, beatInterval).unref();
      })
      .catch(lost);
  };
  return {
    announce,
    listen(listener) {
      listeners.add(listener);
      if (client === undefined && timer === undefined && !stopped) connect();
      return () => {
        listeners.delete(listener);
      };
    },
    async stop() {
      stopped = true;
      listeners.clear();
      await disconnect();
    },
  };
}
