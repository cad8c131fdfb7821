// HTTP servers that answer as a search cluster has answered, for tests without one.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface Received {
  readonly target: string;
  readonly authorization: string | undefined;
  readonly body: string;
  /** Settles when its connection has ended, or the answer is sent. */
  readonly closed: Promise<unknown>;
}

/** `hang`: no answer, `cut`: the connection ends. */
export type Said = { readonly status: number; readonly body?: unknown } | 'hang' | 'cut';

export interface FakeNode {
  readonly url: string;
  readonly received: readonly Received[];
}

/** Starts a node. @param answer what it says, by the request */
export async function startNode(
  context: TestContext,
  answer: (received: Received) => Said | Promise<Said>,
): Promise<FakeNode> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const closed = once(response, 'close');
    void readBody(request).then(async (body) => {
      const target = `${request.method} ${request.url}`;
      const asked = { target, authorization: request.headers.authorization, body, closed };
      received.push(asked);
      const said = await answer(asked);
      if (said === 'cut') request.socket.destroy();
      else if (said !== 'hang') response.writeHead(said.status).end(JSON.stringify(said.body ?? {}));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

/** Starts a node of a cluster. */
export async function startCluster(context: TestContext): Promise<{ cluster: FakeCluster; url: string }> {
  const cluster = new FakeCluster();
  const { url } = await startNode(context, (received) => cluster.answer(received));
  return { cluster, url };
}

/** A document, or what is left of one that was deleted. */
export interface KeptDocument {
  readonly version: bigint;
  readonly seqNo: number;
  readonly source: object | undefined;
}

export interface KeptIndex {
  uuid: string;
  /** Of an index that was restored. */
  history: string | undefined;
  definition: { readonly mappings?: object; readonly settings?: object };
  readonly aliases: Set<string>;
  documents: Map<string, KeptDocument>;
}

/** Error answer of a cluster. */
const failed = (status: number, type: string): Said => ({ status, body: { error: { type } } });

/** A cluster that keeps indexes, aliases, documents and their versions. Searches find nothing but the number of documents. */
export class FakeCluster {
  readonly indexes = new Map<string, KeptIndex>();
  /** Asked before each request: what is said in its place, if anything. */
  before: (received: Received) => Said | undefined | Promise<Said | undefined> = () => undefined;

  async answer(received: Received): Promise<Said> {
    const said = await this.before(received);
    if (said !== undefined) return said;
    const [method = '', address = ''] = received.target.split(' ');
    const url = new URL(address, 'http://fake');
    const [name = '', kind, id = ''] = url.pathname.slice(1).split('/').map(decodeURIComponent);
    if (name === '') return { status: 200, body: { version: { distribution: 'opensearch', number: '2.19.1' } } };
    if (name === '_aliases') return this.#changeAliases(received.body);
    if (kind === undefined) return this.#indexItself(method, name, received.body);
    if (kind === '_alias' && method === 'GET') return this.#named(name, id === '' ? '*' : id);
    if (kind === '_bulk') return this.#bulk(name, received.body);
    const found = [...this.indexes].filter(([index]) => name.split(',').some((pattern) => isLike(pattern, index)));
    // As clusters do that create indexes by themselves; where the write is refused, the index stays.
    if (found.length === 0 && kind === '_doc' && method === 'PUT') found.push([name, this.#create(name, AUTOMATIC)]);
    const [[, index] = []] = found;
    if (index === undefined) return failed(404, 'index_not_found_exception');
    switch (kind) {
      case '_alias':
        return index.aliases.delete(id) ? OK : { status: 404 };
      case '_doc':
        return this.#isOther(index, id, url.searchParams)
          ? failed(409, 'version_conflict_engine_exception')
          : write(index, id, received.body, url.searchParams.get('version'));
      case '_mapping':
        return change(index, { mappings: { ...index.definition.mappings, ...(JSON.parse(received.body) as object) } });
      case '_settings':
        if (method !== 'PUT') return { status: 200, body: WHOLE };
        return change(index, { settings: { ...index.definition.settings, ...indexSettings(received.body) } });
      case '_mget':
        return { status: 200, body: { docs: this.#idsOf(received.body).map((one) => read(index, one)) } };
      case '_count':
        return { status: 200, body: { count: countOf(index), ...WHOLE } };
      case '_search':
        return search(index, received.body);
      case '_stats':
        return { status: 200, body: { indices: Object.fromEntries(found.map(([one]) => [one, {}])) } };
      default:
        return { status: 200, body: WHOLE };
    }
  }

  /** Whether a document is not the one that a write expects. */
  #isOther({ documents }: KeptIndex, id: string, asked: URLSearchParams): boolean {
    const found = documents.get(id);
    const wanted = asked.get('if_seq_no');
    if (asked.get('op_type') === 'create') return found?.source !== undefined;
    return wanted !== null && found?.seqNo !== Number(wanted);
  }

  /** Names of the indexes that begin so. */
  names(start: string): readonly string[] {
    return [...this.indexes.keys()].filter((name) => name.startsWith(start));
  }

  /** The index that an alias names. */
  of(alias: string): KeptIndex | undefined {
    return [...this.indexes.values()].find(({ aliases }) => aliases.has(alias));
  }

  /** The generations of an index that are searched, one for each definition. @param start prefix and name */
  published(start: string): readonly KeptIndex[] {
    const isIt = (alias: string): boolean =>
      alias.startsWith(start) && /^-[\da-f]{16}$/.test(alias.slice(start.length));
    return [...this.indexes.values()].filter(({ aliases }) => [...aliases].some(isIt));
  }

  /** Ids of the documents of the generation of an index that is searched, in order. */
  ids(start: string): readonly string[] {
    const [only] = this.published(start);
    return only === undefined ? [] : idsIn(only);
  }

  #idsOf(body: string): readonly string[] {
    return (JSON.parse(body) as { readonly ids: readonly string[] }).ids;
  }

  #changeAliases(body: string): Said {
    const { actions } = JSON.parse(body) as { readonly actions: readonly Readonly<Record<string, Action>>[] };
    const removed = actions.flatMap(({ remove }) => remove ?? []);
    const holds = ({ alias, index }: Action): boolean =>
      [...this.indexes].some(
        ([name, { aliases }]) => name !== index && aliases.has(alias) && removed.every((one) => one.index !== name),
      );
    if (actions.some(({ add }) => add?.is_write_index === true && holds(add)))
      return failed(500, 'illegal_state_exception');
    for (const { add, remove } of actions) {
      if (remove) this.indexes.get(remove.index)?.aliases.delete(remove.alias);
      if (add) this.indexes.get(add.index)?.aliases.add(add.alias);
    }
    return OK;
  }

  #named(pattern: string, alias: string): Said {
    const found = [...this.indexes].flatMap(([name, { aliases }]) => {
      const named = [...aliases].filter((one) => isLike(alias, one));
      const isFound = isLike(pattern, name) && (alias === '*' || named.length > 0);
      return isFound ? [[name, { aliases: Object.fromEntries(named.map((one) => [one, {}])) }] as const] : [];
    });
    return { status: found.length > 0 ? 200 : 404, body: Object.fromEntries(found) };
  }

  #indexItself(method: string, name: string, body: string): Said {
    const found = this.indexes.get(name);
    if (method === 'PUT') {
      if (found !== undefined) return failed(400, 'resource_already_exists_exception');
      this.#create(name, body);
      return OK;
    }
    if (found === undefined) return failed(404, 'index_not_found_exception');
    if (method === 'DELETE') return { ...OK, status: this.indexes.delete(name) ? 200 : 404 };
    const { definition, history, uuid } = found;
    const settings = { index: { uuid, ...(history && { history: { uuid: history } }) } };
    return { status: 200, body: { [name]: { mappings: definition.mappings ?? {}, settings } } };
  }

  #create(name: string, body: string): KeptIndex {
    const definition = JSON.parse(body) as KeptIndex['definition'];
    const made = { uuid: randomUUID(), history: undefined, definition };
    const index = { ...made, aliases: new Set<string>(), documents: new Map<string, KeptDocument>() };
    this.indexes.set(name, index);
    return index;
  }

  #bulk(alias: string, body: string): Said {
    const index = this.of(alias);
    const lines = body.trimEnd().split('\n');
    const items: object[] = [];
    while (lines.length > 0) {
      const action = JSON.parse(lines.shift()!) as Readonly<Record<string, { _id: string; version: number }>>;
      const [[kind, { _id: id, version }] = ['', { _id: '', version: 0 }]] = Object.entries(action);
      const source = kind === 'index' ? lines.shift() : undefined;
      const { body: error, status } =
        index === undefined
          ? { status: 404, body: { error: { type: 'index_not_found_exception' } } }
          : write(index, id, source, String(version));
      items.push({ [kind]: { status, ...(error as object) } });
    }
    return { status: 200, body: { items } };
  }
}

