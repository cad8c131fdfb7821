// A REST API on an engine in memory, asked without a socket.
import { createEngine, createRestApi, type RestApi, type RestRequest } from '@lockstitch/search';

/** An answer with its JSON. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // Responses are looked into by path in the tests.
  readonly json: any;
  readonly text: string;
}

/** Asks: method and path with query, then a JSON body or lines of a bulk body. */
export type Ask = (target: string, body?: unknown, more?: Partial<RestRequest>) => Promise<Reply>;

/** Makes an empty server, or asks of a given one. */
export async function startRest(given?: RestApi): Promise<Ask> {
  const rest = given ?? createRestApi(await createEngine());
  return async (target, body, more = {}) => {
    const [method = 'GET', path = '/'] = target.split(' ');
    const url = new URL(path, 'http://localhost');
    const text = Array.isArray(body)
      ? body.map((line) => `${JSON.stringify(line)}\n`).join('')
      : typeof body === 'string'
        ? body
        : body === undefined
          ? undefined
          : JSON.stringify(body);
    const response = await rest.handle({
      method,
      path: url.pathname,
      query: url.searchParams,
      headers: { 'content-type': 'application/json' },
      body: text === undefined ? undefined : new TextEncoder().encode(text),
      ...more,
    });
    let json: unknown;
    try {
      json = JSON.parse(response.body);
    } catch {
      json = undefined;
    }
    return { status: response.status, headers: response.headers, json, text: response.body };
  };
}

/** Loads documents with ids 1, 2, … and refreshes. */
export async function load(ask: Ask, index: string, documents: readonly unknown[]): Promise<void> {
  const lines = documents.flatMap((document, at) => [{ index: { _index: index, _id: String(at + 1) } }, document]);
  const reply = await ask('POST /_bulk?refresh=true', lines);
  if (reply.json.errors !== false) throw new Error(reply.text);
}

/** The ids of the hits. */
export function ids(reply: Reply): string[] {
  return reply.json.hits.hits.map((hit: { _id: string }) => hit._id);
}
