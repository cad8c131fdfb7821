// Random GraphQL requests: a generated operation as a client may send it, with variables, by its hash, page after page,
// or with the request for an explanation.
import { createHash } from 'node:crypto';

import type { Model, RawParameters } from '@lockstitch/graph';
import type { Random } from '@lockstitch/search/requests';
import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  Kind,
  type ObjectFieldNode,
  parse,
  print,
  TypeInfo,
  type ValueNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';

import { randomOperation } from './random-operations.ts';
import type { OperationSurface } from './random-values.ts';

/** A GraphQL request. */
export interface GraphAsked {
  readonly kind: 'graph';
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /**
   * `explained`: with the request for an explanation; `saved`: by the hash of the text; `pages`: the variable `after`
   * takes the cursor at `page.endCursor` of the first field, PAGES times.
   */
  readonly manner?: 'explained' | 'saved' | 'pages';
}

/** Pages that are asked one after the other. */
const PAGES = 3;

/** Generates a request. */
export function randomGraphRequest(random: Random, surface: OperationSurface): GraphAsked {
  const query = randomOperation(random, surface);
  const plain: GraphAsked = { kind: 'graph', query };
  const manner = random.int(8);
  if (manner > 3) return plain;
  if (manner === 0) return { ...plain, manner: random.once(2) ? 'explained' : 'saved' };
  const document = parsed(query);
  if (document === undefined) return plain;
  return manner === 1
    ? (paged(document, surface.model) ?? plain)
    : { kind: 'graph', ...withVariables(document, surface.model, random) };
}

/** Prints a request. */
export function printGraphAsked({ manner, query, variables }: GraphAsked): string {
  const more = variables === undefined ? '' : `\nvariables: ${JSON.stringify(variables)}`;
  return `${query}${more}${manner === undefined ? '' : `\nasked as: ${manner}`}`;
}

/** Sends the parameters of one request, as over HTTP, and returns the body of the answer. */
export type SendGraph = (parameters: RawParameters) => Promise<string>;

/** Asks a request. Returns the text of the answer, of several pages with a line for each. */
export async function askGraph({ manner, query, variables }: GraphAsked, send: SendGraph): Promise<string> {
  switch (manner) {
    case undefined:
      return send({ query, variables });
    case 'explained':
      return comparableExplanation(await send({ query, variables, extensions: { explain: true } }));
    case 'saved': {
      const sha256Hash = createHash('sha256').update(query).digest('hex');
      const extensions = { persistedQuery: { version: 1, sha256Hash } };
      await send({ query, variables, extensions });
      return send({ extensions, variables });
    }
    default: {
      const pages: string[] = [];
      let after: string | null = null;
      do {
        const body: string = await send({ query, variables: { ...variables, after } });
        pages.push(body);
        after = /"page":\{"endCursor":"([^"]*)"/.exec(body)?.[1] ?? null;
      } while (after !== null && pages.length < PAGES);
      return pages.join('\n');
    }
  }
}

/**
 * Without times, without phases, which a cached plan has not, and without PostgreSQL's plans, which depend on the sizes
 * of tables: the guide says so. Statements that run side by side come in any order.
 */
function comparableExplanation(body: string): string {
  const at = body.lastIndexOf(EXPLANATION);
  if (at === -1) return body;
  const { statements, ...rest } = JSON.parse(body.slice(at + EXPLANATION.length, -2)) as Explained;
  const comparable = statements.map(({ plan, ...statement }) => {
    const isEstimated = plan?.some((line) => line.includes('(cost=')) ?? false;
    return JSON.stringify({ ...statement, milliseconds: undefined, plan: isEstimated ? undefined : plan });
  });
  const others = JSON.stringify({ ...rest, milliseconds: undefined, phases: undefined });
  return `${body.slice(0, at)}${EXPLANATION}${others},"statements":[${comparable.toSorted().join()}]}}`;
}

const EXPLANATION = ',"extensions":{"explain":';

interface Explained {
  readonly statements: readonly { readonly plan?: readonly string[] }[];
}

function parsed(query: string): DocumentNode | undefined {
  try {
    return parse(query);
  } catch {
    return undefined;
  }
}

/** The operation with some values as variables; types that the schema lacks stay as they are. */
function withVariables(
  document: DocumentNode,
  { schema }: Model,
  random: Random,
): { readonly query: string; readonly variables: Readonly<Record<string, unknown>> } {
  const declared: string[] = [];
  const variables: Record<string, unknown> = {};
  const info = new TypeInfo(schema);
  const lift = <Node extends ArgumentNode | ObjectFieldNode>(node: Node): Node | undefined => {
    const type = info.getInputType();
    if (type === null || type === undefined || !random.once(2)) return undefined;
    const name = `v${declared.length}`;
    declared.push(`$${name}: ${String(type)}`);
    variables[name] = valueFromASTUntyped(node.value);
    return { ...node, value: variableOf(name) };
  };
  const lifted = visit(document, visitWithTypeInfo(info, { Argument: lift, ObjectField: lift }));
  const query = print(lifted);
  return { query: declared.length === 0 ? query : `query (${declared.join(', ')}) ${query}`, variables };
}

/** The first field, if it is a connection, with a page's cursor from a variable. */
function paged(document: DocumentNode, { roots, schema }: Model): GraphAsked | undefined {
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return undefined;
  const [first] = operation.selectionSet.selections;
  if (first?.kind !== Kind.FIELD || roots.get(`Query.${first.name.value}`)?.kind !== 'connection') return undefined;
  const known = schema.getQueryType()?.getFields()[first.name.value]?.args ?? [];
  if (!known.some(({ name }) => name === 'after')) return undefined;
  const kept = (first.arguments ?? []).filter(({ name }) => !['after', 'before', 'last'].includes(name.value));
  const page: FieldNode = {
    ...first,
    arguments: [...kept, { kind: Kind.ARGUMENT, name: nameOf('after'), value: variableOf('after') }],
  };
  const text = print(page).replace(/\}$/, 'page: pageInfo { endCursor hasNextPage } }');
  return { kind: 'graph', query: `query ($after: String) { ${text} }`, manner: 'pages' };
}

function variableOf(name: string): ValueNode {
  return { kind: Kind.VARIABLE, name: nameOf(name) };
}

function nameOf(value: string): FieldNode['name'] {
  return { kind: Kind.NAME, value };
}
