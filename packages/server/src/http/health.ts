// Liveness and readiness for load balancers, without credentials and without information about the data.
import { serverErrors } from '../errors.ts';
import { errorResponse, jsonResponse, type TextResponse } from './route-response.ts';
import type { Methods } from './router.ts';

/** `/healthz`: the process responds. */
export const health: Methods = { GET: () => jsonResponse(200, { status: 'ok' }, NOT_STORED) };

/** State of one API that a load balancer may send requests to. */
export interface Readiness {
  readonly isReady: boolean;
  /** Seconds by which its responses lag behind the data; undefined for the data itself, or if unknown. */
  readonly lag?: number | undefined;
}

export interface ReadinessParts {
  /** Whether draining has begun. */
  readonly isDraining: () => boolean;
  /** Reads the state of each API by name. */
  readonly look: () => Promise<Readonly<Record<string, Readiness>>>;
}

const NOT_STORED = { 'cache-control': 'no-store' };
/** Milliseconds for which a result is reused: anyone may ask, and each check asks the database. */
const KEPT = 250;

/**
 * `/readyz`: 200 while at least one API can serve, or the one that `?door=` names; otherwise, and while draining, 503.
 */
export function readiness({ isDraining, look }: ReadinessParts): Methods {
  let looking: Promise<Readonly<Record<string, Readiness>>> | undefined;
  const lookOnce = (): NonNullable<typeof looking> => {
    if (looking === undefined) {
      looking = look();
      const forget = (): void => {
        setTimeout(() => (looking = undefined), KEPT).unref();
      };
      looking.then(forget, forget);
    }
    return looking;
  };
  return {
    async GET({ path, query }) {
      const doors = await lookOnce();
      const asked = query.get('door');
      if (asked !== null && !Object.hasOwn(doors, asked)) {
        const known = Object.keys(doors).join(', ');
        return errorResponse(serverErrors.create('SERVER_DOOR_UNKNOWN', { door: asked, known }), path);
      }
      const open = asked === null ? Object.values(doors) : [doors[asked]!];
      if (isDraining()) return unready('draining', doors);
      return open.some(({ isReady }) => isReady)
        ? jsonResponse(200, { status: 'ready', doors: shown(doors) }, NOT_STORED)
        : unready('unavailable', doors);
    },
  };
}

/** The 503 response of `/readyz`. */
export function unready(status: string, doors: Readonly<Record<string, Readiness>> = {}): TextResponse {
  return jsonResponse(503, { status, doors: shown(doors) }, { ...NOT_STORED, 'retry-after': '1' });
}

function shown(doors: Readonly<Record<string, Readiness>>): unknown {
  const entries = Object.entries(doors).map(([name, { isReady, lag }]) => [
    name,
    { status: isReady ? 'ready' : 'unavailable', ...(lag === undefined ? {} : { lag }) },
  ]);
  return Object.fromEntries(entries);
}
