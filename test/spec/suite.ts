// The words of the specification suite: `spec` names a row, `describeExample` runs a block against the photo-share example
// and `describeTransports` against small applications, each twice: in the process and over a socket.
import { equal } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SPEC_ROWS } from './rows.ts';
import type { Transport } from './http-client.ts';
import { type App, startPhotoShare } from './start-app.ts';

export { type App, startApp } from './start-app.ts';

/** A test that proves one row of rows.ts. */
export function spec(id: string, what: string, prove: () => void | Promise<void>): void {
  const row = SPEC_ROWS.find((candidate) => candidate.id === id);
  if (row === undefined) throw new Error(`rows.ts has no row "${id}".`);
  it(`${id} ${row.text}: ${what}`, async () => {
    await prove();
  });
}

/** Runs a block of rows once for each transport. */
export function describeTransports(title: string, block: (transport: Transport) => void): void {
  for (const transport of ['in-process', 'socket'] as const)
    describe(`${title} (${transport})`, () => block(transport));
}

/** Runs a block of rows on the photo-share example with its data, once for each transport. */
export function describeExample(title: string, block: (app: App) => void): void {
  describeTransports(title, (transport) => {
    let started: App | undefined;
    before(async () => {
      started = await startPhotoShare(transport);
    });
    after(() => started?.close());
    // The block's tests run after `before`, so they may use the app although it does not exist yet.
    block({
      call: (request) => started!.call(request),
      subscribe: (query) => started!.subscribe(query),
      close: () => started!.close(),
    });
  });
}

/** What the graph endpoint answers. */
interface GraphBody {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly locations?: readonly { readonly line: number; readonly column: number }[];
    readonly path?: readonly (string | number)[];
    readonly extensions?: Readonly<Record<string, unknown>>;
  }[];
}

/** Sends operations to `POST /`. `data` expects success and returns it; `post` returns the whole answer. */
export function createGraphCaller(app: App) {
  const post = async (body: {
    readonly query: string;
    readonly variables?: unknown;
    readonly operationName?: string;
  }): Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: GraphBody }> => {
    const response = await app.call({ method: 'POST', path: '/', json: body });
    return { status: response.status, headers: response.headers, body: response.json<GraphBody>() };
  };
  return {
    post,
    async data<T>(query: string, variables?: unknown): Promise<T> {
      const { status, body } = await post({ query, ...(variables === undefined ? {} : { variables }) });
      equal(body.errors, undefined, JSON.stringify(body.errors));
      equal(status, 200);
      return body.data as T;
    },
  };
}
