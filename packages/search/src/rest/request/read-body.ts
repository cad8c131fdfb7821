// Reads the body of a request from a socket, unpacked, within a limit.
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { RequestError } from '../../errors/request-error.ts';

type Unpack = (packed: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const UNPACK: Readonly<Record<string, Unpack>> = {
  gzip: promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip),
  deflate: promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflate),
  br: promisify<Uint8Array, { maxOutputLength: number }, Buffer>(brotliDecompress),
};

/** Bytes of a body from which its buffer is allocated up front; below, joining the chunks takes less than half a millisecond. */
const LARGE = 1 << 20;

/**
 * Reads it.
 *
 * @param limit bytes at most, packed and unpacked
 * @throws RequestError 413 past the limit, 400 for what cannot be unpacked
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  const announced = Number(request.headers['content-length'] ?? 0);
  // Put in its place as it comes: joining many megabytes at the end would hold the event loop.
  // In shared memory, for it goes to a thread.
  const whole = announced >= LARGE && announced <= limit ? Buffer.from(new SharedArrayBuffer(announced)) : undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    if (size + chunk.length > limit) throw tooLong(limit);
    if (whole === undefined) chunks.push(chunk);
    else whole.set(chunk, size);
    size += chunk.length;
  }
  const body = whole?.subarray(0, size) ?? Buffer.concat(chunks);
  const coding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding === 'identity' || coding === '' || body.length === 0) return body;
  const unpack = Object.hasOwn(UNPACK, coding) ? UNPACK[coding] : undefined;
  if (unpack === undefined)
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'illegal_argument_exception',
      `Content-Encoding [${coding}] is not supported; it is one of [${Object.keys(UNPACK).join(', ')}]`,
    );
  try {
    return await unpack(body, { maxOutputLength: limit });
  } catch (error) {
    if (error instanceof RangeError) throw tooLong(limit);
    throw new RequestError(
      'SEARCH_PARSING',
      'parse_exception',
      `The body is not [${coding}], as its Content-Encoding says`,
    );
  }
}

function tooLong(limit: number): Error {
  return new RequestError(
    'SEARCH_TOO_LARGE',
    'content_too_long_exception',
    `entity content is longer than the limit of [${limit}]`,
  );
}
