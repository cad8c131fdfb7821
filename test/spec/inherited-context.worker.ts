// Runs in a worker thread: posts the name of the caller it inherited, or null.
import { parentPort } from 'node:worker_threads';
import { inheritedContext } from '@lockstitch/security';

parentPort!.postMessage(inheritedContext()?.authentication.principal.name ?? null);
