// A page of full-text search results: filters the found keys to rows that satisfy the arguments and that the caller may
// read, in the order found, with their selected fields. The index proposes keys; this statement decides. Not here:
// querying the index and assembling the page (execute/full-text.ts).
import { toText } from '@lockstitch/kernel';
import type { FieldNode } from 'graphql';
import { graphErrors } from '../errors.ts';
import type { ArgumentBinding, ArgumentBindings, Entity, Model } from '../schema/model.ts';
import { and, type Expr, type From, type Json, type JsonMember, type Select } from '../sql/sql.ts';
import { storedColumnsIn } from '../sql/tree.ts';
import type { SqlValue } from '../store/store.ts';
import { toBound } from './bound-value.ts';
import { collectFields, selectionSetsOf } from './collect-fields.ts';
import { readConditions } from './conditions.ts';
import { checkPageSize, listValue } from './read-list.ts';
import type { Environment, View } from './environment.ts';
import type { ArgumentValues, FieldArguments } from './field-arguments.ts';
import { Aliases, notDeleted, RowScope } from './rows.ts';
import { fieldsOf, selectObject } from './selection.ts';
import { first, lookUp, required } from '../present.ts';
import { objectType } from '../schema/declared-field.ts';
import { relationOf } from '../schema/field-of.ts';

/** Position of a hit in the order: by score, then by key as text. */
export interface SearchPlace {
  readonly score: number;
  readonly key: string;
}

/** The arguments of a search field. */
export interface SearchArguments {
  readonly query: string;
  readonly first: number;
  /** The hit before the page. */
  readonly after: SearchPlace | undefined;
  /** Whether an argument besides the query text filters the results. */
  readonly narrowed: boolean;
}

/** Reads the arguments of a search field. @throws ProductError GRAPH_PAGE_…, GRAPH_CURSOR_INVALID */
export function readSearch(env: Environment, bindings: ArgumentBindings, { values }: FieldArguments): SearchArguments {
  const named = (kind: ArgumentBinding['kind']): string | undefined =>
    [...bindings].find(([, binding]) => binding.kind === kind)?.[0];
  const first = required(named('first'), 'the argument of the page size');
  const size = listValue(bindings.get(first), values, first) as number | null | undefined;
  if (size == null) throw graphErrors.create('GRAPH_PAGE_DIRECTIONS', { message: 'The page has no size.' });
  const after = named('after');
  return {
    query: toText(values[required(named('query'), 'the argument of the words')]),
    first: checkPageSize(first, size, env),
    after: after === undefined ? undefined : readPlace(values, after),
    narrowed: [...bindings].some(([name, { kind }]) => (kind === 'where' || kind === 'equals') && values[name] != null),
  };
}

/** Encodes a position as a cursor, in the same format as other connections. */
export function printPlace({ score, key }: SearchPlace): string {
  return Buffer.from(JSON.stringify([score, key]))
    .toString('hex')
    .toUpperCase();
}

function readPlace(values: ArgumentValues, argument: string): SearchPlace | undefined {
  const text = values[argument];
  if (text === undefined || text === null) return undefined;
  if (typeof text === 'string' && /^(?:[0-9A-F]{2}){1,5000}$/.test(text)) {
    try {
      const items: unknown = JSON.parse(Buffer.from(text, 'hex').toString('utf8'));
      const [score, key] = Array.isArray(items) && items.length === 2 ? items : [];
      if (typeof score === 'number' && typeof key === 'string') return { score, key };
    } catch {
      // Malformed JSON is reported below.
    }
  }
  throw graphErrors.create('GRAPH_CURSOR_INVALID', { argument });
}

/** The selections of the objects: `nodes`, and `node` of the edges. */
export type SearchSections = readonly (readonly FieldNode[])[];

/** The selection of a search field. */
export interface SearchSelection {
  readonly sections: SearchSections;
  /** Whether highlights are selected. */
  readonly highlights: boolean;
}

/** Reads the selection of a search field. */
export function readSearchSelection(env: Environment, typeName: string, nodes: readonly FieldNode[]): SearchSelection {
  const sections: (readonly FieldNode[])[] = [];
  let highlights = false;
  for (const found of collect(env, typeName, nodes).values()) {
    const name = first(found).name.value;
    if (name === 'nodes') sections.push(found);
    if (name !== 'edges') continue;
    for (const inner of collect(env, typeName.replace(/Connection$/, 'Edge'), found).values()) {
      const member = first(inner).name.value;
      if (member === 'node') sections.push(inner);
      else if (member === 'highlights') highlights = true;
    }
  }
  return { sections, highlights };
}

