// What a search cluster answers to a request: read whole, and told apart whether it is an answer, an error, or that of a node that is away.
import { toText } from '@lockstitch/kernel';
import type { IncomingMessage } from 'node:http';
import { bucketLimitOf } from '@lockstitch/search/cluster';
import { serverErrors } from '../errors.ts';

export interface ClusterAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** What of a request an error names. */
interface RequestLine {
  readonly method: string;
  readonly path: string;
}

/** The type of the error where a cluster takes no writes for now. */
export const BLOCKED = 'cluster_block_exception';
/** What a proxy or a node says that cannot answer now. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** A node answers 503 as well where a request asks for too many buckets: others would too. */
export function isAway({ body, status }: ClusterAnswer): boolean {
  return AWAY.has(status) && bucketLimitOf(readJson(body)) === undefined;
}

/** An index that is blocked (a full disk, for example) answers 403 as well: that passes. */
export function isDenied({ body, status }: ClusterAnswer): boolean {
  return status === 401 || (status === 403 && errorType(readJson(body)) !== BLOCKED);
}

/** Bytes of an answer at most: 10,000 hits of 12 KB. */
export const MOST_BYTES = 128 * 2 ** 20;

/** Reads an answer. One that is too long ends as a request that is: its status is 413. */
export async function readAll(response: IncomingMessage, most: number): Promise<ClusterAnswer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response) {
    pieces.push(piece as Buffer);
    bytes += (piece as Buffer).length;
    // Leaving the loop closes the connection.
    if (bytes > most) return { status: 413, body: Buffer.alloc(0) };
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(pieces) };
}

export function readJson(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

export function readAnswer(request: RequestLine, { body, status }: ClusterAnswer): Readonly<Record<string, unknown>> {
  const answer = readJson(body);
  if (status < 400 && answer !== undefined) return answer;
  throw refusal(request, status, answer);
}

/** The error of a request that the cluster answered with a status, or an answer, that is none. */
export function refusal(
  { method, path }: RequestLine,
  status: number,
  answer?: Readonly<Record<string, unknown>>,
): Error {
  const type = errorType(answer) ?? 'no reason';
  return serverErrors.create('SERVER_CLUSTER_REFUSED', { method, path, status, type }, { detail: { status } });
}

/** The type of a cluster's error; its words may quote values of documents. */
function errorType({ error }: Readonly<Record<string, unknown>> = {}): string | undefined {
  return typeof error === 'object' && error !== null && 'type' in error ? toText(error.type) : undefined;
}
