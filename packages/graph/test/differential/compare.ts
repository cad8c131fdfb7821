// Runs random operations through the engine and through graphql-js over the same plain rows, and says where they differ.
import { ANONYMOUS, compileExpression, type Principal } from '@lockstitch/kernel';
import type { ExecutionResult } from 'graphql';
import { createGraph, readSchema, type Store } from '../../src/index.ts';
import type { Entity, Model } from '../../src/schema/model.ts';
import { rowShapeOf } from '../../src/write/row-shape.ts';
import { Random } from './random.ts';
import { executeReference } from './reference.ts';
import { randomOperation, type Samples } from './random-operation.ts';
import { makeZoo, ZOO_RESOLVERS, ZOO_SDL, type Place, type Zoo, type ZooRow } from './zoo.ts';

/** Values to ask for. */
export const SAMPLES: Samples = {
  String: ['Ann', 'ann', 'Zoë', '', 'n', 'b"q\\', '日', '%', 'É'],
  ID: ['1', '2', '10', '01', 'k1', 'k10', 'é', 'x', '99999999999999999999'],
  Int: [0, 1, 2, 3, 4, -1, 2_147_483_647],
  first: [0, 1, 2, 3, 5, 1000, 1001, -1],
  start: [0, 1, 2, 7, -1],
  Float: [0, 0.1, 1, -1, 1e21, 0.30000000000000004],
  Boolean: [true, false],
  DateTime: ['2020-01-02T03:04:05.006Z', '2020-01-02T04:04:05.006+01:00', '1990-01-01T00:00:00Z'],
  BigInt: [1, 2, '9223372036854775807'],
  Decimal: ['9.50', 10.25, '1e2', '-3', '0', 12345],
  JSON: [null, 5, 1, -2.5, 'text', 'n', false, [], { a: 'text' }, { b: -2.5, _0: 'n' }],
  ...Object.fromEntries(['lt', 'lte', 'gt', 'gte'].map((name) => [`JSON.${name}`, [1, -2.5, 'n', 'text', '']])),
  path: ['a', '0', '1', '-1', 'b', ''],
};

/** Random operations are larger than what clients may send. */
export const ROOMY = { aliases: 1000, directives: 1000, tokens: 50_000, cost: 1e15 };

/** What one operation came to on both sides. */
export interface Difference {
  readonly seed: number;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly ours: string;
  readonly theirs: string;
}

/** Compares `operations` random operations over a store that is empty at first. `exact`: byte by byte, else as JSON. */
export async function compareRandom(options: {
  readonly store: Store;
  readonly seed: number;
  readonly operations: number;
  readonly exact: boolean;
  /** Type → its read rule over its own columns. The reference then runs on the rows that the caller may read, and no rule. */
  readonly rules?: Rules;
  /** Default: anonymous. */
  readonly principal?: Principal;
}): Promise<{
  readonly differences: readonly Difference[];
  readonly failed: number;
  readonly whole: number;
  /** Answers in which no rule had a say, although there are some. */
  readonly ruleFree: number;
}> {
  const { rules = {}, principal = ANONYMOUS } = options;
  const model = readSchema([{ file: 'zoo.graphql', text: withRules(rules) }], { resolvers: ZOO_RESOLVERS });
  const graph = await createGraph({ model, store: options.store, resolvers: ZOO_RESOLVERS, limits: ROOMY });
  const zoo = makeZoo(new Random(options.seed));
  await fillStore(options.store, model, zoo);
  const visible = cutDown(zoo, rules, model, principal);
  const differences: Difference[] = [];
  let failed = 0;
  let whole = 0;
  let ruleFree = 0;
  for (let index = 0; index < options.operations; index++) {
    const seed = options.seed * 1_000_003 + index;
    const random = new Random(seed);
    const { query, variables } = randomOperation(model.schema, random, SAMPLES, 1 + random.below(4));
    const { body, isRuleFree } = await graph.execute({ query, variables }, { principal });
    const ours = shown(body, options.exact);
    const reference = await executeReference(model.schema, ZOO_RESOLVERS, visible, query, variables);
    const theirs = show(reference, options.exact);
    if (reference.errors !== undefined) failed++;
    else whole++;
    if (ours !== theirs) differences.push({ seed, query, variables, ours, theirs });
    if (isRuleFree !== true || Object.keys(rules).length === 0) continue;
    // Then all callers get the answer over all rows.
    ruleFree++;
    const all = show(await executeReference(model.schema, ZOO_RESOLVERS, zoo, query, variables), options.exact);
    if (ours !== all) differences.push({ seed, query, variables, ours, theirs: all });
  }
  return { differences, failed, whole, ruleFree };
}

/** The text of an answer as it is compared. */
export function shown(body: string, exact: boolean): string {
  const result = JSON.parse(body) as ExecutionResult;
  // Errors are compared by place; their texts are the engine's own where it refuses.
  const data =
    exact && result.errors === undefined
      ? body.slice('{"data":'.length, -1)
      : JSON.stringify(sorted(result.data, exact));
  return `${data}\n${places(result)}`;
}

