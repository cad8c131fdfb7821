// The indices that the bench of the event loop asks: every kind of field that a query or an aggregation can ask for, made of the corpus of
// package descriptions, through the REST API as a client would.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { fileDirectory } from '../../packages/search/src/directory/file.ts';
import { createEngine } from '../../packages/search/src/create-engine.ts';
import type { Engine } from '../../packages/search/src/engine/engine-api.ts';
import { createRestApi, type RestApi } from '../../packages/search/src/rest/create-rest-api.ts';
import type { ViewOf } from '../../packages/search/src/view/viewed-engine.ts';
import type { Batches } from './loop-batches.ts';

/** The API with the indices in it. */
export interface LoopIndex {
  readonly engine: Engine;
  readonly rest: RestApi;
  /** Asks. @throws Error when it is refused */
  call(method: string, path: string, body?: object | string | Uint8Array, view?: ViewOf): Promise<void>;
}

const keyword = { type: 'keyword' };
const text = { type: 'text' };
const PACKAGES = {
  settings: { index: { refresh_interval: '-1', max_result_window: 10_000 } },
  mappings: {
    dynamic: false,
    properties: {
      name: { ...keyword, fields: { suggest: { type: 'completion' } } },
      section: keyword,
      maintainer: keyword,
      summary: text,
      description: text,
      installed_size: { type: 'long' },
      number: { type: 'long' },
      updated: { type: 'date' },
      place: { type: 'geo_point' },
      essential: { type: 'boolean' },
      address: { type: 'ip' },
    },
  },
};
const REVIEWS = {
  settings: { index: { refresh_interval: '-1' } },
  mappings: {
    dynamic: false,
    properties: {
      name: keyword,
      summary: text,
      reviews: { type: 'nested', properties: { by: keyword, stars: { type: 'integer' }, text } },
    },
  },
};
/** Opens the indices of a folder, which are made of the corpus where they are missing. */
export async function openLoopIndex(folder: string, corpus: string): Promise<LoopIndex> {
  const made = existsSync(join(folder, 'packages'));
  const engine = await createEngine({ directory: fileDirectory(folder), memoryBudget: 16 * 2 ** 30 });
  const rest = createRestApi(engine);
  const call: LoopIndex['call'] = async (method, path, body, view) => {
    const [plain, query] = path.split('?');
    const answer = await rest.handle({
      method,
      path: plain!,
      query: new URLSearchParams(query),
      headers: {
        'content-type':
          path.includes('_bulk') || path.includes('_msearch') ? 'application/x-ndjson' : 'application/json',
      },
      ...(body === undefined ? {} : { body: encode(body) }),
      view,
    });
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.body.slice(0, 500)}`);
  };
  if (!made) await fill(engine, call, corpus);
  return { engine, rest, call };
}

/** A request's body as it comes from a socket. */
export function encode(body: object | string | Uint8Array): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

async function fill(engine: Engine, call: LoopIndex['call'], corpus: string): Promise<void> {
  await call('PUT', '/packages', PACKAGES);
  await call('PUT', '/reviewed', REVIEWS);
  const client = new Worker(new URL('./loop-batches.ts', import.meta.url), { workerData: corpus });
  const ask = (): Promise<Batches> => {
    client.postMessage('next');
    return once(client, 'message').then(([batches]) => batches as Batches);
  };
  let next = ask();
  for (;;) {
    const { packages, reviewed } = await next;
    if (packages === undefined) break;
    next = ask();
    await call('POST', '/packages/_bulk', packages);
    if (reviewed !== undefined) await call('POST', '/reviewed/_bulk', reviewed);
  }
  await client.terminate();
  for (const index of engine.indices()) {
    await index.refresh();
    await index.commit();
  }
}
