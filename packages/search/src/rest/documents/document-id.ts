// Ids of documents: which may be given, and what a new one looks like.
import { randomBytes } from 'node:crypto';
import { illegalArgument, validationError } from '../../errors/request-error.ts';

const ID_BYTES = 15;
let pool = Buffer.alloc(0);
let poolAt = 0;

/** A new id: 15 random bytes in 20 URL-safe characters, as Elasticsearch's; drawn many at a time. */
export function newId(): string {
  if (poolAt + ID_BYTES > pool.length) {
    pool = randomBytes(ID_BYTES * 256);
    poolAt = 0;
  }
  poolAt += ID_BYTES;
  return pool.toString('base64url', poolAt - ID_BYTES, poolAt);
}

/** Refuses an id that is empty or longer than 512 bytes. */
export function checkId(id: string): void {
  if (id === '') throw illegalArgument('if _id is specified it must not be empty');
  const bytes = Buffer.byteLength(id);
  if (bytes > 512)
    throw validationError(
      `id [${id.length > 1000 ? `${id.slice(0, 1000)}…` : id}] is too long, must be no longer than 512 bytes but was: ${bytes}`,
    );
}
