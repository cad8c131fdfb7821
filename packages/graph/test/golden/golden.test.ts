// Golden operations: the plan on both databases and the response. A case is a file of sections that begin with "---- ".
// Run with GOLDEN=update to rewrite the expected output, and review the difference.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { ANONYMOUS, createPrincipal, type Principal } from '@lockstitch/kernel';
import { getVariableValues, Kind, OperationTypeNode, parse, validate, type FragmentDefinitionNode } from 'graphql';
import { buildMutationPlan } from '../../src/plan/build-mutation-plan.ts';
import { buildPlan, type Plan } from '../../src/plan/build-plan.ts';
import { DEFAULT_LIMITS } from '../../src/plan/limits.ts';
import { ReadPolicies } from '../../src/plan/policy.ts';
import type { Dialect } from '../../src/sql/dialect.ts';
import { postgresDialect } from '../../src/sql/dialect-postgres.ts';
import { sqliteDialect } from '../../src/sql/dialect-sqlite.ts';
import { VIOLATION } from '../../src/sql/sql.ts';
import type { SqlValue } from '../../src/store/store.ts';
import type { FullText, FullTextHit } from '../../src/index.ts';
import { openGraph } from '../execute/open-graph.ts';

const here = new URL('.', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, here), 'utf8');
const t = await openGraph(read('schema.graphql'), read('rows.sql'), {}, { fullText: plainIndex() });
after(() => t.close());
const policies = new ReadPolicies(t.graph.model);

/** An index of the rows in rows.sql: photos by the words of name and description. */
function plainIndex(): FullText {
  const documents: readonly (readonly [string, string])[] = [
    ['1', 'harbour at dusk'],
    ['2', 'face'],
    ['3', 'hills green'],
  ];
  const hits = (query: string): readonly FullTextHit[] =>
    documents
      .map(([key, text]) => ({ key, score: text.split(' ').filter((word) => query.includes(word)).length }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score);
  return {
    search: ({ query }, { after: place }) =>
      Promise.resolve(hits(query).filter(({ score }) => place === undefined || score < place.score)),
    count: ({ query }) => Promise.resolve(hits(query).length),
    highlight: (_query, keys) =>
      Promise.resolve(new Map(keys.map((key) => [key, [{ field: 'name', fragments: [`<em>${key}</em>`] }]]))),
  };
}

interface Case {
  readonly request: string;
  readonly variables: Record<string, unknown>;
  readonly principal: Principal;
  /** Everything above the first section that is made. */
  readonly given: string;
}

function readCase(text: string): Case {
  const [request = '', ...sections] = text.split(/^---- /m);
  const section = (name: string): string | undefined =>
    sections
      .find((each) => each.startsWith(name))
      ?.slice(name.length)
      .trim();
  const as = section('as')?.split(/\s+/);
  const variables = JSON.parse(section('variables') ?? '{}') as Record<string, unknown>;
  const kept = sections
    .filter((each) => each.startsWith('as') || each.startsWith('variables'))
    .map((each) => `---- ${each.trim()}\n`);
  return {
    request: request.trim(),
    variables,
    principal: as === undefined ? ANONYMOUS : createPrincipal(as[0]!, as.slice(1)),
    given: `${request.trim()}\n${kept.join('')}`,
  };
}

function sqlOf({ request, variables, principal }: Case, dialect: Dialect): string {
  const { model } = t.graph;
  const document = parse(request);
  if (validate(model.schema, document).length > 0) return 'none';
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)!;
  const fragments = new Map(
    document.definitions
      .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );
  const coerced = getVariableValues(model.schema, operation.variableDefinitions ?? [], variables);
  const asked = {
    model,
    dialect,
    limits: DEFAULT_LIMITS,
    view: policies.viewOf(principal),
    fragments,
    operation,
    variables: coerced.variableValues,
  };
  try {
    if (operation.operation === OperationTypeNode.QUERY) return showPlan(buildPlan(asked));
    // For a mutation: the statements that read each field's response.
    return buildMutationPlan(asked)
      .fields.map(({ key, answer }) => `${key}: ${answer === undefined ? 'a scalar' : showPlan(answer)}`)
      .join('\n');
  } catch (error) {
    return `none: ${(error as Error).message}`;
  }
}

function showPlan(plan: Plan): string {
  const bound = plan.parameters.map((parameter) =>
    parameter.kind === 'constant' ? show(parameter.value) : parameter.label,
  );
  // The mark of a missing value is a control character; a golden file shows it by its escape.
  const sql = plan.sql.replaceAll(VIOLATION, '\\u0001');
  return `${sql}${bound.length === 0 ? '' : `\n${bound.join(', ')}`}`;
}

function show(value: SqlValue): string {
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

for (const name of readdirSync(new URL('cases/', here)).sort()) {
  test(`golden: ${name.replace('.case', '').replaceAll('-', ' ')}`, async () => {
    const file = new URL(`cases/${name}`, here);
    const text = readFileSync(file, 'utf8');
    const golden = readCase(text);
    const answer = await t.ask(golden.request, { variables: golden.variables, principal: golden.principal });
    const made = `${golden.given}---- sqlite\n${sqlOf(golden, sqliteDialect)}\n---- postgres\n${sqlOf(golden, postgresDialect)}\n---- response\n${JSON.stringify(answer, undefined, 1)}\n`;
    if (process.env['GOLDEN'] === 'update') writeFileSync(file, made);
    else assert.equal(made, text);
  });
}
