// Selects a root field of a query as a JSON tree.
import { getNamedType, isNonNullType, type FieldNode, type GraphQLField } from 'graphql';
import { graphErrors } from '../errors.ts';
import { type ArgumentBindings, type Entity, membersOf, type RootBinding, type Storage } from '../schema/model.ts';
import { and, equals, type Expr, type Json, type Parameter, type Select } from '../sql/sql.ts';
import { abstractList, abstractRows } from './abstract-rows.ts';
import { selectAggregates, selectGroups } from './aggregates.ts';
import { asArray } from './argument-path.ts';
import { toBoundInPlace } from './bound-value.ts';
import { isUniqueLookup, readConditions } from './conditions.ts';
import { askedRows } from './deleted-rows.ts';
import { keyEqualsStored } from './operands.ts';
import { readList } from './read-list.ts';
import { NotCompilable, type Environment } from './environment.ts';
import type { FieldArguments } from './field-arguments.ts';
import type { SqlValue } from '../store/store.ts';
import { keyOfNodeId } from './node-id.ts';
import { allRows, limitOfOne, notDeleted, type RelatedRows, RowScope, toStoredKey } from './rows.ts';
import { countJson, countOf, fieldsOf, listOf, missing, selectMember, selectObject } from './selection.ts';
import { first } from '../present.ts';

/** Selects one root field. */
export function selectRootField(
  env: Environment,
  binding: RootBinding,
  definition: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
): Json | undefined {
  const args = env.argumentsOf(definition, first(nodes));
  if (args === undefined) return undefined;
  switch (binding.kind) {
    case 'lookup': {
      const entity = env.model.entities.get(binding.type);
      return entity === undefined
        ? selectAbstractLookup(env, binding.type, binding.arguments, args, definition, nodes)
        : selectLookup(env, entity, binding.arguments, args, definition, nodes);
    }
    case 'list': {
      const entity = env.model.entities.get(binding.type);
      const { byKeys } = binding;
      if (byKeys !== undefined && args.values[byKeys] != null) {
        const argument = binding.arguments.get(byKeys);
        return argument?.kind === 'nodeId'
          ? selectByNodeIds(env, binding.type, { argument: byKeys, field: argument.field }, args, nodes)
          : selectNodes(env, binding.type, byKeys, args, nodes);
      }
      return entity === undefined
        ? selectAbstractRoot(env, binding.type, binding.arguments, args, nodes)
        : selectList(env, entity, binding.arguments, args, nodes);
    }
    case 'count':
      return countJson(countOf(env, binding.type, rootRows(env, binding.arguments, args), binding.arguments, args));
    case 'aggregates':
    case 'groups': {
      const rowsOf = rootRows(env, binding.arguments, args);
      const rows = membersOf(env.model, binding.type).map(rowsOf);
      const typeName = getNamedType(definition.type).name;
      const select = binding.kind === 'groups' ? selectGroups : selectAggregates;
      return select(env, rows, { bindings: binding.arguments, args, nodes, typeName });
    }
    case 'connection': {
      const typeName = getNamedType(definition.type).name;
      const rowsOf = rootRows(env, binding.arguments, args);
      return env.selectConnection(typeName, binding.type, binding.arguments, args, nodes, rowsOf);
    }
    case 'entities':
      return env.selectEntities(args, nodes);
    default:
      throw new NotCompilable(`a root field of kind ${binding.kind}`);
  }
}

/** The rows of a root field. */
function rootRows(env: Environment, bindings: ArgumentBindings, args: FieldArguments): (entity: Entity) => RelatedRows {
  return (entity) => askedRows(env, allRows(entity, env.aliases), bindings, args);
}

function selectLookup(
  env: Environment,
  entity: Entity,
  bindings: ArgumentBindings,
  args: FieldArguments,
  definition: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
): Json {
  const rows = rootRows(env, bindings, args)(entity);
  const where = and(rows.where, readConditions(env, rows.scope, bindings, args), env.view.rows(rows.scope));
  const element = selectObject(env, rows.scope, fieldsOf(env, entity, nodes));
  const unique = isUniqueLookup(entity, bindings, args);
  const select: Select = {
    columns: [],
    from: rows.from,
    where,
    ...(unique
      ? { limit: limitOfOne(entity) }
      : { orderBy: [rows.keyOrder], limit: { kind: 'literal', value: 1 } as const }),
  };
  return { kind: 'one', rows: select, element, missing: missing(env, !isNonNullType(definition.type)) };
}

