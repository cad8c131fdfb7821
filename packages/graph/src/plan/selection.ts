// Selects the fields of an object as a JSON tree, one function per kind of field. Read rules are added wherever rows of
// an entity are read. Not here: root fields (root-field.ts), conditions and pages (conditions.ts).
import { getNamedType, isObjectType, type FieldNode, type GraphQLField, type GraphQLObjectType } from 'graphql';
import {
  type ArgumentBindings,
  type ColumnField,
  type Entity,
  type Field,
  type FormField,
  isGuaranteed,
  membersOf,
  type RelationField,
} from '../schema/model.ts';
import { and, type Expr, type Json, type JsonMember, type OrderTerm, type Select } from '../sql/sql.ts';
import { storedColumnsIn } from '../sql/tree.ts';
import { abstractList, abstractRows, memberObject, type Member } from './abstract-rows.ts';
import { selectAggregates, selectGroups } from './aggregates.ts';
import { valuePatternOf } from './response-check.ts';
import { collectFields, selectionSetsOf, type CollectedFields } from './collect-fields.ts';
import { readConditions } from './conditions.ts';
import { askedRows, isThere } from './deleted-rows.ts';
import { isKeyOpen, keyEqualsStored } from './operands.ts';
import { listValue, readList } from './read-list.ts';
import { NotCompilable, type Environment } from './environment.ts';
import { formatOf } from './json-format.ts';
import { nodeIdStart } from './node-id.ts';
import { DENIED_KEY, NEED_PREFIX, TYPE_KEY } from './prefetch-keys.ts';
import type { FieldArguments } from './field-arguments.ts';
import { isType, limitOfOne, notDeleted, relatedRows, RowScope, type RelatedRows } from './rows.ts';
import { first } from '../present.ts';
import { declaredField } from '../schema/declared-field.ts';
import { columnOf } from '../schema/field-of.ts';

/** The object type of an entity in the executable schema. */
function objectTypeOf(env: Environment, entity: Entity): GraphQLObjectType {
  const type = env.schema.getType(entity.name);
  if (!isObjectType(type)) throw new Error(`Type ${entity.name} is not an object type.`);
  return type;
}

/** The fields that the nodes select of an entity. */
export function fieldsOf(env: Environment, entity: Entity, nodes: readonly FieldNode[]): CollectedFields {
  return collectFields(env, objectTypeOf(env, entity), selectionSetsOf(nodes));
}

/** An object of an entity whose row is in scope. */
export function selectObject(env: Environment, scope: RowScope, fields: CollectedFields): Json {
  const { entity } = scope;
  const type = objectTypeOf(env, entity);
  const members: JsonMember[] = [];
  const needs = new Set<string>();
  for (const [key, nodes] of fields) {
    const node = first(nodes);
    const name = node.name.value;
    if (name === '__typename') {
      members.push({ key, value: { kind: 'constant', text: `"${entity.name}"` } });
      continue;
    }
    const field = entity.fields.get(name);
    const definition = type.getFields()[name];
    if (field === undefined || definition === undefined) throw new Error(`${entity.name}.${name} is not in the model.`);
    if (field.kind === 'resolver') {
      if (env.mode === 'whole') throw new NotCompilable(`${entity.name}.${name} has a resolver`);
      for (const need of [entity.key.name, ...field.needs]) needs.add(need);
      continue;
    }
    const value =
      field.kind === 'column'
        ? selectColumn(env, scope, field)
        : field.kind === 'nodeId'
          ? ({ kind: 'nodeId', start: nodeIdStart(entity.name), key: scope.key } as const)
          : field.kind === 'form'
            ? selectForm(env, scope, field, definition, nodes)
            : selectRelation(env, scope, field, definition, nodes);
    if (value !== undefined) members.push({ key, value: guardField(env, scope, name, value) });
  }
  if (env.mode === 'prefetch') {
    members.push({ key: TYPE_KEY, value: { kind: 'constant', text: `"${entity.name}"` } });
    for (const need of needs)
      members.push({
        key: `${NEED_PREFIX}${need}`,
        value: selectColumn(env, scope, columnOf(entity.fields, need)),
      });
  }
  return { kind: 'object', members };
}

