// Remembers from which networks an account logged in recently. Failures elsewhere do not lock such a client out;
// otherwise a stranger could lock the owner out at will. This allows no additional guesses: failures from the network
// itself count as before, and a few of them suspend the exemption for a while, even if a log-in succeeds in between.
import { type Clock, evictOldest } from '@lockstitch/kernel';

/** Remembers pairs of account and network. */
export interface KnownClients {
  /** Returns whether failures elsewhere do not count for this pair. */
  isKnown(pair: string): boolean;
  /** Returns whether the password was proven recently, even if failures followed. */
  hasProven(pair: string): boolean;
  /** Records that a password was proven. */
  proven(pair: string): void;
  /** Records a wrong password. */
  failed(pair: string): void;
}

interface Client {
  readonly provenUntil: number;
  readonly failures: number;
  /** When the failures are forgotten. */
  readonly countsUntil: number;
}

const MAX_CLIENTS = 50_000;
/** A day: a client that logs in every morning is known. */
const LIFETIME = 86_400_000;

/**
 * Creates the memory, of this process.
 *
 * @param mistakes failures of a known client within `seconds` after which it counts as unknown
 */
export function createKnownClients(mistakes: number, seconds: number, clock: Clock): KnownClients {
  const clients = new Map<string, Client>();
  const keep = (pair: string, client: Client): void => {
    clients.delete(pair);
    clients.set(pair, client);
    evictOldest(clients, MAX_CLIENTS);
  };
  const failuresOf = (client: Client | undefined): number =>
    client === undefined || client.countsUntil <= clock.now() ? 0 : client.failures;

  return {
    isKnown(pair) {
      const client = clients.get(pair);
      return client !== undefined && client.provenUntil > clock.now() && failuresOf(client) < mistakes;
    },
    hasProven: (pair) => (clients.get(pair)?.provenUntil ?? 0) > clock.now(),
    proven(pair) {
      const client = clients.get(pair);
      const failures = failuresOf(client);
      keep(pair, { failures, countsUntil: client?.countsUntil ?? 0, provenUntil: clock.now() + LIFETIME });
    },
    failed(pair) {
      const client = clients.get(pair);
      if (client === undefined) return;
      const failures = failuresOf(client);
      const countsUntil = failures === 0 ? clock.now() + seconds * 1000 : client.countsUntil;
      keep(pair, { ...client, failures: failures + 1, countsUntil });
    },
  };
}