function selectList(
  env: Environment,
  entity: Entity,
  bindings: ArgumentBindings,
  args: FieldArguments,
  nodes: readonly FieldNode[],
): Json {
  const rows = rootRows(env, bindings, args)(entity);
  const condition = readConditions(env, rows.scope, bindings, args);
  const list = readList(env, rows.scope, bindings, args, rows.keyOrder);
  const fields = fieldsOf(env, entity, nodes);
  return listOf(rows, and(rows.where, condition, env.view.rows(rows.scope)), list, (outer: RowScope) =>
    selectObject(env, outer, fields),
  );
}

/** A list of an interface or union. */
function selectAbstractRoot(
  env: Environment,
  type: string,
  bindings: ArgumentBindings,
  args: FieldArguments,
  nodes: readonly FieldNode[],
): Json {
  const rows = abstractRows(env, type, (entity) => allRows(entity, env.aliases), bindings, args);
  return abstractList(rows, (alias) => selectMember(env, type, nodes, alias));
}

/** One object of an interface or union: the first by type, then by key. */
function selectAbstractLookup(
  env: Environment,
  type: string,
  bindings: ArgumentBindings,
  args: FieldArguments,
  definition: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
): Json {
  const { from, alias, orderBy } = abstractRows(env, type, (entity) => allRows(entity, env.aliases), bindings, args);
  const rows: Select = { columns: [], from, orderBy, limit: { kind: 'literal', value: 1 } };
  const element = selectMember(env, type, nodes, alias);
  return { kind: 'one', rows, element, missing: missing(env, !isNonNullType(definition.type)) };
}

/** The object of an entity with the given key. */
export function selectOneByKey(
  env: Environment,
  entity: Entity,
  key: Parameter,
  nodes: readonly FieldNode[],
  nullable: boolean,
): Json {
  const rows = allRows(entity, env.aliases);
  const { storage } = entity.key;
  const element = selectObject(env, rows.scope, fieldsOf(env, entity, nodes));
  const where = and(
    rows.where,
    equals(rows.scope.key, { kind: 'parameter', parameter: key, storage }, storage),
    env.view.rows(rows.scope),
  );
  return {
    kind: 'one',
    rows: { columns: [], from: rows.from, where, limit: limitOfOne(entity) },
    element,
    missing: missing(env, nullable),
  };
}

/** One element per key of an argument, in its order: the object, or null if the caller can read none. */
function selectNodes(
  env: Environment,
  type: string,
  argument: string,
  args: FieldArguments,
  nodes: readonly FieldNode[],
): Json {
  const entity = env.model.entities.get(type);
  const members = membersOf(env.model, type);
  // Keys of several types are compared as text.
  const storage = entity === undefined ? 'text' : entity.key.storage;
  const { typeName } = first(members).key;
  const list = args.parameter(argument, 'json', (values) => {
    const given = asArray(values[argument]);
    checkNumberOfKeys(env, argument, given);
    return toBoundInPlace(env.schema, { typeName, storage }, given);
  });
  // A key that the caller may not read finds nothing, as in filters.
  const known =
    (same: (row: RowScope) => Expr | undefined) =>
    (row: RowScope): Expr | undefined =>
      and(same(row), env.view.field(row, row.entity.key.name));
  if (entity !== undefined)
    return selectElements(env, entity, list, (value) => oneByKey(env, entity, known(isKey(value)), nodes, true));
  const elements = env.aliases.take();
  const value: Expr = { kind: 'column', from: `${elements}r`, column: 'value' };
  const isNamed = known((row) => isKeyText(row, value));
  const branches = members.map((member) => {
    const scope = new RowScope(member, env.aliases.take());
    const exists: Select = {
      columns: [{ expr: { kind: 'literal', value: 1 }, as: 'found' }],
      from: { kind: 'table', table: member.table, alias: scope.alias },
      where: and(isNamed(scope), notDeleted(scope), env.view.rows(scope)),
    };
    const use = oneByKey(env, member, isNamed, nodes, true);
    return { when: { kind: 'exists', select: exists } as const, use };
  });
  return listOfElements(list, 'text', elements, {
    kind: 'choose',
    branches,
    otherwise: { kind: 'constant', text: 'null' },
  });
}

