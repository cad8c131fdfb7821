// Runs the statements that fetch data for graphql-js: root fields, objects by key, and batches within one tick. Returns
// Prefetched objects. Not here: statements that answer a whole operation (executor.ts).
import type { Clock } from '@lockstitch/kernel';
import {
  getNamedType,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLResolveInfo,
} from 'graphql';
import { createEnvironment } from '../plan/build-plan.ts';
import type { Environment, View } from '../plan/environment.ts';
import type { Limits } from '../plan/limits.ts';
import { selectByKeys, selectRootField } from '../plan/root-field.ts';
import type { Entity, Model, RootBinding } from '../schema/model.ts';
import type { Dialect } from '../sql/dialect.ts';
import { printJson } from '../sql/print.ts';
import type { Inputs, Json } from '../sql/sql.ts';
import type { MaybePromise, Session, SqlValue } from '../store/store.ts';
import { readAnswer } from './response-size.ts';
import { searchPage, type SearchContext } from './full-text.ts';
import { isDenied, type Prefetched, wrapFetched } from './prefetched.ts';
import { first } from '../present.ts';

/** The context of one request. */
export interface ReaderContext {
  readonly model: Model;
  readonly dialect: Dialect;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly view: View;
  /** Values of the row-independent parts of rules. */
  readonly policy: (part: number) => unknown;
  readonly session: Session;
  /** Called if a read rule was looked up for a statement. */
  readonly onRule?: (() => void) | undefined;
}

/** Reads for one request. */
export class Reader {
  readonly #context: ReaderContext;
  /** Argument errors inside a prefetched selection, for graphql-js to report. */
  readonly refused = new Map<FieldNode, unknown>();
  readonly #batches = new Map<string, Batch[]>();
  /** Characters read so far. */
  #taken = 0;

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  /** Reads a root field of a query. */
  root(
    binding: RootBinding,
    definition: GraphQLField<unknown, unknown>,
    info: GraphQLResolveInfo,
  ): MaybePromise<unknown> {
    const env = this.#environment(info);
    const node = first(info.fieldNodes);
    const json = selectRootField(env, binding, definition, info.fieldNodes);
    if (json === undefined || this.refused.has(node)) throw this.refused.get(node);
    return this.#fetch(env, json, this.#context.session);
  }

  /** Reads a root field of a full-text search. */
  async search(
    binding: Extract<RootBinding, { kind: 'search' }>,
    definition: GraphQLField<unknown, unknown>,
    info: GraphQLResolveInfo,
    by: Pick<SearchContext, 'port' | 'principal' | 'signal'>,
  ): Promise<unknown> {
    const env = this.#environment(info);
    const node = first(info.fieldNodes);
    const args = env.argumentsOf(definition, node);
    if (args === undefined) throw this.refused.get(node);
    const fetch = (json: Json): MaybePromise<unknown> => this.#fetch(env, json, this.#context.session);
    return searchPage({ env, fetch, ...by }, binding, definition, getNamedType(info.returnType).name, args, info);
  }

  /** Reads rows by key with the field's selection, in a session; null for a key without a readable row. */
  byKeys(
    entity: Entity,
    keys: readonly SqlValue[],
    info: SelectionInfo,
    session?: Session,
  ): MaybePromise<readonly unknown[]> {
    const env = this.#environment(info);
    const json = selectByKeys(env, entity, { kind: 'constant', value: toKeyList(keys) }, info.fieldNodes, true);
    return this.#fetch(env, json, session ?? this.#context.session) as MaybePromise<readonly unknown[]>;
  }

