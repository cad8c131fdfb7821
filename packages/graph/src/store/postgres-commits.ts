// When somebody else has committed: a connection of its own listens for the word that every commit says, opens again when it is
// lost, and now and then has a look taken without a word. What was committed is not told.
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { endOf } from './postgres-pulse.ts';

/** Every committed transaction says a word here, so that feeds in other processes wake. */
export const CHANNEL = 'lockstitch_commit';
/** Pause before the listening connection is opened again, in milliseconds. */
const RECONNECT_DELAY = 500;
/**
 * How often, in milliseconds, it is asked whether it still listens, and a look is taken without a word: a pooler between us and the server may
 * keep every word to itself.
 */
const LISTEN_BEAT = 500;
/** How many beats it may leave unanswered: a network that forgets a connection tells neither side. */
const MISSED_BEATS = 4;
/** How long to wait, when closing, for the other side to close the listening connection, in milliseconds. */
const GOODBYE = 1000;

/** Tells of commits. */
interface CommitWatch {
  /** To be called after each commit of this process. */
  announce(): void;
  readonly listen: (listener: () => void) => () => void;
  stop(): Promise<void>;
}

/** Creates it; the connection is opened for the first who listens. @param createClient makes one, not open yet */
export function createCommitWatch(createClient: () => pg.Client, beatInterval = LISTEN_BEAT): CommitWatch {
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
    // Nobody may be there to close it.
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
      // A server that refuses to have us listen would be left with a connection for each attempt.
      void endOf(opened);
      timer = globalThis.setTimeout(connect, RECONNECT_DELAY).unref();
    };
    // What listens already may be told to do so again.
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
    // Whatever was said while nobody listened may have been missed: look once the ears are open.
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
