// Random histories of creations, deletions, restorations and purges over random schemas, compared after each step with a
// model in memory. The tests run a few; run this file itself for more:
// node --conditions=source packages/graph/test/write/removal-histories.ts 1000 SEED
import type { Clock } from '@lockstitch/kernel';
import { createGraph } from '../../src/execute/create-graph.ts';
import type { Graph } from '../../src/execute/graph.ts';
import { quoteName } from '../../src/migrate/table-shape.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { Random } from '../differential/random.ts';
import { runSeeds } from '../differential/run-seeds.ts';
import { modelOf } from '../photo-schema.ts';
import { contents, replay } from '../replay.ts';
import {
  nameOf,
  type Relation,
  RemovalModel,
  randomShape,
  type Row,
  type Shape,
  type Target,
  type TypeName,
  TYPES,
} from './removal-model.ts';

const MARKS = { time: 'gone: DateTime', local: 'gone: LocalDateTime', flag: 'gone: Boolean', hard: '' } as const;

function schemaOf({ kinds, relations }: Shape): string {
  const soft = TYPES.filter((type) => kinds[type] !== 'hard');
  const typeOf = ({ targets: [first, second] }: Relation): string => (second === undefined ? first! : 'Thing');
  const fields = (type: TypeName): string =>
    relations
      .filter(({ holder }) => holder === type)
      .map((each) => `${each.field}: ${typeOf(each)}${each.required ? '!' : ''} @relation(onDelete: ${each.effect})`)
      .join(' ');
  const inputs = (type: TypeName): string =>
    relations
      .filter(({ holder }) => holder === type)
      .map((each) => `${each.field}: ${each.targets.length === 1 ? 'ID' : 'ThingKey'}${each.required ? '!' : ''}`)
      .join(' ');
  return `scalar DateTime scalar LocalDateTime union Thing = A | C input ThingKey @oneOf { A: ID C: ID }
  ${TYPES.map(
    (
      type,
    ) => `type ${type} @entity${soft.includes(type) ? '(softDelete: "gone") @auth(readDeleted: "true", purge: "true")' : ''} {
      id: ID! @id code: String @unique ${MARKS[kinds[type]]} ${fields(type)} ${type === 'A' ? 'bs: [B!]! @relation(inverse: "as")' : type === 'B' ? 'as: [A!]! @relation(inverse: "bs")' : ''}
    }
    input ${type}Input { id: ID! code: String ${inputs(type)} }`,
  ).join('\n')}
  type Query { ${TYPES.map((type) => `all${type}: [${type}!]!`).join(' ')} }
  type Mutation {
    ${TYPES.map((type) => `create${type}(input: ${type}Input!): ${type}! update${type}(id: ID!, input: ${type}Input!): ${type}! delete${type}(id: ID!): Boolean!`).join('\n')}
    ${soft.map((type) => `restore${type}(id: ID!): ${type}! purge${type}(id: ID!): Boolean!`).join('\n')}
    connectABs(id: ID!, bs: [ID!]!): A! disconnectABs(id: ID!, bs: [ID!]!): A!
  }`;
}

/** A difference between the engine and the model. */
export interface Difference {
  readonly seed: number;
  readonly what: string;
  readonly wanted: unknown;
  readonly found: unknown;
  readonly schema: string;
  readonly steps: readonly string[];
}

interface Outcome {
  readonly difference: Difference | undefined;
  readonly codes: ReadonlyMap<string, number>;
}

/** Runs one history. */
export async function compareHistory(seed: number, store: Store, count: number): Promise<Outcome> {
  const random = new Random(seed);
  const shape = randomShape(random);
  const schema = schemaOf(shape);
  let now = Date.parse('2026-01-01T00:00:00Z');
  const clock: Clock = { now: () => now };
  const graph = await createGraph({ model: modelOf(schema), store, clock });
  const model = new RemovalModel(shape);
  const steps: string[] = [];
  const codes = new Map<string, number>();
  for (let step = 0; step < count; step++) {
    now += 1000;
    const { field, expected } = nextStep(random, shape, model, step);
    const answer = await run(graph, `mutation { ${field} }`);
    codes.set(answer, (codes.get(answer) ?? 0) + 1);
    steps.push(`${field}: ${answer}`);
    const differ = (what: string, wanted: unknown, found: unknown): Outcome => ({
      difference: { seed, what, wanted, found, schema, steps },
      codes,
    });
    const isExpected = expected.length === 0 ? answer === 'done' : (expected as readonly string[]).includes(answer);
    if (!isExpected) return differ(field, expected, answer);
    const [wanted, found] = [rowsOf(model), await storedRows(shape, store)];
    if (wanted !== found) return differ(`rows after ${field}`, wanted, found);
    const listed = await run(graph, `{ ${TYPES.map((type) => selectionOf(shape, type)).join(' ')} }`, true);
    if (listed !== livingOf(shape, model)) return differ(`living after ${field}`, livingOf(shape, model), listed);
  }
  const [replayed, stored] = [await replay(graph.feed), await contents(graph.model, store)];
  // A reference to a deleted object is one to no object, and is lost silently when that object is purged.
  const values = (of: typeof stored): string =>
    JSON.stringify(of, (name, value: unknown) =>
      name === 'links' || isGone(model, shape, name, value) ? null : value,
    );
  if (values(replayed) !== values(stored))
    return {
      difference: { seed, what: 'the feed', wanted: values(stored), found: values(replayed), schema, steps },
      codes,
    };
  return { difference: undefined, codes };
}

