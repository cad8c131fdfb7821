// Reads the parameters of an HTTP request: the JSON object of a body, or a query string. Not here: finding the
// operation (persisted-operations.ts).
import { reasonOf } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import type { HttpRequest, RawParameters } from './http-contract.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the JSON object of a request body.
 *
 * @throws ProductError GRAPH_HTTP_CONTENT_TYPE, GRAPH_HTTP_BODY, GRAPH_HTTP_BATCH
 */
export function readBody(request: Pick<HttpRequest, 'headers' | 'body'>): RawParameters {
  checkContentType(request.headers['content-type']);
  let text: string;
  try {
    text = decoder.decode(request.body);
  } catch {
    throw graphErrors.create('GRAPH_HTTP_BODY', { reason: 'is not UTF-8' });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = text === '' ? 'is empty' : `is not JSON: ${reasonOf(error)}`;
    throw graphErrors.create('GRAPH_HTTP_BODY', { reason });
  }
  if (Array.isArray(value)) throw graphErrors.create('GRAPH_HTTP_BATCH');
  if (typeof value !== 'object' || value === null)
    throw graphErrors.create('GRAPH_HTTP_BODY', { reason: 'is JSON, but not an object' });
  return value;
}

function checkContentType(type: string | undefined): void {
  if (type === 'application/json') return;
  const [name, ...parameters] = (type ?? '').split(';').map((each) => each.trim().toLowerCase());
  const charset = parameters
    .find((each) => each.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (name === 'application/json' && (charset === undefined || charset === 'utf-8' || charset === 'utf8')) return;
  const said = type === undefined || type === '' ? 'no content type' : `the content type "${type}"`;
  throw graphErrors.create('GRAPH_HTTP_CONTENT_TYPE', { said });
}

/**
 * Reads the parameters of a query string.
 *
 * @throws ProductError GRAPH_HTTP_PARAMETER
 */
export function readQuery(query: URLSearchParams): RawParameters {
  return {
    query: query.get('query') ?? undefined,
    operationName: query.get('operationName') ?? undefined,
    documentId: query.get('documentId') ?? undefined,
    variables: parseMember('variables', query.get('variables')),
    extensions: parseMember('extensions', query.get('extensions')),
  };
}

function parseMember(name: string, text: string | null): unknown {
  if (text === null || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw graphErrors.create('GRAPH_HTTP_PARAMETER', { name, reason: 'is not JSON' });
  }
}
