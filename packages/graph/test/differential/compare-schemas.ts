// Runs random operations of random schemas through the engine and through graphql-js over the same plain rows, and says where
// they differ.
import { compileExpression, type Principal } from '@lockstitch/kernel';
import type { ExecutionResult } from 'graphql';
import { createGraph, readSchema, type Model, type Store } from '../../src/index.ts';
import { rowShapeOf } from '../../src/write/row-shape.ts';
import { SAMPLES, ROOMY, show, shown, type Difference } from './compare.ts';
import { executePlain, type PlainData, type PlainRow } from './plain-world.ts';
import { Random } from './random.ts';
import { randomData, writeData } from './random-data.ts';
import { randomOperation } from './random-operation.ts';
import { KEYS, randomSchema, type RandomSchema } from './random-schema.ts';

/** A difference with the schema it came up in. */
export interface SchemaDifference extends Difference {
  readonly sdl: string;
}

/** What a run came to. */
export interface SchemaRun {
  readonly differences: readonly SchemaDifference[];
  readonly failed: number;
  readonly whole: number;
}

/** Compares random operations over one random schema in an empty store. */
export async function compareSchema(options: {
  readonly store: Store;
  readonly seed: number;
  readonly operations: number;
  readonly exact: boolean;
  /** Some types then have read rules; the reference runs on the rows that this caller may read, and no rule. */
  readonly principal?: Principal;
}): Promise<SchemaRun> {
  const random = new Random(options.seed);
  const { principal } = options;
  const { model, schema } = readableSchema(random, principal !== undefined);
  const { sdl, resolvers } = schema;
  const graph = await createGraph({ model, store: options.store, resolvers, limits: ROOMY });
  const data = randomData(model, random);
  await writeData(options.store, model, data);
  const visible = principal === undefined ? data : cutDown(model, schema.rules, data, principal);
  const samples = { ...SAMPLES, ID: KEYS, Tone: ['a', 'B'], UUID: ['8a3c1f0e-0d4b-4c8e-9f53-0b6a2c1d3e4f'] };
  const differences: SchemaDifference[] = [];
  let failed = 0;
  let whole = 0;
  let cursors: readonly string[] = ['5B5D'];
  for (let index = 0; index < options.operations; index++) {
    const seed = options.seed * 1_000_003 + index;
    const request = randomOperation(
      model.schema,
      new Random(seed),
      { ...samples, after: cursors, before: cursors },
      1 + random.below(4),
    );
    const { body, isRuleFree } = await graph.execute(request, principal === undefined ? {} : { principal });
    const ours = shown(body, options.exact);
    const { text: theirs, failing } = await reference(model, schema, visible, request, options.exact);
    if (failing) failed++;
    else whole++;
    const found = theirs.match(/(?<=")5B(?:[0-9A-F]{2})+5D(?=")/g);
    if (found !== null) cursors = found.slice(0, 4);
    if (plainCursors(ours) !== plainCursors(theirs)) differences.push({ seed, sdl, ...request, ours: body, theirs });
    if (isRuleFree !== true || visible === data) continue;
    // No rule had a say: all callers get the answer over all rows.
    const { text: all } = await reference(model, schema, data, request, options.exact);
    if (plainCursors(ours) !== plainCursors(all)) differences.push({ seed, sdl, ...request, ours: body, theirs: all });
  }
  return { differences, failed, whole };
}

/** A schema with unambiguous relations, whose unions have sort keys where they are ordered. */
function readableSchema(random: Random, ruled: boolean): { readonly model: Model; readonly schema: RandomSchema } {
  for (;;) {
    const schema = randomSchema(random, ruled);
    try {
      const model = readSchema([{ file: 'random.graphql', text: schema.sdl }], { resolvers: schema.resolvers });
      return { model, schema };
    } catch (error) {
      if (!/is not clear|both claim|Unknown type "\w+Order"/.test((error as Error).message))
        throw new Error(`${(error as Error).message}\n${schema.sdl}`, { cause: error });
    }
  }
}

/** The rows that the evaluator lets the caller read. */
function cutDown(model: Model, rules: RandomSchema['rules'], data: PlainData, principal: Principal): PlainData {
  const rows = [...data.rows].map(([type, all]): [string, readonly PlainRow[]] => {
    const rule = rules[type];
    if (rule === undefined) return [type, all];
    const entity = model.entities.get(type)!;
    const access = compileExpression(rule, { row: rowShapeOf(entity, model) });
    const { name } = entity.key;
    // To the language an ID is text.
    return [
      type,
      all.filter(
        ({ values }) =>
          access.decide({ principal, row: { ...values, [name]: String(values[name] as string | number) } }).granted,
      ),
    ];
  });
  return { rows: new Map(rows), pairs: data.pairs };
}

async function reference(
  model: Model,
  { resolvers }: RandomSchema,
  data: PlainData,
  { query, variables }: { readonly query: string; readonly variables: Readonly<Record<string, unknown>> },
  exact: boolean,
): Promise<{ readonly text: string; readonly failing: boolean }> {
  const result: ExecutionResult = await executePlain(model, resolvers, data, query, variables);
  return { text: show(result, exact), failing: result.errors !== undefined };
}

/** Numbers inside of cursors may be spelt in several ways. */
function plainCursors(text: string): string {
  return text.replaceAll(/"(5B(?:[0-9A-F]{2})+5D)"/g, (_, hex: string) =>
    JSON.stringify(JSON.parse(Buffer.from(hex, 'hex').toString())),
  );
}