/** Applies a field's read rule: null, a violation, or in prefetch mode a mark that graphql-js reports. */
function guardField(env: Environment, scope: RowScope, name: string, value: Json): Json {
  const allowed = env.view.field(scope, name);
  if (allowed === undefined) return value;
  return {
    kind: 'choose',
    branches: [{ when: allowed, use: value }],
    otherwise: denied(env, scope.entity.fields.get(name)),
  };
}

function denied(env: Environment, field: Field | undefined): Json {
  if (env.mode === 'prefetch') return { kind: 'constant', text: `{"${DENIED_KEY}":true}` };
  if (field?.auth?.deniedIsNull === true) return NULL;
  env.mayViolate = true;
  return VIOLATED;
}

const VIOLATED: Json = { kind: 'constant', text: '\u0001' };

function selectColumn(env: Environment, scope: RowScope, field: ColumnField): Json {
  if (env.mode === 'whole') {
    if (env.model.customScalars.has(field.typeName))
      throw new NotCompilable(`${field.typeName} is printed by JavaScript`);
    if (isObjectType(env.schema.getType(field.typeName))) throw new NotCompilable(`${field.typeName} is embedded`);
  }
  const format = formatOf(field);
  const expr = scope.column(field.column);
  const { entity } = scope;
  const pattern =
    env.mode === 'whole' ? valuePatternOf(declaredField(env.schema, entity.name, field.name).type) : undefined;
  const form = pattern && { pattern, table: entity.table, column: field.column, key: entity.key.column, format };
  return { kind: 'value', expr, format, nullable: field.nullable, ...(form && { form }) };
}

function selectRelation(
  env: Environment,
  scope: RowScope,
  field: RelationField,
  definition: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
): Json | undefined {
  const args = env.argumentsOf(definition, first(nodes));
  if (args === undefined) return undefined;
  const target = env.model.entities.get(field.target);
  if (field.connection) {
    try {
      const rowsOf = (entity: Entity): RelatedRows =>
        askedRows(env, relatedRows(scope, field, entity, env.aliases, false), field.arguments, args);
      const typeName = getNamedType(definition.type).name;
      return env.selectConnection(typeName, field.target, field.arguments, args, nodes, rowsOf);
    } catch (error) {
      env.refuse(first(nodes), error);
      return undefined;
    }
  }
  if (target === undefined) {
    if (!field.many) return selectAbstractOne(env, scope, field, nodes);
    try {
      return selectAbstractList(env, scope, field, args, nodes);
    } catch (error) {
      env.refuse(first(nodes), error);
      return undefined;
    }
  }
  const fields = fieldsOf(env, target, nodes);
  if (!field.many) return selectOne(env, scope, field, target, fields);
  try {
    return selectMany(
      env,
      field,
      args,
      relatedRows(scope, field, target, env.aliases, isKeyOnly(env, field, target, fields) && isBare(field, args)),
      fields,
    );
  } catch (error) {
    env.refuse(first(nodes), error);
    return undefined;
  }
}

/** The objects of a relation in another form than that of its own field. */
function selectForm(
  env: Environment,
  scope: RowScope,
  { of, name, form, nullable, arguments: bindings }: FormField,
  definition: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
): Json | undefined {
  const relation = scope.entity.fields.get(of);
  if (relation?.kind !== 'relation') throw new Error(`${scope.entity.name}.${of} is no relation.`);
  if (form === 'list' || form === 'connection') {
    const other = { ...relation, name, nullable, arguments: bindings, connection: form === 'connection' };
    return selectRelation(env, scope, other, definition, nodes);
  }
  const args = env.argumentsOf(definition, first(nodes));
  if (args === undefined) return undefined;
  const rowsOf = (entity: Entity): RelatedRows =>
    askedRows(env, relatedRows(scope, relation, entity, env.aliases, false), bindings, args);
  try {
    if (form === 'count') return countJson(countOf(env, relation.target, rowsOf, bindings, args));
    const select = form === 'groups' ? selectGroups : selectAggregates;
    const { name: typeName } = getNamedType(definition.type);
    const rows = membersOf(env.model, relation.target).map(rowsOf);
    const value = select(env, rows, { bindings, args, nodes, typeName });
    // Rows without a limit, for each row around them.
    return { kind: 'beforeDeadline', value, isRepeated: true };
  } catch (error) {
    env.refuse(first(nodes), error);
    return undefined;
  }
}