/** Whether a value of a snapshot leads to no living object. */
function isGone({ rows }: RemovalModel, { relations }: Shape, name: string, value: unknown): boolean {
  const relation = relations.find(({ field }) => field === name);
  if (relation === undefined) return false;
  const key = typeof value === 'string' ? value : ((value as { key?: string } | null)?.key ?? '');
  return !relation.targets.some(
    (type) => rows.has(nameOf({ type, id: key })) && rows.get(nameOf({ type, id: key }))?.mark === undefined,
  );
}

type Step = { readonly field: string; readonly expected: ReturnType<RemovalModel['restore']> };

function nextStep(random: Random, shape: Shape, model: RemovalModel, step: number): Step {
  const type = random.pick(TYPES);
  const all = [...model.rows.values()];
  const idOf = (of: TypeName): string => {
    // Mostly living ones, so that references are found.
    const some = all.filter((row) => row.type === of && (row.mark === undefined || random.chance(0.2)));
    return some.length > 0 && random.chance(0.95) ? random.pick(some).id : 'none';
  };
  const isSoft = shape.kinds[type] !== 'hard';
  const kind = random.pick([
    'create',
    'create',
    'create',
    'update',
    'connect',
    'delete',
    'delete',
    'restore',
    'restore',
    'purge',
  ]);
  const deleted = all.filter((row) => row.type === type && row.mark !== undefined);
  const wantsDeleted = kind === 'restore' || (kind === 'purge' && random.chance(0.5));
  const target: Target = { type, id: wantsDeleted && deleted.length > 0 ? random.pick(deleted).id : idOf(type) };
  if (kind === 'create' || kind === 'update' || (!isSoft && kind !== 'delete' && kind !== 'connect')) {
    const isNew = kind !== 'update';
    const id = isNew ? `${type.toLowerCase()}${step}` : target.id;
    const row = randomRow(random, shape, { type, id }, idOf);
    const input = `{ id: "${id}" code: ${row.code === null ? 'null' : `"${row.code}"`} ${inputOf(shape, row)} }`;
    const field = isNew
      ? `create${type}(input: ${input}) { id }`
      : `update${type}(id: "${id}", input: ${input}) { id }`;
    return { field, expected: model.write(row, isNew) };
  }
  switch (kind) {
    case 'connect': {
      const [a, b, connects] = [idOf('A'), idOf('B'), random.chance(0.8)];
      const field = `${connects ? 'connect' : 'disconnect'}ABs(id: "${a}", bs: ["${b}"]) { id }`;
      return { field, expected: model.connect(a, b, connects) };
    }
    case 'restore':
      return { field: `restore${type}(id: "${target.id}") { id }`, expected: model.restore(target) };
    default:
      return { field: `${kind}${type}(id: "${target.id}")`, expected: model.remove(target, kind === 'purge') };
  }
}

function randomRow(
  random: Random,
  { relations }: Shape,
  target: Target,
  idOf: (type: TypeName) => string,
): Omit<Row, 'mark'> {
  const refs = new Map<string, Target>();
  for (const { holder, field, targets, required } of relations) {
    if (holder !== target.type || (!required && random.chance(0.4))) continue;
    const type = random.pick(targets);
    refs.set(field, { type, id: idOf(type) });
  }
  return { ...target, code: random.pick([null, null, 'x', 'y', 'z', 'u', 'v', 'w']), refs };
}

function inputOf({ relations }: Shape, row: Omit<Row, 'mark'>): string {
  return relations
    .filter(({ holder }) => holder === row.type)
    .map(({ field, targets }) => {
      const held = row.refs.get(field);
      if (held === undefined) return `${field}: null`;
      return `${field}: ${targets.length === 1 ? `"${held.id}"` : `{ ${held.type}: "${held.id}" }`}`;
    })
    .join(' ');
}

