// Loads stored objects as search documents, with the inputs of the read rules, by one statement for any number of
// documents. No rules are applied here; the index applies them per caller.
import { entityOf, type ColumnField, type Entity, type Model, type RelationField } from '../schema/model.ts';
import type { RuleInput } from '../plan/rule-form.ts';
import type { Dialect } from '../sql/dialect.ts';
import { printSelect } from '../sql/print.ts';
import { and, type Expr, type Inputs, type Json, type JsonFormat, type JsonMember, type Select } from '../sql/sql.ts';
import type { MaybePromise, Row, SqlValue, Store } from '../store/store.ts';
import { toBound } from '../plan/bound-value.ts';
import { Aliases, allRows, keyOrderOf, relatedRows, type RowScope } from '../plan/rows.ts';
import { formatOf } from '../plan/json-format.ts';
import { listOf } from '../plan/selection.ts';
import { type DocumentPolicy, readDocumentPolicy } from './document-policy.ts';
import { embeddedRelations, searchedColumns } from './document-shape.ts';
import { relationOf } from '../schema/field-of.ts';

/** A document, by key. */
export interface LoadedDocument {
  readonly key: string;
  /** JSON text. */
  readonly source: string;
  /** JSON text of the rules' inputs (see DocumentPolicy); absent if the type has no rules. */
  readonly inputs?: string;
}

/** The documents to load. */
export type DocumentRange =
  | { readonly keys: readonly (string | number)[] }
  /** In key order, after a key (default: from the first), at most `limit`. */
  | { readonly after?: string | undefined; readonly limit: number };

/** Loads the existing documents of a type. */
export async function loadDocuments(
  context: { readonly model: Model; readonly store: Store; readonly dialect: Dialect },
  entity: Entity,
  range: DocumentRange,
): Promise<readonly LoadedDocument[]> {
  const { model } = context;
  if ('keys' in range && range.keys.length === 0) return [];
  const aliases = new Aliases();
  const rows = allRows(entity, aliases);
  const members: JsonMember[] = columnMembers(rows.scope);
  for (const relation of embeddedRelations(model, entity)) {
    const deeper = (scope: RowScope): JsonMember[] =>
      embeddedMembers(model, scope, relation.search?.depth ?? 1, aliases);
    members.push({ key: relation.name, value: embed(model, rows.scope, relation, aliases, deeper) });
  }
  const policy = policyOf(model, entity);
  const inputs = inputMembers(model, rows.scope, policy, aliases);
  const select: Select = {
    columns: [
      { expr: { kind: 'cast', to: 'text', operand: rows.scope.key }, as: 'document_key' },
      { expr: { kind: 'json', json: { kind: 'object', members } }, as: 'source' },
      ...(inputs.length === 0
        ? []
        : [{ expr: { kind: 'json', json: { kind: 'object', members: inputs } }, as: 'inputs' } as const]),
    ],
    from: rows.from,
    where: and(rows.where, whereOf(model, rows.scope, range)),
    orderBy: [keyOrderOf(rows.scope)],
    limit: 'limit' in range ? constant(range.limit, 'integer') : undefined,
  };
  // Inputs of rules do not depend on the caller.
  const found = await runSelect(context, select, { args: () => ({}), policy: (place) => policy.constants.at(place) });
  return found.map(([key, source, read]) => ({
    key: String(key),
    source: String(source),
    ...(inputs.length === 0 ? {} : { inputs: String(read) }),
  }));
}

/** Runs a statement that no caller's request is behind. */
export function runSelect(
  { store, dialect }: { readonly store: Store; readonly dialect: Dialect },
  select: Select,
  inputs: Inputs = { args: () => ({}), policy: () => undefined },
): MaybePromise<readonly Row[]> {
  const { text, parameters } = printSelect(select, dialect);
  const values = parameters.map((parameter) =>
    parameter.kind === 'constant' ? parameter.value : parameter.read(inputs),
  );
  return store.prepare(text).rows(values);
}

const policies = new WeakMap<Model, Map<string, DocumentPolicy>>();