/** The same of a result of graphql-js. */
export function show(result: ExecutionResult, exact: boolean): string {
  // A Date that a scalar printed is text only once it is JSON.
  const data = exact || result.data === undefined ? result.data : (JSON.parse(JSON.stringify(result.data)) as unknown);
  return `${JSON.stringify(sorted(data, exact))}\n${places(result)}`;
}

/**
 * The nulls that errors explain. Which of several errors below one null is reported depends on timing (GraphQL §6.4.4 asks
 * for one of them), so errors are compared by the null they led to.
 */
function places(result: ExecutionResult): string {
  const nulls = new Set((result.errors ?? []).map((error) => JSON.stringify(nullAbove(result.data, error.path ?? []))));
  return [...nulls].sort().join('\n');
}

function nullAbove(data: unknown, path: readonly (string | number)[]): readonly (string | number)[] {
  let value = data;
  for (let depth = 0; depth < path.length; depth++) {
    if (value === null || value === undefined) return path.slice(0, depth);
    value = (value as Readonly<Record<string | number, unknown>>)[path[depth]!];
  }
  return path;
}

/** Members of stored JSON come in the database's own order on PostgreSQL. */
function sorted(value: unknown, exact: boolean): unknown {
  if (exact || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => sorted(each, exact));
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each, exact)]),
  );
}

/** Read rules by type. */
export type Rules = Readonly<Partial<Record<keyof Zoo, string>>>;

function withRules(rules: Rules): string {
  let sdl = ZOO_SDL;
  for (const [type, rule] of Object.entries(rules)) {
    sdl = sdl.replace(new RegExp(`(type ${type} [^{]*@entity)`), `$1 @auth(read: ${JSON.stringify(rule)})`);
  }
  return sdl;
}

/** The rows that the evaluator lets the caller read. */
function cutDown(zoo: Zoo, rules: Rules, model: Model, principal: Principal): Zoo {
  const visible = (type: keyof Zoo): readonly ZooRow[] => {
    const rule = rules[type];
    if (rule === undefined) return zoo[type];
    const entity = model.entities.get(type)!;
    const access = compileExpression(rule, { row: rowShapeOf(entity, model) });
    // To the language an ID is text.
    const shown = (row: ZooRow): ZooRow => ({ ...row, [entity.key.name]: String(row[entity.key.name]) });
    return zoo[type].filter((row) => access.decide({ principal, row: shown(row) }).granted);
  };
  return {
    Keeper: visible('Keeper'),
    Badge: visible('Badge'),
    Animal: visible('Animal'),
    Cage: visible('Cage'),
    Meadow: visible('Meadow'),
  };
}

/** Writes the rows as the model lays them out. */
async function fillStore(store: Store, model: Model, zoo: Zoo): Promise<void> {
  const types = ['Cage', 'Meadow', 'Keeper', 'Badge', 'Animal'] as const;
  await store.transaction(async (session) => {
    const insert = async (table: string, values: Readonly<Record<string, unknown>>): Promise<void> => {
      const columns = Object.keys(values);
      const places = columns.map((_, index) => (store.dialect === 'sqlite' ? '?' : `$${index + 1}`));
      const sql = `INSERT INTO "${table}" (${columns.map((name) => `"${name}"`).join(', ')}) VALUES (${places.join(', ')})`;
      await session.prepare(sql).run(Object.values(values) as never);
    };
    for (const type of types) {
      const entity = model.entities.get(type)!;
      for (const row of zoo[type]) await insert(entity.table, columnsOf(entity, row));
    }
    for (const row of zoo.Animal) {
      for (const field of model.entities.get('Animal')!.fields.values()) {
        if (field.kind !== 'relation' || !Array.isArray(row[field.name])) continue;
        const { storage } = field;
        for (const target of row[field.name] as readonly (string | Place)[]) {
          if (storage.kind === 'joinTable')
            await insert(storage.table, { [storage.from]: row['id'], [storage.to]: target });
          else if (storage.kind === 'polymorphicJoinTable') {
            const { type, key } = target as Place;
            await insert(storage.table, {
              [storage.from]: row['id'],
              [storage.typeColumn]: type,
              [storage.keyColumn]: key,
            });
          }
        }
      }
    }
  });
}

function columnsOf(entity: Entity, row: ZooRow): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of entity.fields.values()) {
    const value = row[field.name];
    if (field.kind === 'column') {
      if (value === null) values[field.column] = null;
      else if (field.storage === 'json') values[field.column] = JSON.stringify(value);
      else if (field.typeName === 'BigInt') values[field.column] = BigInt(value as string);
      else values[field.column] = value;
    } else if (field.kind === 'relation' && field.storage.kind === 'foreignKey') values[field.storage.column] = value;
    else if (field.kind === 'relation' && field.storage.kind === 'polymorphic') {
      const place = value as Place | null;
      values[field.storage.typeColumn] = place?.type ?? null;
      values[field.storage.keyColumn] = place?.key ?? null;
    }
  }
  return values;
}
