// Finds the text of an operation: in the request, by the hash of an earlier text (automatic persisted queries, Apollo's
// protocol), or by the id of a trusted document.
import { createHash } from 'node:crypto';
import { LruMap } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import type { GraphRequest } from '../execute/contracts.ts';
import type { RawParameters } from './http-contract.ts';
import { hasMembers, isList } from '../present.ts';

/** Which operations are allowed. */
export interface PersistedOptions {
  /** Document id → text, from a build-time manifest. Default: none. */
  readonly trusted?: Readonly<Record<string, string>>;
  /** Allow only trusted documents. Default: false. */
  readonly onlyTrusted?: boolean;
}

/** Number of texts cached by hash, and the maximum length of each. */
const CACHE_SIZE = 1000;
const MAX_TEXT_LENGTH = 20_000;

/** The response that asks an APQ client for the text; clients compare the message. */
const NOT_FOUND = JSON.stringify({
  errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
});

/** An executable request, or the response to send instead. */
export type Resolved =
  | { readonly kind: 'request'; readonly request: GraphRequest }
  | { readonly kind: 'answer'; readonly body: string };

/** Finds the operation of a request. */
export interface PersistedOperations {
  /** @throws ProductError GRAPH_HTTP_PARAMETER, GRAPH_PERSISTED_MISMATCH, GRAPH_TRUSTED_ONLY, GRAPH_DOCUMENT_UNKNOWN */
  readonly resolve: (raw: RawParameters) => Resolved;
}

/** Creates the finder of a graph. */
export function createPersistedOperations(options: PersistedOptions): PersistedOperations {
  const cache = new LruMap<string, string>(CACHE_SIZE);
  const trusted = new Map(Object.entries(options.trusted ?? {}));
  const onlyTrusted = options.onlyTrusted === true;

  function byHash(hash: string, query: string | undefined): string | undefined {
    if (query === undefined) return cache.get(hash);
    if (createHash('sha256').update(query).digest('hex') !== hash) throw graphErrors.create('GRAPH_PERSISTED_MISMATCH');
    if (query.length <= MAX_TEXT_LENGTH) cache.set(hash, query);
    return query;
  }

  function textOf(raw: RawParameters, extensions: Members | undefined): string | undefined {
    const query = readText('query', raw.query);
    const documentId = readText('documentId', raw.documentId);
    const hash = hashOf(extensions);
    if (documentId !== undefined || (hash !== undefined && trusted.has(hash))) {
      const text = trusted.get(documentId ?? hash!);
      if (text === undefined) throw graphErrors.create('GRAPH_DOCUMENT_UNKNOWN', { id: documentId ?? '' });
      return text;
    }
    if (onlyTrusted) throw graphErrors.create('GRAPH_TRUSTED_ONLY');
    return hash === undefined ? (query ?? missing()) : byHash(hash, query);
  }

  return {
    resolve(raw) {
      const extensions = readMembers('extensions', raw.extensions);
      const variables = readMembers('variables', raw.variables);
      const operationName = readText('operationName', raw.operationName);
      const query = textOf(raw, extensions);
      if (query === undefined) return { kind: 'answer', body: NOT_FOUND };
      return { kind: 'request', request: { query, operationName, variables, extensions } };
    },
  };
}

type Members = Readonly<Record<string, unknown>>;

function missing(): never {
  throw graphErrors.create('GRAPH_HTTP_PARAMETER', { name: 'query', reason: 'is missing' });
}

function readText(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw graphErrors.create('GRAPH_HTTP_PARAMETER', { name, reason: 'must be a string' });
}

function readMembers(name: string, value: unknown): Members | undefined {
  if (value === undefined || value === null) return undefined;
  if (hasMembers(value) && !isList(value)) return value;
  throw graphErrors.create('GRAPH_HTTP_PARAMETER', { name, reason: 'must be an object' });
}

function hashOf(extensions: Members | undefined): string | undefined {
  const persisted = extensions?.['persistedQuery'];
  if (!hasMembers(persisted)) return undefined;
  const { version, sha256Hash } = persisted;
  if (version === 1 && typeof sha256Hash === 'string') return sha256Hash;
  const reason = 'has a persistedQuery that is not { "version": 1, "sha256Hash": "…" }';
  throw graphErrors.create('GRAPH_HTTP_PARAMETER', { name: 'extensions', reason });
}