/** One element per node id of an argument, in its order: the object, or null if the caller can read none. */
function selectByNodeIds(
  env: Environment,
  type: string,
  { argument, field }: { readonly argument: string; readonly field: string },
  args: FieldArguments,
  nodes: readonly FieldNode[],
): Json {
  const members = membersOf(env.model, type);
  const list = args.parameter(argument, 'json', (values) => {
    const given = asArray(values[argument]);
    checkNumberOfKeys(env, argument, given);
    return JSON.stringify(given.map((id) => boundNodeId(members, id)));
  });
  const elements = env.aliases.take();
  const part = (name: string, storage: Storage): Expr => ({
    kind: 'member',
    operand: { kind: 'column', from: `${elements}r`, column: 'value' },
    name,
    storage,
  });
  const branches = members.map((entity) => {
    const { storage } = entity.key;
    const isNamed = (row: RowScope): Expr | undefined =>
      and(equals(row.key, part(NODE_KEY, storage), storage), env.view.field(row, field));
    return {
      when: equals(part(NODE_TYPE, 'text'), { kind: 'literal', value: entity.name }, 'text'),
      use: oneByKey(env, entity, isNamed, nodes, true),
    };
  });
  return listOfElements(list, 'json', elements, {
    kind: 'choose',
    branches,
    otherwise: { kind: 'constant', text: 'null' },
  });
}

/** Members of a bound node id. */
const NODE_TYPE = 'type';
const NODE_KEY = 'key';

/** The JSON to bind for a node id; an id of no object of the types has no type. */
function boundNodeId(members: readonly Entity[], id: unknown): Readonly<Record<string, SqlValue>> {
  for (const entity of members) {
    const key = keyOfNodeId(entity, id);
    if (key !== null) return { [NODE_TYPE]: entity.name, [NODE_KEY]: typeof key === 'bigint' ? String(key) : key };
  }
  return {};
}

/** @throws ProductError GRAPH_PAGE_TOO_LARGE */
function checkNumberOfKeys(env: Environment, argument: string, given: readonly unknown[]): void {
  if (given.length > env.limits.pageSize)
    throw graphErrors.create('GRAPH_PAGE_TOO_LARGE', { argument, value: given.length, limit: env.limits.pageSize });
}

/** Whether a text is the canonical form of the row's key. */
function isKeyText(scope: RowScope, text: Expr): Expr | undefined {
  const { storage } = scope.entity.key;
  return storage === 'integer'
    ? and(keyEqualsStored(scope, text), equals(toStoredKey(scope.key, scope.entity), text, 'text'))
    : equals(scope.key, text, storage);
}

/** Objects of an entity by the keys of a JSON array, in its order; null for a key without a row. */
export function selectByKeys(
  env: Environment,
  entity: Entity,
  keys: Parameter,
  nodes: readonly FieldNode[],
  nullable: boolean,
): Json {
  const list = { kind: 'parameter', parameter: keys, storage: 'json' } as const;
  return selectElements(env, entity, list, (value) => oneByKey(env, entity, isKey(value), nodes, nullable));
}

function selectElements(env: Environment, { key }: Entity, list: Expr, element: (value: Expr) => Json): Json {
  const elements = env.aliases.take();
  return listOfElements(
    list,
    key.storage,
    elements,
    element({ kind: 'column', from: `${elements}r`, column: 'value' }),
  );
}

function isKey(value: Expr): (scope: RowScope) => Expr {
  return (scope) => equals(scope.key, value, scope.entity.key.storage);
}

/** The object of an entity that satisfies `same`, which only rows of one key do. */
export function oneByKey(
  env: Environment,
  entity: Entity,
  same: (scope: RowScope) => Expr | undefined,
  nodes: readonly FieldNode[],
  nullable: boolean,
): Json {
  const scope = new RowScope(entity, env.aliases.take());
  const element = selectObject(env, scope, fieldsOf(env, entity, nodes));
  return {
    kind: 'one',
    rows: {
      columns: [],
      from: { kind: 'table', table: entity.table, alias: scope.alias },
      where: and(same(scope), notDeleted(scope), env.view.rows(scope)),
      limit: limitOfOne(entity),
    },
    element,
    missing: missing(env, nullable),
  };
}

/** One JSON value per element of a JSON array, in its order; `elements` is the alias of the array's rows. */
export function listOfElements(list: Expr, storage: Storage, elements: string, element: Json): Json {
  return {
    kind: 'list',
    rows: {
      columns: [{ expr: { kind: 'column', from: elements, column: 'value' }, as: 'value' }],
      from: { kind: 'elements', list, storage, alias: elements },
      orderBy: [
        {
          expr: { kind: 'column', from: elements, column: 'place' },
          descending: false,
          nullable: false,
          storage: 'integer',
        },
      ],
    },
    element,
  };
}
