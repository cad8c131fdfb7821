// The servers that the documents' requests go to, each on a free port in place of the one that the page names.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { createApp, loadApp } from 'lockstitch';
import { join } from 'node:path';

import { app as expressApp } from '../../examples/express/server.ts';
import { app as fastifyApp } from '../../examples/fastify/server.ts';
import { startSearchServer } from '../../packages/server/src/search-server.ts';
import { ROOT } from './code-blocks.ts';

/** The password in the documents. */
const PASSWORD = 'secret';

export interface DocumentedServers {
  /** Makes the request that a command line of curl describes, for the page it stands on. */
  curl(words: readonly string[], page: string): Promise<{ readonly status: number; readonly text: string }>;
  close(): Promise<void>;
}

export async function startDocumentedServers(): Promise<DocumentedServers> {
  const photoShare = await startExample('photo-share');
  const movies = await startExample('movies');
  const user = { name: 'user', password: PASSWORD };
  const search = await startSearchServer({ port: 0, host: '127.0.0.1', data: undefined, user });
  const express = expressApp.listen(0, '127.0.0.1');
  await once(express, 'listening');
  const fastify = await fastifyApp.listen({ port: 0, host: '127.0.0.1' });
  const addressOf = (port: string, page: string): string => {
    if (port === '4000') return photoShare.url;
    if (port === '4001') return movies.url;
    if (port === '9200') return search.url;
    if (page.includes('fastify')) return fastify;
    return `http://127.0.0.1:${(express.address() as AddressInfo).port}`;
  };
  // Stands for the position in the documents, which is that of another database.
  let position = '0';
  return {
    async curl(words, page) {
      const { url, method, headers, body } = readCurl(words, position);
      const { port, pathname, search: query } = new URL(url);
      const init = { method, headers, ...(body === undefined ? {} : { body }) };
      const response = await fetch(addressOf(port, page) + pathname + query, init);
      position = response.headers.get('Lockstitch-Position') ?? position;
      return { status: response.status, text: await response.text() };
    },
    async close() {
      express.close();
      await Promise.all([photoShare.close(), movies.close(), search.close(), fastifyApp.close()]);
    },
  };
}

async function startExample(name: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const folder = join(ROOT, 'examples', name);
  const loaded = await loadApp(folder, { LOCKSTITCH_USER_PASSWORD: PASSWORD }, { port: 0, data: ':memory:' });
  // Without its data, which takes seconds to write and which other tests read.
  const app = await createApp({ ...loaded, seed: undefined });
  const { url } = await app.listen();
  return { url, close: () => app.close() };
}

/** Reads the options of curl that the documents use. */
function readCurl(
  words: readonly string[],
  position: string,
): {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
} {
  let url = '';
  let method: string | undefined;
  let body: string | undefined;
  const headers: Record<string, string> = {};
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '-d') body = rest.shift();
    else if (word === '-X') method = rest.shift();
    else if (word === '-H') {
      const [name, value] = rest.shift()!.split(/:\s*/, 2);
      headers[name!] = name === 'Lockstitch-Min-Position' ? position : value!;
    } else if (/^-[si]*u$/.test(word)) {
      const credentials = rest.shift()!.replace('$PASSWORD', PASSWORD);
      headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
    } else if (!/^-[si]+$/.test(word)) url = word.startsWith('http') ? word : `http://${word}`;
  }
  return { url, method: method ?? (body === undefined ? 'GET' : 'POST'), headers, body };
}