/** `done` or the code of the error; with `isRead` the data. */
async function run(graph: Graph, query: string, isRead = false): Promise<string> {
  const { body } = await graph.execute({ query });
  const { data, errors } = JSON.parse(body) as { data: unknown; errors?: readonly { extensions: { code: string } }[] };
  if (errors !== undefined) return errors[0]?.extensions.code ?? 'error';
  return isRead ? JSON.stringify(data) : 'done';
}

const byId = (one: Target, other: Target): number => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);

/** All rows, with deletions in order of time. */
function rowsOf({ rows, pairs }: RemovalModel): string {
  const lines = [...rows.values()].map(
    ({ type, id, code, refs, mark }) =>
      `${type} ${id} ${code} ${[...refs]
        .map(([field, held]) => `${field}=${nameOf(held)}`)
        .toSorted()
        .join(' ')} ${mark === undefined ? '' : 'deleted'}`,
  );
  return [...lines.toSorted(), ...[...pairs].toSorted()].join('\n');
}

async function storedRows({ kinds, relations }: Shape, store: Store): Promise<string> {
  const lines: string[] = [];
  for (const type of TYPES) {
    const own = relations.filter(({ holder }) => holder === type);
    const columns = own.flatMap(({ field, targets }) =>
      targets.length === 1 ? [field] : [`${field}_type`, `${field}_key`],
    );
    const names = ['id', 'code', ...(kinds[type] === 'hard' ? [] : ['gone']), ...columns].map(quoteName).join(', ');
    for (const row of await store.prepare(`SELECT ${names} FROM ${quoteName(tableOf(type))}`).rows([])) {
      const [id, code, ...rest] = row;
      const mark = kinds[type] === 'hard' ? null : rest.shift();
      const refs = own.flatMap(({ field, targets }) => {
        const held = targets.length === 1 ? [targets[0], rest.shift()] : [rest.shift(), rest.shift()];
        return held[1] === null ? [] : [`${field}=${held.map(String).join(' ')}`];
      });
      const isDeleted = mark !== null && mark !== undefined && mark !== false && mark !== 0;
      lines.push(`${type} ${String(id)} ${String(code)} ${refs.toSorted().join(' ')} ${isDeleted ? 'deleted' : ''}`);
    }
  }
  const pairs = await store.prepare('SELECT a, b FROM as_bs').rows([]);
  return [...lines.toSorted(), ...pairs.map((row) => row.map(String).join(' ')).toSorted()].join('\n');
}

const tableOf = (type: TypeName): string => ({ A: 'as', B: 'bs', C: 'cs', D: 'ds' })[type];

function selectionOf({ relations }: Shape, type: TypeName): string {
  const fields = relations
    .filter(({ holder }) => holder === type)
    .map(({ field, targets }) =>
      targets.length === 1
        ? `${field} { id }`
        : `${field} { ${targets.map((each) => `... on ${each} { id }`).join(' ')} }`,
    );
  const pairs = type === 'A' ? 'bs { id }' : type === 'B' ? 'as { id }' : '';
  return `all${type} { id ${fields.join(' ')} ${pairs} }`;
}

/** What a query of everything answers. */
function livingOf({ relations }: Shape, { rows, pairs }: RemovalModel): string {
  const isLiving = (target: Target): boolean => {
    const row = rows.get(nameOf(target));
    return row !== undefined && row.mark === undefined;
  };
  const pairsOf = (at: 0 | 1, id: string): readonly { readonly id: string }[] =>
    [...pairs]
      .map((pair) => pair.split(' '))
      .filter((pair) => pair[at] === id && isLiving({ type: at === 0 ? 'B' : 'A', id: pair[1 - at]! }))
      .map((pair) => ({ type: 'A' as const, id: pair[1 - at]! }))
      .toSorted(byId)
      .map(({ id: other }) => ({ id: other }));
  return JSON.stringify(
    Object.fromEntries(
      TYPES.map((type) => [
        `all${type}`,
        [...rows.values()]
          .filter((row) => row.type === type && row.mark === undefined)
          .toSorted(byId)
          .map((row) => ({
            id: row.id,
            ...Object.fromEntries(
              relations
                .filter(({ holder }) => holder === type)
                .map(({ field }) => {
                  const held = row.refs.get(field);
                  return [field, held !== undefined && isLiving(held) ? { id: held.id } : null];
                }),
            ),
            ...(type === 'A' ? { bs: pairsOf(0, row.id) } : type === 'B' ? { as: pairsOf(1, row.id) } : {}),
          })),
      ]),
    ),
  );
}

if (import.meta.main)
  await runSeeds(async (seed) => {
    const store = await openSqliteStore({ file: ':memory:' });
    try {
      return await compareHistory(seed, store, Number(process.argv[4] ?? 200));
    } finally {
      await store.close();
    }
  });
