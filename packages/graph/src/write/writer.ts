// Executes mutation fields: reads the values, writes in one transaction with the feed entries, reads the response in
// the same transaction, and translates constraint violations. Not here: reading responses (execute/) and bulk imports
// (import-rows.ts).
import type { Clock, Principal } from '@lockstitch/kernel';
import { createOwnWrites } from '../capture/own-writes.ts';
import { appendTo } from '../feed/append.ts';
import { DEFAULT_LIMITS, type Limits } from '../plan/limits.ts';
import { ReadPolicies } from '../plan/policy.ts';
import { RowScope } from '../plan/rows.ts';
import type { Model } from '../schema/model.ts';
import { ConstraintViolation, type MaybePromise, type Session, type Store } from '../store/store.ts';
import { checkRights } from './asked-rights.ts';
import { createChangeSet } from './change-set.ts';
import { constraintError } from './constraint-error.ts';
import { createEntityTables } from './entity-table.ts';
import { createMatchRows } from './match-rows.ts';
import { type MutationShape, readMutation } from './mutation-shape.ts';
import { argumentCheckOf, type CheckArguments } from './check-constraint.ts';
import type { WrittenRows } from './mutation-targets.ts';
import { checkReading, checkReferences, prepareMutation } from './prepare-mutation.ts';
import { createReading } from './read-values.ts';
import { createRowGuard } from './row-guard.ts';
import { type FastPath, type FastPathCall, createFastPath } from './write-fast-path.ts';
import type { WriteUnit } from './write-unit.ts';

export type { WrittenRows } from './mutation-targets.ts';

/** A call of one mutation field. */
export interface MutationCall {
  /** The name of the Mutation field. */
  readonly field: string;
  /** Its arguments, coerced by graphql-js. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly principal: Principal;
  /** The store to use, observed or with a deadline. Default: the writer's own. */
  readonly store?: Store | undefined;
}

/** The result of a mutation field. */
export type MutationOutcome<T> =
  /** `value` is the return value of `answer`. */
  | { readonly kind: 'rows'; readonly value: T; readonly position: number }
  /** The scalar result of a delete: true, a number, or a key. */
  | { readonly kind: 'scalar'; readonly value: boolean | number | string; readonly position: number };

/** A call for the fast path. */
export interface AttemptedCall<Read, T> extends FastPathCall<Read, T> {
  readonly field: string;
  /** Called instead of `respond` if nothing was committed: with AttemptUndone, or the commit's error. */
  readonly lost: (error: unknown) => MaybePromise<T>;
}

type Answer<T> = (session: Session, written: WrittenRows) => MaybePromise<T>;

/** Writes to the database. */
export interface Writer {
  /**
   * Executes one mutation field in its own transaction.
   *
   * `answer` is called inside it to read the rows for the response: after writing, or before deleting. It must use the
   * given session. It is not called for a scalar field. Position is the feed position of the last change, 0 if nothing
   * changed.
   *
   * @throws GRAPH_INPUT_INVALID, GRAPH_NOT_FOUND, GRAPH_NOT_UNIQUE, GRAPH_RESTRICTED, GRAPH_CONFLICT, GRAPH_FORBIDDEN,
   * GRAPH_CONSTRAINT; the database is then unchanged
   */
  mutate<T>(call: MutationCall, answer: Answer<T>): Promise<MutationOutcome<T>>;
  /**
   * Fast path: executes a plain create or update of one object synchronously, with the same effect as `mutate`.
   * Undefined if that is impossible or was rolled back because of an error, which `mutate` then reports. AttemptUndone
   * means that another write's rollback undid it; `mutate` then repeats it.
   */
  attempt<Read, T>(call: AttemptedCall<Read, T>): Promise<T> | undefined;
}

/** Inputs of a writer. */
export interface WriterOptions {
  readonly model: Model;
  readonly store: Store;
  readonly clock: Clock;
  /** Default: DEFAULT_LIMITS. */
  readonly limits?: Limits;
  /** The model's read rules, if they are compiled already. */
  readonly policies?: ReadPolicies;
}

/** Creates the writer of a model; its tables must exist. @throws an EXPRESSION_… error for an invalid @auth rule */
export function createWriter(options: WriterOptions): Writer {
  const { model, store, clock, limits = DEFAULT_LIMITS, policies = new ReadPolicies(model) } = options;
  const tables = createEntityTables(model, store);
  const matchRows = createMatchRows(model, store, limits, policies, clock);
  const guard = createRowGuard(model);
  const shapes = readShapes(model);
  const append = appendTo(store);
  const ownWrites = createOwnWrites(model, store, tables);
  const fastPaths = new Map<string, FastPath | undefined>();
  // Many writes share a millisecond, and printing a time takes 0.5 µs.
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
  for (const [field, shape] of shapes) fastPaths.set(field, createFastPath(parts, shape));
  const mutations = model.schema.getMutationType()?.getFields() ?? {};
  const checkOf = (name: string): CheckArguments | undefined => {
    const field = mutations[name];
    return field === undefined ? undefined : argumentCheckOf(model.schema, field);
  };
  const violatesConstraint = (call: Pick<MutationCall, 'field' | 'args'>): boolean => {
    const check = checkOf(call.field);
    if (check === undefined) return false;
    const found = { violations: [] };
    check(call.args, found);
    return found.violations.length > 0;
  };

  return {
    attempt(call) {
      const path = fastPaths.get(call.field);
      if (violatesConstraint(call)) return undefined;
      const work = path?.read(call);
      if (path === undefined || work === undefined) return undefined;
      return store.attempt?.({ work, lost: call.lost, careful: path.careful });
    },
    async mutate<T>(call: MutationCall, answer: Answer<T>) {
      const shape = shapes.get(call.field);
      if (shape === undefined) throw new Error(`Mutation.${call.field} is not answered by the engine.`);
      const reading = createReading(model);
      checkOf(call.field)?.(call.args, reading);
      const work = prepareMutation(shape, call.args, reading);
      checkRights({ guard, principal: call.principal, field: call.field }, reading.rights);
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
          const mark = await ownWrites?.mark(session);
          const outcome = await work({ unit, matchRows, answer: (written) => answer(session, written) });
          const written = unit.changes.changes();
          const changes =
            mark === undefined || ownWrites === undefined ? written : await ownWrites.settle(session, mark, written);
          const position = await append(session, changes, { principal: call.principal.name, at: now });
          return { ...outcome, position } as MutationOutcome<T>;
        });
      } catch (error) {
        if (!(error instanceof ConstraintViolation)) throw error;
        if (error.kind === 'foreignKey') {
          const { field, principal } = call;
          // PostgreSQL reads nothing in a transaction that has failed; SQLite in memory, nothing beside an open one.
          const session = store.dialect === 'postgres' ? store : (call.store ?? store);
          await checkReferences(
            { model, session, dialect: store.dialect, tables, principal, field },
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
    if (model.roots.get(`${type?.name}.${field.name}`)?.kind === 'resolver') continue;
    const shape = readMutation(field, model);
    if ('binding' in shape) shapes.set(field.name, shape);
  }
  return shapes;
}