function policyOf(model: Model, entity: Entity): DocumentPolicy {
  const known = policies.get(model) ?? new Map<string, DocumentPolicy>();
  policies.set(model, known);
  let policy = known.get(entity.name);
  if (policy === undefined) known.set(entity.name, (policy = readDocumentPolicy(model, entity).policy));
  return policy;
}

function inputMembers(model: Model, scope: RowScope, policy: DocumentPolicy, aliases: Aliases): JsonMember[] {
  const members: JsonMember[] = [];
  for (const [relation, inputs] of policy.inputsOf) {
    const read = (of: RowScope): JsonMember[] =>
      inputs.map((input: RuleInput) => ({
        key: input.name.slice(input.name.lastIndexOf('.') + 1),
        value: input.read(of),
      }));
    if (relation === '') members.push(...read(scope));
    else
      members.push({
        key: relation,
        value: embed(model, scope, relationOf(scope.entity.fields, relation), aliases, read),
      });
  }
  return members;
}

/** The number of a type's documents. */
export async function countDocuments(store: Store, entity: Entity, dialect: Dialect): Promise<number> {
  const rows = allRows(entity, new Aliases());
  const count: Expr = {
    kind: 'count',
    select: { columns: [{ expr: { kind: 'literal', value: 1 }, as: 'one' }], from: rows.from, where: rows.where },
  };
  const { text } = printSelect({ columns: [{ expr: count, as: 'count' }], from: { kind: 'nothing' } }, dialect);
  return Number(await store.prepare(text).text([]));
}

/** The condition of a range over the key. */
export function whereOf(model: Model, scope: RowScope, range: DocumentRange): Expr | undefined {
  const { key } = scope.entity;
  if ('keys' in range) {
    const list = range.keys.map((each) => toBound(model.schema, key, String(each))).filter((each) => each !== null);
    const text = `[${list.map((each) => (typeof each === 'bigint' ? each.toString() : JSON.stringify(each))).join(',')}]`;
    return { kind: 'among', operand: scope.key, list: constant(text, 'json'), storage: key.storage };
  }
  if (range.after === undefined) return undefined;
  const after = constant(toBound(model.schema, key, range.after), key.storage);
  return { kind: 'compare', operator: '>', left: scope.key, right: after, storage: key.storage };
}

function constant(value: SqlValue, storage: ColumnField['storage']): Expr {
  return { kind: 'parameter', parameter: { kind: 'constant', value }, storage };
}

/** The document part of an embedded object: its columns, and its relations to the remaining depth. */
function embeddedMembers(model: Model, scope: RowScope, depth: number, aliases: Aliases): JsonMember[] {
  const members = columnMembers(scope);
  if (depth <= 1) return members;
  for (const relation of embeddedRelations(model, scope.entity)) {
    const deeper = (of: RowScope): JsonMember[] => embeddedMembers(model, of, depth - 1, aliases);
    members.push({ key: relation.name, value: embed(model, scope, relation, aliases, deeper) });
  }
  return members;
}

function columnMembers(scope: RowScope): JsonMember[] {
  return searchedColumns(scope.entity).map((field) => {
    const format: JsonFormat = formatOf(field);
    return {
      key: field.name,
      value: { kind: 'value', expr: scope.column(field.column), format, nullable: field.nullable },
    };
  });
}

function embed(
  model: Model,
  parent: RowScope,
  relation: RelationField,
  aliases: Aliases,
  membersOf: (scope: RowScope) => JsonMember[],
): Json {
  const target = entityOf(model, relation.target);
  const rows = relatedRows(parent, relation, target, aliases, false);
  const object = (scope: RowScope): Json => ({ kind: 'object', members: membersOf(scope) });
  if (relation.many)
    return listOf(rows, rows.where, { orderBy: [rows.keyOrder], limit: undefined, offset: undefined }, object);
  const select: Select = { columns: [], from: rows.from, joins: rows.joins, where: and(rows.where) };
  return { kind: 'one', rows: select, element: object(rows.scope), missing: 'null' };
}

export { type DocumentField, searchDocumentShape } from './document-shape.ts';