  /** The same for one key; keys requested in one tick with one selection share a statement. */
  byKey(entity: Entity, key: SqlValue, info: SelectionInfo): Promise<unknown> {
    const batches = this.#batches.get(entity.name) ?? [];
    this.#batches.set(entity.name, batches);
    const nodes = info.fieldNodes;
    let batch = batches.find(
      (each) => each.nodes.length === nodes.length && each.nodes.every((node, index) => node === nodes[index]),
    );
    if (batch === undefined) {
      const created: Batch = { nodes, keys: [], places: new Map(), result: undefined as never };
      created.result = afterTick().then(() => {
        batches.splice(batches.indexOf(created), 1);
        return this.byKeys(entity, created.keys, info);
      });
      batches.push(created);
      batch = created;
    }
    const place = batch.places.get(key) ?? batch.keys.push(key) - 1;
    batch.places.set(key, place);
    return batch.result.then((rows) => rows[place] ?? null);
  }

  /** All columns of a row that the caller may read, for `context.load`; batched like byKey. */
  async wholeByKey(entity: Entity, key: SqlValue): Promise<Readonly<Record<string, unknown>> | null> {
    const found = (await this.byKey(entity, key, wholeSelection(entity))) as Prefetched | null;
    if (found === null) return null;
    const columns = [...entity.fields.values()].filter((field) => field.kind === 'column');
    const values = columns.map((field) => [field, found.get(field.name)] as const);
    // Without a rule, the mark is a stored value.
    const readable = values.filter(([field, value]) => field.auth?.read === undefined || !isDenied(value));
    return Object.fromEntries(readable.map(([{ name }, value]) => [name, value]));
  }

  #environment(info: SelectionInfo): Environment {
    const fragments = new Map<string, FragmentDefinitionNode>(Object.entries(info.fragments));
    return createEnvironment(
      { ...this.#context, fragments, variables: info.variableValues },
      'prefetch',
      undefined,
      this.refused,
    );
  }

  #fetch({ asksRules }: Environment, json: Json, session: Session): MaybePromise<unknown> {
    if (asksRules) this.#context.onRule?.();
    const { text, parameters } = printJson(json, this.#context.dialect);
    const inputs: Inputs = { args: () => ({}), policy: this.#context.policy };
    const values = parameters.map((parameter) =>
      parameter.kind === 'constant' ? parameter.value : parameter.read(inputs),
    );
    const result = readAnswer(session.prepare(text), values, this.#context.limits, this.#taken);
    const take = (fetched: string | null): unknown => {
      this.#taken += fetched?.length ?? 0;
      return fetched === null ? null : wrapFetched(JSON.parse(fetched));
    };
    return result instanceof Promise ? result.then(take) : take(result);
  }
}

/** The selection of a resolver's info. */
type SelectionInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>;

const wholeSelections = new WeakMap<Entity, SelectionInfo>();

/** A selection of every column; always the same object, so that batches share it. */
function wholeSelection(entity: Entity): SelectionInfo {
  const known = wholeSelections.get(entity);
  if (known !== undefined) return known;
  const columns = [...entity.fields.values()].filter((field) => field.kind === 'column');
  const selections = columns.map((field): FieldNode => ({
    kind: Kind.FIELD,
    name: { kind: Kind.NAME, value: field.name },
  }));
  const node: FieldNode = {
    kind: Kind.FIELD,
    name: { kind: Kind.NAME, value: entity.name },
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  const created: SelectionInfo = { fieldNodes: [node], fragments: {}, variableValues: { sources: {}, coerced: {} } };
  wholeSelections.set(entity, created);
  return created;
}

interface Batch {
  readonly nodes: readonly FieldNode[];
  readonly keys: SqlValue[];
  readonly places: Map<SqlValue, number>;
  result: Promise<readonly unknown[]>;
}

/** Runs after pending promises have settled, so that sibling fields have asked by then. */
function afterTick(): Promise<void> {
  return new Promise((resolve) => {
    void Promise.resolve().then(() => process.nextTick(resolve));
  });
}

/** Keys as a JSON array to bind. */
export function toKeyList(keys: readonly SqlValue[]): string {
  return `[${keys.map((key) => (typeof key === 'bigint' ? key.toString() : JSON.stringify(key))).join(',')}]`;
}
