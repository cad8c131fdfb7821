// Copies of the data behind whole servers, asked over sockets: the promise as clients see it, with status and headers.
import { join } from 'node:path';

import { createGraph } from '@lockstitch/graph';
import type { Principal } from '@lockstitch/kernel';
import { askPages } from '@lockstitch/search/requests';

import { createApp } from '../../src/app.ts';
import { loadApp } from '../../src/app/load-app.ts';
import { openStore } from '../../src/data/open-store.ts';
import { askGraph } from '../../src/noninterference/random-graph-requests.ts';
import { bodyText, insertsOf, type OpenScratchApp } from '../../src/noninterference/scratch-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { postgresInserts } from './postgres-world.ts';
import { unmanagedTables } from './random-world.ts';

/**
 * Opens servers whose accounts are the callers given.
 *
 * @param newDatabase the address of an empty PostgreSQL; absent: SQLite in a folder
 */
export function httpWorlds(
  sdl: string,
  callers: readonly Principal[],
  newDatabase?: () => Promise<string>,
): OpenScratchApp {
  const users = callers
    .filter(({ authenticated }) => authenticated)
    .map(({ attributes, authorities, name }) => ({
      username: name,
      password: name,
      authorities: [...authorities],
      attributes,
    }));
  return async (model, tables, change = () => Promise.resolve()) => {
    const url = await newDatabase?.();
    const config = {
      users,
      passwordEncoder: 'noop',
      csrf: { enabled: false },
      rules: [{ any: true, access: 'permitAll' }],
      search: { refreshInterval: 1 },
      ...(url === undefined ? {} : { database: { url } }),
    };
    const folder = temporaryFolder(undefined, {
      'schema.graphql': sdl,
      'lockstitch.config.mjs': `export default ${JSON.stringify(config)};`,
      'data/.keep': '',
    });
    const data = join(folder, 'data');
    const store = await openStore(url, data);
    const unmanaged = unmanagedTables(model);
    if (unmanaged !== undefined) await store.script(unmanaged);
    (await createGraph({ model, store })).feed.close();
    await store.script(url === undefined ? insertsOf(tables) : postgresInserts(model, tables));
    await change(store);
    await store.close();
    const app = await createApp(await loadApp(folder, {}, { port: 0, data }));
    const { url: address } = await app.listen();
    const send = async (target: string, body: unknown, { authenticated, name }: Principal): Promise<string> => {
      const [method, path] = target.split(' ') as [string, string];
      const text = bodyText(body);
      const url = new URL(path, address);
      // `fetch` sends no body with GET; the API takes it as a parameter.
      const isInUrl = method === 'GET' && text !== undefined;
      if (isInUrl) {
        url.searchParams.set('source', text);
        url.searchParams.set('source_content_type', 'application/json');
      }
      const answer = await fetch(url, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(authenticated ? { authorization: `Basic ${Buffer.from(`${name}:${name}`).toString('base64')}` } : {}),
        },
        ...(text === undefined || isInUrl ? {} : { body: text }),
      });
      // Each server has a port of its own.
      const told = (await answer.text()).replaceAll(url.host, 'host');
      const headers = [...answer.headers].filter(([header]) => !VARYING.has(header));
      return `${answer.status} ${told}\n${JSON.stringify(headers)}`;
    };
    return {
      graph: app.graph,
      async ask(asked, principal) {
        if (asked.kind === 'graph')
          return askGraph(asked, (parameters) => send('POST /graphql', parameters, principal));
        if (asked.kind === 'search') return send(asked.target, asked.body, principal);
        return askPages(asked, async (target, body) => (await send(target, body, principal)).replace(/\n.*$/, ''));
      },
      close: () => app.close(),
    };
  };
}

/** Headers that differ between two servers: names of cursors and digits of times have lengths, nonces are random. */
const VARYING: ReadonlySet<string> = new Set([
  'date',
  'content-length',
  'set-cookie',
  'etag',
  'content-security-policy',
]);
