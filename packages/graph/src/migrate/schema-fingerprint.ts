// Identifies what a schema asks of a database, for servers that share one.
import { createHash } from 'node:crypto';
import type { Model } from '../schema/model.ts';
import { softDeletesOf } from './soft-deletes.ts';
import { meaningOf } from './stored-schema.ts';
import { tablesOfModel } from './tables-of-model.ts';

/** Equal for schemas whose tables on PostgreSQL are equal: columns, keys, indexes, what the values mean, and which rows are deleted. */
export function schemaFingerprint(model: Model): string {
  const asked = [tablesOfModel(model, 'postgres'), [...meaningOf(model)], [...softDeletesOf(model)]];
  return createHash('sha256').update(JSON.stringify(asked)).digest('base64url').slice(0, 22);
}