function collect(env: Environment, typeName: string, nodes: readonly FieldNode[]) {
  return collectFields(env, objectType(env.schema, typeName), selectionSetsOf(nodes));
}

/** The readable rows among the keys: a list of `{ key, section0, section1, … }`. */
export function selectFound(
  env: Environment,
  entity: Entity,
  bindings: ArgumentBindings,
  args: FieldArguments,
  sections: SearchSections,
  keys: readonly string[],
  limit: number,
): Json {
  const found = foundRows(env, entity, bindings, args, keys);
  const place: Expr = { kind: 'column', from: found.elements, column: 'place' };
  const outer = RowScope.ofQuery(entity, `${found.elements}r`);
  const members: JsonMember[] = [
    { key: 'key', value: { kind: 'value', expr: outer.key, format: 'id', nullable: false } },
  ];
  for (const nodes of sections)
    members.push({
      key: `${SECTION}${members.length - 1}`,
      value: selectObject(env, outer, fieldsOf(env, entity, nodes)),
    });
  const element: Json = { kind: 'object', members };
  const rows: Select = {
    columns: storedColumnsIn(outer.alias, element).map((column) => ({ expr: found.scope.column(column), as: column })),
    from: found.from,
    joins: found.joins,
    where: found.where,
    orderBy: [{ expr: place, descending: false, nullable: false, storage: 'integer' }],
    limit: { kind: 'literal', value: limit },
  };
  return { kind: 'list', rows, element };
}

/** Prefix of a section's name in a row. */
export const SECTION = 'section';
/** Counts the keys whose rows satisfy the arguments and may be read. */
export function countFound(
  env: Environment,
  entity: Entity,
  bindings: ArgumentBindings,
  args: FieldArguments,
  keys: readonly string[],
): Json {
  const { from, joins, where } = foundRows(env, entity, bindings, args, keys);
  const select: Select = { columns: [{ expr: { kind: 'literal', value: 1 }, as: 'one' }], from, joins, where };
  return { kind: 'value', expr: { kind: 'count', select }, format: 'integer', nullable: false };
}

function foundRows(
  env: Environment,
  entity: Entity,
  bindings: ArgumentBindings,
  args: FieldArguments,
  keys: readonly string[],
): {
  readonly elements: string;
  readonly scope: RowScope;
  readonly from: From;
  readonly joins: NonNullable<Select['joins']>;
  readonly where: Expr | undefined;
} {
  const elements = env.aliases.take();
  const scope = new RowScope(entity, env.aliases.take());
  const { storage } = entity.key;
  const bound = keys.map((key) => toBound(env.schema, entity.key, key));
  const list: Expr = { kind: 'parameter', parameter: { kind: 'constant', value: printList(bound) }, storage: 'json' };
  const on: Expr = {
    kind: 'compare',
    operator: '=',
    left: scope.key,
    right: { kind: 'column', from: elements, column: 'value' },
    storage,
  };
  return {
    elements,
    scope,
    from: { kind: 'elements', list, storage, alias: elements },
    joins: [{ from: { kind: 'table', table: entity.table, alias: scope.alias }, on }],
    where: and(notDeleted(scope), env.view.rows(scope), readConditions(env, scope, bindings, args)),
  };
}

function printList(keys: readonly SqlValue[]): string {
  return `[${keys.map((key) => (typeof key === 'bigint' ? key.toString() : JSON.stringify(key))).join(',')}]`;
}

/**
 * The document fields that a caller may search: those without a read rule that applies to the caller, so that neither
 * hits nor scores reveal hidden values.
 */
export function searchablePaths(model: Model, view: View, entity: Entity, paths: readonly string[]): readonly string[] {
  const open = (owner: Entity, name: string): boolean =>
    view.field(new RowScope(owner, new Aliases().take()), name) === undefined;
  return paths.filter((path) => {
    const [first = '', second] = path.split('.');
    if (!open(entity, first)) return false;
    if (second === undefined) return true;
    const target = lookUp(model.entities, relationOf(entity.fields, first).target);
    return !view.restricts(target.name) && open(target, second);
  });
}
