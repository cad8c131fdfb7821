// A database with a schema for mutations, for tests of their effects on tables and feed. Responses are not read: a
// mutation returns the keys it wrote.
import { ANONYMOUS, type Principal, systemClock } from '@lockstitch/kernel';
import { execute, type GraphQLError, parse, validate } from 'graphql';
import type { Change } from '../src/feed/change.ts';
import { createFeed, type Feed } from '../src/feed/feed.ts';
import { applyMigration } from '../src/migrate/apply-migration.ts';
import type { Model } from '../src/schema/model.ts';
import type { Row, Store } from '../src/store/store.ts';
import { createWriter, type Writer, type WrittenRows } from '../src/write/writer.ts';
import { modelOf, PHOTO_SCHEMA } from './photo-schema.ts';

export interface Writing {
  readonly model: Model;
  readonly feed: Feed;
  readonly writer: Writer;
  /** Sends one mutation field and returns the keys (or the scalar) it answered; throws the first error. */
  run(
    field: string,
    options?: { principal?: Principal; variables?: Record<string, unknown>; header?: string },
  ): Promise<unknown>;
  /** Rows of a query. */
  rows(sql: string): Promise<readonly Row[]>;
  /** The changes since the last call, without position, time and author. */
  changes(): Promise<readonly Omit<Change, 'position' | 'at' | 'principal'>[]>;
}

/** Prepares a database for writing. */
export async function openWriting(store: Store, schema = PHOTO_SCHEMA): Promise<Writing> {
  const model = modelOf(schema);
  await applyMigration(model, store);
  const feed = createFeed(store, systemClock);
  const writer = createWriter({ model, store, clock: systemClock });
  let seen = await feed.head();
  return {
    model,
    feed,
    writer,
    async run(field, { principal = ANONYMOUS, variables = {}, header = '' } = {}) {
      const document = parse(`mutation ${header} { ${field} }`);
      const name = /^\w+/.exec(field)![0];
      const returns = String(model.schema.getMutationType()!.getFields()[name]!.type).replaceAll(/[[\]!]/g, '');
      const withSelection = model.entities.has(returns)
        ? parse(`mutation ${header} { ${field} { __typename } }`)
        : document;
      const mistakes = validate(model.schema, withSelection);
      if (mistakes[0] !== undefined) throw mistakes[0];
      let answered: unknown;
      const result = await execute({
        schema: model.schema,
        document: withSelection,
        variableValues: variables,
        fieldResolver: async (_source, args, _context, info) => {
          const call = { field: info.fieldName, args: args as Record<string, unknown>, principal };
          const outcome = await writer.mutate(call, (_session, written: WrittenRows) => written);
          if (outcome.kind === 'scalar') return (answered = outcome.value);
          answered = outcome.value.many ? outcome.value.keys : outcome.value.keys[0];
          return outcome.value.many ? outcome.value.keys.map(() => ({})) : {};
        },
      });
      const [error] = (result as { errors?: readonly GraphQLError[] }).errors ?? [];
      if (error !== undefined) throw error.originalError ?? error;
      return answered;
    },
    rows: async (sql) => store.prepare(sql).rows([]),
    async changes() {
      const changes = await feed.read(seen);
      seen = changes.at(-1)?.position ?? seen;
      return changes.map((change) => {
        const { position, at, principal, ...rest } = change;
        void [position, at, principal];
        return rest;
      });
    },
  };
}
