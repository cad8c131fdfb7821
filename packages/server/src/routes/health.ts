// Whether the process runs and whether it can serve: for load balancers, without credentials, telling nothing else.
import { jsonAnswer, type RouteResponse } from '../http/answer.ts';
import type { Methods } from './router.ts';

/** `/healthz`: the process answers. */
export const health: Methods = { GET: () => status('ok') };

/** `/readyz`: 200 once the first index build is done and until the drain begins, 503 otherwise. */
export function readiness(isReady: () => boolean): Methods {
  return {
    GET: () => (isReady() ? status('ready') : jsonAnswer(503, { status: 'unavailable' }, { 'retry-after': '1' })),
  };
}

function status(word: string): RouteResponse {
  return jsonAnswer(200, { status: word }, { 'cache-control': 'no-store' });
}