/** Ids of the documents of an index, in order. */
export function idsIn({ documents }: KeptIndex): readonly string[] {
  return [...documents].flatMap(([id, { source }]) => (source === undefined ? [] : [id])).toSorted();
}

interface Action {
  readonly index: string;
  readonly alias: string;
  readonly is_write_index?: boolean;
}

/** The form of an index that a cluster creates by itself. */
const AUTOMATIC = '{"settings":{"number_of_shards":1,"number_of_replicas":1}}';
const OK = { status: 200, body: { acknowledged: true } } as const;
const WHOLE = { _shards: { failed: 0 } };
/** Scores of the two documents of the check at the start. */
const CHECKED = [0.23595, 0.25603];

function isLike(pattern: string, name: string): boolean {
  const start = pattern.indexOf('*');
  return start < 0 ? pattern === name : name.startsWith(pattern.slice(0, start));
}

function change(index: KeptIndex, part: KeptIndex['definition']): Said {
  index.definition = { ...index.definition, ...part };
  return OK;
}

function indexSettings(body: string): object {
  return (JSON.parse(body) as { readonly index: object }).index;
}

/** Writes a document with an external version; deletes it where there is no source. */
function write(index: KeptIndex, id: string, source: string | undefined, version: string | null) {
  const wanted = BigInt(version ?? 0);
  if ((index.documents.get(id)?.version ?? -1n) > wanted)
    return { status: 409, body: { error: { type: 'version_conflict_engine_exception' } } };
  const seqNo = (index.documents.get(id)?.seqNo ?? 0) + 1;
  index.documents.set(id, {
    version: wanted,
    seqNo,
    source: source === undefined ? undefined : (JSON.parse(source) as object),
  });
  return { status: 200, body: { _seq_no: seqNo, _primary_term: 1 } };
}

function read({ documents }: KeptIndex, id: string): object {
  const { seqNo, source } = documents.get(id) ?? {};
  if (source === undefined) return { _id: id, found: false };
  return { _id: id, found: true, _seq_no: seqNo, _primary_term: 1, _source: source };
}

function countOf({ documents }: KeptIndex): number {
  return [...documents.values()].filter(({ source }) => source !== undefined).length;
}

function search(index: KeptIndex, body: string): Said {
  const { aggs = {}, size } = JSON.parse(body) as { readonly aggs?: object; readonly size?: number };
  const total = { value: countOf(index), relation: 'eq' };
  // The statistics of the words that the check at the start searches for.
  const aggregations = Object.fromEntries(
    Object.keys(aggs).map((name) => [name, { doc_count: 2, words: { value: 9 } }]),
  );
  const hits = size === 0 ? [] : CHECKED.map((score, at) => ({ _score: score, sort: [score, String(at)] }));
  return { status: 200, body: { timed_out: false, ...WHOLE, _scroll_id: 's', hits: { total, hits }, aggregations } };
}