/** Counts the rows that satisfy the arguments and that the caller may read. */
export function countOf(
  env: Environment,
  type: string,
  rowsOf: (entity: Entity) => RelatedRows,
  bindings: ArgumentBindings,
  args: FieldArguments,
): Select {
  const columns = [{ expr: { kind: 'literal', value: 1 }, as: 'one' }] as const;
  const entity = env.model.entities.get(type);
  if (entity === undefined) return { columns, from: abstractRows(env, type, rowsOf, bindings, args).from };
  const { from, joins, scope, where } = rowsOf(entity);
  return {
    columns,
    from,
    joins,
    where: and(where, readConditions(env, scope, bindings, args), env.view.rows(scope)),
  };
}

export function countJson(select: Select): Json {
  return { kind: 'value', expr: { kind: 'count', select }, format: 'integer', nullable: false };
}

/** Whether only the key and the type name of a target are selected that surely exists, and no read rule hides them. */
function isKeyOnly(env: Environment, field: RelationField, target: Entity, fields: CollectedFields): boolean {
  if (!isGuaranteed(field, target) || !isKeyOpen(env.view, target)) return false;
  return [...fields.values()].every(([node]) => {
    const name = node?.name.value;
    if (name === undefined || name === '__typename' || name === target.key.name) return true;
    // Its rule is joined with that of the key; with one of its own, the row is read.
    const field = target.fields.get(name);
    return field?.kind === 'nodeId' && field.auth?.read === undefined;
  });
}

/** Whether no argument filters or sorts the list by the target's columns. */
function isBare(field: RelationField, args: FieldArguments): boolean {
  return [...field.arguments].every(
    ([name, binding]) =>
      binding.kind === 'first' || binding.kind === 'start' || listValue(binding, args.values, name) == null,
  );
}

function selectOne(
  env: Environment,
  scope: RowScope,
  field: RelationField,
  target: Entity,
  fields: CollectedFields,
): Json {
  if (field.storage.kind === 'foreignKey' && isKeyOnly(env, field, target, fields)) {
    // The foreign key is the target's key, so no join is needed.
    const foreignKey = scope.column(field.storage.column);
    const element = selectObject(
      env,
      new RowScope(target, scope.alias, new Map([[target.key.column, foreignKey]])),
      fields,
    );
    if (!field.nullable) return element;
    return {
      kind: 'choose',
      branches: [{ when: { kind: 'isNull', operand: foreignKey, negated: false }, use: NULL }],
      otherwise: element,
    };
  }
  const rows = relatedRows(scope, field, target, env.aliases, false);
  const there = field.storage.kind === 'foreignKey' ? isThere(env.view, scope, rows.scope) : notDeleted(rows.scope);
  const element = selectObject(env, rows.scope, fields);
  return {
    kind: 'one',
    rows: {
      columns: [],
      from: rows.from,
      joins: rows.joins,
      where: and(rows.link, there, env.view.rows(rows.scope)),
      limit: field.storage.kind === 'foreignKey' ? limitOfOne(target) : ONE,
    },
    element,
    missing: missing(env, field.nullable),
    // The text of a key of several columns is no blob.
    by:
      field.storage.kind === 'foreignKey' && field.storage.parts === undefined
        ? { key: scope.column(field.storage.column), storage: target.key.storage }
        : undefined,
  };
}

const NULL: Json = { kind: 'constant', text: 'null' };
const ONE: Expr = { kind: 'literal', value: 1 };

