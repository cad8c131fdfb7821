// The worker thread of context.test.ts: says what was handed over to it.
import { parentPort, workerData } from 'node:worker_threads';
import { inheritedContext } from '@lockstitch/security';

const principal = inheritedContext()?.authentication.principal;
const told =
  principal === undefined
    ? {}
    : { name: principal.name, authorities: [...principal.authorities], ...principal.attributes };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of worker_threads has no origin
parentPort?.postMessage({ own: (workerData as { own: number }).own, ...told });
