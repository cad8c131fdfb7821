// Carries out mutation fields: reads the values, writes in one transaction together with the feed's entries, has the
// answer read in that same transaction, and turns what the database refuses into errors that speak of fields. Not here:
// how an answer is read (execute/) and rows in bulk (import-rows.ts).
import type { Clock, Principal } from '@lockstitch/kernel';
import { appendTo } from '../feed/append.ts';
import { DEFAULT_LIMITS, type Limits } from '../plan/limits.ts';
import { ReadPolicies } from '../plan/policy.ts';
import { RowScope } from '../plan/rows.ts';
import type { Model } from '../schema/model.ts';
import { ConstraintViolation, type MaybePromise, type Session, type Store } from '../store/store.ts';
import { createChangeSet } from './change-set.ts';
import { constraintError } from './constraint-error.ts';
import { createEntityTables } from './entity-table.ts';
import { createMatchRows } from './match-rows.ts';
import { type MutationShape, readMutation } from './mutation-shape.ts';
import { checkReading, checkReferences, prepareMutation, type WrittenRows } from './prepare-mutation.ts';
import { createReading } from './read-values.ts';
import { createRowGuard } from './row-guard.ts';
import { type AtOnce, type AtOnceCall, createAtOnce } from './write-at-once.ts';
import type { WriteUnit } from './write-unit.ts';

export type { WrittenRows } from './prepare-mutation.ts';

/** A call of one mutation field. */
export interface MutationCall {
  /** The name of the field of Mutation. */
  readonly field: string;
  /** Its arguments, coerced as graphql-js coerces them. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly principal: Principal;
  /** Where it is carried out: the writer's own store, watched or bounded. Default: as it is. */
  readonly store?: Store | undefined;
}

/** What a mutation field came to. */
export type MutationOutcome<T> =
  /** `value` is what `answer` returned. */
  | { readonly kind: 'rows'; readonly value: T; readonly position: number }
  /** A delete that answers whether (true), how many, or which key. */
  | { readonly kind: 'scalar'; readonly value: boolean | number | string; readonly position: number };

/** A call that is to be carried out at once. */
export interface AttemptedCall<Read, T> extends AtOnceCall<Read, T> {
  readonly field: string;
  /** Called instead of `respond` when nothing was committed: with AttemptUndone, or what kept it from being. */
  readonly lost: (error: unknown) => MaybePromise<T>;
}

type Answer<T> = (session: Session, written: WrittenRows) => MaybePromise<T>;

/** Writes to the database. */
export interface Writer {
  /**
   * Carries out one mutation field in a transaction of its own.
   *
   * `answer` is called inside it to read the rows for the response: after they were written, before they are deleted. It
   * must use the session it is given. Where the field returns a scalar it is not called. Position is that of the last
   * change in the feed, 0 when nothing changed.
   *
   * @throws GRAPH_INPUT_INVALID, GRAPH_NOT_FOUND, GRAPH_NOT_UNIQUE, GRAPH_RESTRICTED, GRAPH_CONFLICT, GRAPH_FORBIDDEN,
   * GRAPH_CONSTRAINT; the database is then as it was
   */
  mutate<T>(call: MutationCall, answer: Answer<T>): Promise<MutationOutcome<T>>;
  /**
   * Carries out a plain create or update of one object here and now, where the database can; `mutate` would do the same.
   * Undefined when it cannot, or has undone it because something was in the way: `mutate` then tells what. AttemptUndone is
   * what it is told that was undone together with another: `mutate` then does it.
   */
  attempt<Read, T>(call: AttemptedCall<Read, T>): Promise<T> | undefined;
}

/** What a writer works on. */
export interface WriterOptions {
  readonly model: Model;
  readonly store: Store;
  readonly clock: Clock;
  /** Default: the usual limits. */
  readonly limits?: Limits;
  /** The read rules of the model, where they are compiled already. */
  readonly policies?: ReadPolicies;
}

/** Creates the writer of a model; its tables must exist. @throws an EXPRESSION_… error when an @auth rule is wrong */
export function createWriter(options: WriterOptions): Writer {
  const { model, store, clock, limits = DEFAULT_LIMITS, policies = new ReadPolicies(model) } = options;
  const tables = createEntityTables(model, store);
  const matchRows = createMatchRows(model, store, limits, policies);
  const guard = createRowGuard(model);
  const shapes = readShapes(model);
  const append = appendTo(store);
  const shortWays = new Map<string, AtOnce | undefined>();
  // Many writes fall into one millisecond, and to print a time takes half of a microsecond.
  let lastTime = Number.NaN;
  let printed = '';
  const timeNow = (): string => {
    const time = clock.now();
    if (time !== lastTime) {
      lastTime = time;
      printed = new Date(time).toISOString();
    }
    return printed;
  };
  const parts = { model, store, tables, guard, now: timeNow };
  for (const [field, shape] of shapes) shortWays.set(field, createAtOnce(parts, shape));

  return {
    attempt(call) {
      const way = shortWays.get(call.field);
      const work = way?.read(call);
      if (way === undefined || work === undefined) return undefined;
      return store.attempt!({ work, lost: call.lost, careful: way.careful });
    },
    async mutate<T>(call: MutationCall, answer: Answer<T>) {
      const shape = shapes.get(call.field);
      if (shape === undefined) throw new Error(`Mutation.${call.field} is not answered by the engine.`);
      const reading = createReading(model);
      const work = prepareMutation(shape, call.args, reading);
      checkReading(reading, call.field);
      const now = timeNow();
      try {
        return await (call.store ?? store).transaction(async (session): Promise<MutationOutcome<T>> => {
          const unit: WriteUnit = {
            model,
            session,
            dialect: store.dialect,
            tables,
            changes: createChangeSet(),
            principal: call.principal,
            now,
            field: call.field,
            guard,
            seesAll(entity, name) {
              const view = policies.viewOf(call.principal);
              return !view.restricts(entity.name) && view.field(new RowScope(entity, 't'), name) === undefined;
            },
            toCheck: [],
            raised: new Map(),
          };
          await checkReferences(unit, guard, reading);
          const outcome = await work({ unit, matchRows, answer: (written) => answer(session, written) });
          const position = await append(session, unit.changes.changes(), { principal: call.principal.name, at: now });
          return { ...outcome, position } as MutationOutcome<T>;
        });
      } catch (error) {
        if (!(error instanceof ConstraintViolation)) throw error;
        if (error.kind === 'foreignKey') {
          const { field, principal } = call;
          await checkReferences(
            { model, session: store, dialect: store.dialect, tables, principal, field },
            guard,
            reading,
            true,
          );
        }
        throw constraintError(error, call.field, model, shape.entity);
      }
    },
  };
}

function readShapes(model: Model): ReadonlyMap<string, MutationShape> {
  const shapes = new Map<string, MutationShape>();
  const type = model.schema.getMutationType();
  for (const field of Object.values(type?.getFields() ?? {})) {
    if (model.roots.get(`${type!.name}.${field.name}`)?.kind === 'resolver') continue;
    const shape = readMutation(field, model);
    if ('binding' in shape) shapes.set(field.name, shape);
  }
  return shapes;
}