/** The value for a missing row: null, or a violation if the schema promises a value. */
export function missing(env: Environment, nullable: boolean): 'null' | 'violation' {
  if (nullable || env.mode === 'prefetch') return 'null';
  env.mayViolate = true;
  return 'violation';
}

function selectMany(
  env: Environment,
  field: RelationField,
  args: FieldArguments,
  rows: RelatedRows,
  fields: CollectedFields,
): Json {
  const condition = readConditions(env, rows.scope, field.arguments, args);
  const list = readList(env, rows.scope, field.arguments, args, rows.keyOrder);
  const { where } = askedRows(env, rows, field.arguments, args);
  return listOf(rows, and(where, env.view.rows(rows.scope), condition), list, (outer) =>
    selectObject(env, outer, fields),
  );
}

/**
 * A list of rows as JSON. An inner query returns the rows in order, with only the columns that the elements use.
 *
 * @param element selects an element in the scope of the inner query
 */
export function listOf(
  rows: Omit<RelatedRows, 'where'>,
  where: Expr | undefined,
  list: { readonly orderBy: readonly OrderTerm[]; readonly limit: Expr | undefined; readonly offset: Expr | undefined },
  element: (scope: RowScope) => Json,
): Json {
  const outer = RowScope.ofQuery(rows.scope.entity, `${rows.alias}r`, rows.scope);
  const json = element(outer);
  const columns = storedColumnsIn(outer.alias, json).map((column) => ({ expr: rows.scope.column(column), as: column }));
  if (columns.length === 0) columns.push({ expr: rows.scope.key, as: rows.scope.entity.key.column });
  const select: Select = {
    columns,
    from: rows.from,
    joins: rows.joins,
    where,
    orderBy: list.orderBy,
    limit: list.limit,
    offset: list.offset,
  };
  return { kind: 'list', rows: select, element: json };
}

/** Member types of an interface or union and their selected fields. */
function membersSelected(env: Environment, abstract: string, nodes: readonly FieldNode[]): readonly Member[] {
  return membersOf(env.model, abstract).map((entity) => ({ entity, fields: fieldsOf(env, entity, nodes) }));
}

function selectAbstractOne(env: Environment, scope: RowScope, field: RelationField, nodes: readonly FieldNode[]): Json {
  const { storage } = field;
  if (storage.kind !== 'polymorphic') throw new Error(`${scope.entity.name}.${field.name} has no single target.`);
  const branches = membersSelected(env, field.target, nodes).map(({ entity, fields }) => {
    const rows = relatedRows(scope, field, entity, env.aliases, false);
    const there = isThere(env.view, scope, rows.scope);
    const element = selectObject(env, rows.scope, fields);
    const select: Select = {
      columns: [],
      from: rows.from,
      where: and(keyEqualsStored(rows.scope, scope.column(storage.keyColumn)), there, env.view.rows(rows.scope)),
      limit: limitOfOne(entity),
    };
    const by = { key: scope.column(storage.keyColumn), storage: 'text' } as const;
    const use: Json = { kind: 'one', rows: select, element, missing: missing(env, field.nullable), by };
    return { when: isType(scope.column(storage.typeColumn), entity), use };
  });
  return { kind: 'choose', branches, otherwise: missing(env, field.nullable) === 'null' ? NULL : VIOLATED };
}

/** The object of a union row; `alias` has the row's columns. */
export function selectMember(env: Environment, abstract: string, nodes: readonly FieldNode[], alias: string): Json {
  return memberObject(env, membersSelected(env, abstract, nodes), alias, (scope, fields) =>
    selectObject(env, scope, fields),
  );
}

function selectAbstractList(
  env: Environment,
  scope: RowScope,
  field: RelationField,
  args: FieldArguments,
  nodes: readonly FieldNode[],
): Json {
  const rowsOf = (entity: Entity): RelatedRows => relatedRows(scope, field, entity, env.aliases, false);
  const rows = abstractRows(env, field.target, rowsOf, field.arguments, args);
  return abstractList(rows, (alias) => selectMember(env, field.target, nodes, alias));
}
