// Relay connections (https://relay.dev/graphql/connections.htm): keyset pagination, forwards or backwards. A cursor
// holds the sort values and key of its row, so a page starts where the previous one ended, however many rows were
// inserted or deleted in between.
import { getNamedType, type FieldNode } from 'graphql';
import { graphErrors } from '../errors.ts';
import type { ArgumentBinding, ArgumentBindings, Entity } from '../schema/model.ts';
import {
  and,
  type CommonTable,
  type Expr,
  type From,
  type Json,
  type JsonMember,
  type OrderTerm,
  type Select,
} from '../sql/sql.ts';
import { isSameColumn, storedColumnsIn } from '../sql/tree.ts';
import { abstractRows, MEMBER, MEMBER_KEY } from './abstract-rows.ts';
import { collectFields, selectionSetsOf } from './collect-fields.ts';
import { readConditions } from './conditions.ts';
import { deletedWord } from './deleted-rows.ts';
import { checkPageSize, listValue, readList } from './read-list.ts';
import { beyond, cursorOf, readCursor } from './cursor.ts';
import type { Environment } from './environment.ts';
import type { ArgumentValues, FieldArguments } from './field-arguments.ts';
import { RowScope, type RelatedRows } from './rows.ts';
import { TYPE_KEY } from './prefetch-keys.ts';
import { fieldsOf, selectMember, selectObject } from './selection.ts';
import { first } from '../present.ts';
import { declaredField, objectType } from '../schema/declared-field.ts';

/** A connection field. */
interface Connection {
  readonly env: Environment;
  readonly typeName: string;
  /** Entity, interface or union. */
  readonly target: string;
  readonly bindings: ArgumentBindings;
  readonly args: FieldArguments;
  /** Creates the row source; called once for each selected part. */
  readonly rowsOf: (entity: Entity) => RelatedRows;
  /** Undefined without a page size; then only fields that need no page can be selected. */
  readonly page: Page | undefined;
  /** Defined if several parts read the page. */
  readonly shared: SharedPage | undefined;
}

/** A page that is read once; `seesMore`: with one row beyond it. */
interface SharedPage {
  readonly name: string;
  readonly select: Select;
  readonly rows: Source;
  readonly seesMore: boolean;
  /** Columns that nodes use. */
  readonly columns: Set<string>;
}

/** Builds an element from the rows of `alias`; also returns the columns it uses. */
type Element = (alias: string, cursor: Json) => { readonly json: Json; readonly columns: Iterable<string> };

interface Page {
  /** Name of the page size argument. */
  readonly size: string;
  readonly backwards: boolean;
}

/** Selects a connection. */
export function selectConnection(
  env: Environment,
  typeName: string,
  target: string,
  bindings: ArgumentBindings,
  args: FieldArguments,
  nodes: readonly FieldNode[],
  rowsOf: (entity: Entity) => RelatedRows,
): Json {
  const page = readPage(bindings, args, env);
  const plain: Connection = { env, typeName, target, bindings, args, rowsOf, page, shared: undefined };
  checkCursors(plain);
  const fields = collect(env, typeName, nodes);
  const connection: Connection = { ...plain, shared: sharePage(plain, [...fields.values()]) };
  const members: JsonMember[] = [];
  for (const [key, selected] of fields) members.push({ key, value: selectPart(connection, selected) });
  const value = typed(env, typeName, members);
  const { shared } = connection;
  return shared === undefined ? value : { kind: 'with', tables: [tableOf(shared)], value };
}

/** The page as a common table, if several parts of the response need it. */
function sharePage(connection: Connection, fields: readonly (readonly FieldNode[])[]): SharedPage | undefined {
  const { env, page } = connection;
  if (page === undefined) return undefined;
  let uses = 0;
  let seesMore = false;
  for (const nodes of fields) {
    const { value: name } = first(nodes).name;
    if (name === 'nodes' || name === 'edges') uses++;
    if (name !== 'pageInfo') continue;
    for (const [node] of collect(env, typeOfPart(connection, 'pageInfo'), nodes).values()) {
      const { value: part } = node!.name;
      if (part === 'startCursor' || part === 'endCursor') uses++;
      if (part !== (page.backwards ? 'hasPreviousPage' : 'hasNextPage')) continue;
      uses++;
      seesMore = true;
    }
  }
  if (uses < 2) return undefined;
  const { select, rows } = pageSelect(connection, seesMore ? 1 : 0);
  return { name: `lockstitch_${env.aliases.take()}`, select, rows, seesMore, columns: new Set() };
}

/** The common table, once all parts have said which columns they use. */
function tableOf({ name, select, rows, columns }: SharedPage): CommonTable {
  return { name, select: withColumns(select, rows, columns) };
}

function withColumns(select: Select, rows: Source, columns: Iterable<string>): Select {
  const present = new Set(select.columns.map(({ as }) => as));
  const others = [...columns].filter((column) => !present.has(column));
  return {
    ...select,
    columns: [...select.columns, ...others.map((column) => ({ expr: rows.column(column), as: column }))],
  };
}

function collect(env: Environment, typeName: string, nodes: readonly FieldNode[]) {
  return collectFields(env, objectType(env.schema, typeName), selectionSetsOf(nodes));
}

/** The schema may define the connection's types itself. */
function typeOfPart({ env, typeName }: Connection, part: 'edges' | 'pageInfo'): string {
  return getNamedType(declaredField(env.schema, typeName, part).type).name;
}

function typed(env: Environment, typeName: string, members: JsonMember[]): Json {
  if (env.mode === 'prefetch') members.push({ key: TYPE_KEY, value: { kind: 'constant', text: `"${typeName}"` } });
  return { kind: 'object', members };
}

function selectPart(connection: Connection, nodes: readonly FieldNode[]): Json {
  switch (first(nodes).name.value) {
    case '__typename':
      return { kind: 'constant', text: `"${connection.typeName}"` };
    case 'totalCount':
      return { kind: 'value', expr: countAll(connection), format: 'integer', nullable: false };
    case 'nodes':
      return selectPage(connection, (alias) => selectNode(connection, alias, nodes));
    case 'edges':
      return selectPage(connection, (alias, cursor) => selectEdge(connection, alias, cursor, nodes));
    default:
      return selectPageInfo(connection, nodes);
  }
}

function selectNode(
  { env, target, bindings, args }: Connection,
  alias: string,
  nodes: readonly FieldNode[],
): ReturnType<Element> {
  const entity = env.model.entities.get(target);
  if (entity === undefined) return { json: selectMember(env, target, nodes, alias), columns: [MEMBER, MEMBER_KEY] };
  const scope = RowScope.ofQuery(entity, alias, { includesDeleted: deletedWord(bindings, args) !== 'exclude' });
  const json = selectObject(env, scope, fieldsOf(env, entity, nodes));
  return { json, columns: storedColumnsIn(alias, json) };
}

function selectEdge(
  connection: Connection,
  alias: string,
  cursor: Json,
  nodes: readonly FieldNode[],
): ReturnType<Element> {
  const { env } = connection;
  const typeName = typeOfPart(connection, 'edges');
  const members: JsonMember[] = [];
  const columns = new Set<string>();
  for (const [key, selected] of collect(env, typeName, nodes)) {
    const name = first(selected).name.value;
    if (name === 'cursor') members.push({ key, value: cursor });
    else if (name === 'node') {
      const node = selectNode(connection, alias, selected);
      members.push({ key, value: node.json });
      for (const column of node.columns) columns.add(column);
    } else members.push({ key, value: { kind: 'constant', text: `"${typeName}"` } });
  }
  return { json: typed(env, typeName, members), columns };
}

function selectPageInfo(connection: Connection, nodes: readonly FieldNode[]): Json {
  const { env, args } = connection;
  const page = pageOf(connection);
  const members: JsonMember[] = [];
  const typeName = typeOfPart(connection, 'pageInfo');
  for (const [key, selected] of collect(env, typeName, nodes)) {
    const name = first(selected).name.value;
    if (name === '__typename') members.push({ key, value: { kind: 'constant', text: `"${typeName}"` } });
    else if (name === 'startCursor' || name === 'endCursor')
      members.push({ key, value: edgeCursor(connection, name === 'endCursor') });
    else {
      // In the paging direction: is there a row after the page? In the other: is there a row beyond the cursor?
      const ahead = (name === 'hasNextPage') !== page.backwards;
      const cursor = page.backwards ? 'before' : 'after';
      const expr: Expr = ahead
        ? hasMore(connection)
        : args.values[cursor] == null
          ? FALSE
          : hasBeyond(connection, cursor);
      members.push({ key, value: truth(expr) });
    }
  }
  return typed(env, typeName, members);
}

const FALSE: Expr = { kind: 'literal', value: false };

function truth(when: Expr): Json {
  return {
    kind: 'choose',
    branches: [{ when, use: { kind: 'constant', text: 'true' } }],
    otherwise: { kind: 'constant', text: 'false' },
  };
}

/** The ordered rows of the connection, without a page. */
interface Source {
  readonly from: From;
  readonly joins: Select['joins'];
  readonly where: Expr | undefined;
  readonly orderBy: readonly OrderTerm[];
  readonly column: (name: string) => Expr;
  /** The names of the sort values in the page. */
  readonly sortNames: readonly string[];
}

/** A column keeps its name, since nodes may show it too: a page whose key is in it twice takes half as long again on SQLite. */
function sortNamesOf({ orderBy, column }: Pick<Source, 'orderBy' | 'column'>): readonly string[] {
  return orderBy.map(({ expr }, index) =>
    expr.kind === 'column' && isSameColumn(expr, column(expr.column)) ? expr.column : `order_${index}`,
  );
}

function source({ env, target, bindings, args, rowsOf }: Connection): Source {
  const entity = env.model.entities.get(target);
  if (entity === undefined) {
    const { from, alias, orderBy } = abstractRows(env, target, rowsOf, pageless(bindings), args);
    const column = (name: string): Expr => ({ kind: 'column', from: alias, column: name });
    return { from, joins: [], where: undefined, orderBy, column, sortNames: sortNamesOf({ orderBy, column }) };
  }
  const rows = rowsOf(entity);
  const list = readList(env, rows.scope, pageless(bindings), args, rows.keyOrder);
  const column = (name: string): Expr => rows.scope.column(name);
  return {
    from: rows.from,
    joins: rows.joins,
    where: and(rows.where, env.view.rows(rows.scope), readConditions(env, rows.scope, bindings, args)),
    orderBy: list.orderBy,
    column,
    sortNames: sortNamesOf({ orderBy: list.orderBy, column }),
  };
}

/** The arguments that filter and order; the page is cut by cursor. */
function pageless(bindings: ArgumentBindings): ArgumentBindings {
  return new Map([...bindings].filter(([, { kind }]) => !PAGE.has(kind)));
}

const PAGE: ReadonlySet<ArgumentBinding['kind']> = new Set(['first', 'start', 'last', 'after', 'before']);

/** The rows of a page, in the paging direction. */
function pageSelect(connection: Connection, extra: number): { readonly select: Select; readonly rows: Source } {
  const { args } = connection;
  const page = pageOf(connection);
  const rows = source(connection);
  const { orderBy, sortNames } = rows;
  const sortValues = new Map(sortNames.map((as, index) => [as, { expr: orderBy[index]!.expr, as }]));
  const bounds = (['after', 'before'] as const).map((name) =>
    args.values[name] == null ? undefined : beyond(connection.args, orderBy, name),
  );
  const limit = args.parameter(page.size, 'integer', (values) => sizeOf(connection, values) + extra);
  const select: Select = {
    columns: [...sortValues.values()],
    from: rows.from,
    ...joinsOf(rows),
    where: and(rows.where, ...bounds),
    orderBy: page.backwards ? reversed(orderBy) : orderBy,
    limit,
  };
  return { select, rows };
}

function reversed(orderBy: readonly OrderTerm[]): readonly OrderTerm[] {
  return orderBy.map((term) => ({ ...term, descending: !term.descending }));
}

/** The rows of a page, from the common table if there is one. */
interface PageRows {
  readonly alias: string;
  readonly orderBy: readonly OrderTerm[];
  readonly sortNames: readonly string[];
  /** In the paging direction: the sort values, and these columns. */
  select(columns: Iterable<string>): Select;
}

function openPage(connection: Connection): PageRows {
  const { args, env, shared } = connection;
  if (shared === undefined) {
    const { select, rows } = pageSelect(connection, 0);
    return {
      alias: 'alias' in rows.from ? rows.from.alias : env.aliases.take(),
      orderBy: rows.orderBy,
      sortNames: rows.sortNames,
      select: (columns) => withColumns(select, rows, columns),
    };
  }
  const { orderBy, sortNames } = shared.rows;
  const { backwards, size } = pageOf(connection);
  const alias = env.aliases.take();
  const terms = sortValues(alias, shared.rows);
  return {
    alias,
    orderBy,
    sortNames,
    select(columns) {
      const names = new Set([...sortNames, ...columns]);
      for (const column of columns) shared.columns.add(column);
      return {
        columns: [...names].map((column) => passed(alias, column)),
        from: { kind: 'table', table: shared.name, alias },
        orderBy: backwards ? reversed(terms) : terms,
        limit: shared.seesMore ? args.parameter(size, 'integer', (values) => sizeOf(connection, values)) : undefined,
      };
    },
  };
}

/** The order of a page over its sort values. */
function sortValues(
  alias: string,
  { orderBy, sortNames }: Pick<PageRows, 'orderBy' | 'sortNames'>,
): readonly OrderTerm[] {
  return orderBy.map((term, index) => ({ ...term, expr: passed(alias, sortNames[index]!).expr }));
}

function passed(alias: string, column: string): { readonly expr: Expr; readonly as: string } {
  return { expr: { kind: 'column', from: alias, column }, as: column };
}

function joinsOf({ joins }: Source): Pick<Select, 'joins'> {
  return joins === undefined ? {} : { joins };
}

function selectPage(connection: Connection, element: Element): Json {
  const { backwards } = pageOf(connection);
  const page = openPage(connection);
  // A page that was read backwards is put in order by a query around it. The printer adds the suffix "r".
  const alias = backwards ? connection.env.aliases.take() : page.alias;
  const cursor = cursorOf(page.orderBy, (index) => passed(`${alias}r`, page.sortNames[index]!).expr);
  const { json, columns } = element(`${alias}r`, cursor);
  const select = page.select([...columns]);
  if (!backwards) return { kind: 'list', rows: select, element: json };
  const rows: Select = {
    columns: select.columns.map(({ as }) => passed(alias, as)),
    from: { kind: 'query', select, alias },
    orderBy: sortValues(alias, page),
  };
  return { kind: 'list', rows, element: json };
}

/** The cursor of the first or last row of the page. */
function edgeCursor(connection: Connection, last: boolean): Json {
  const page = openPage(connection);
  const alias = connection.env.aliases.take();
  const orderBy = sortValues(alias, page);
  return {
    kind: 'one',
    rows: {
      columns: [],
      from: { kind: 'query', select: page.select([]), alias },
      orderBy: last ? reversed(orderBy) : orderBy,
      limit: { kind: 'literal', value: 1 },
    },
    element: cursorOf(page.orderBy, (index) => passed(alias, page.sortNames[index]!).expr),
    missing: 'null',
  };
}

function hasMore(connection: Connection): Expr {
  const { args, env, shared } = connection;
  const select: Select =
    shared === undefined
      ? pageSelect(connection, 1).select
      : { columns: [], from: { kind: 'table', table: shared.name, alias: env.aliases.take() } };
  const size = args.parameter(pageOf(connection).size, 'integer', (values) => sizeOf(connection, values));
  return { kind: 'compare', operator: '>', left: { kind: 'count', select }, right: size, storage: 'integer' };
}

function hasBeyond(connection: Connection, cursor: 'after' | 'before'): Expr {
  const rows = source(connection);
  const select: Select = {
    columns: [{ expr: { kind: 'literal', value: 1 }, as: 'found' }],
    from: rows.from,
    ...joinsOf(rows),
    where: and(rows.where, { kind: 'isNotTrue', operand: beyond(connection.args, rows.orderBy, cursor) }),
  };
  return { kind: 'exists', select };
}

function countAll(connection: Connection): Expr {
  const rows = source(connection);
  return {
    kind: 'count',
    select: {
      columns: [{ expr: { kind: 'literal', value: 1 }, as: 'one' }],
      from: rows.from,
      ...joinsOf(rows),
      where: rows.where,
    },
  };
}

function readPage(bindings: ArgumentBindings, args: FieldArguments, env: Environment): Page | undefined {
  const named = (kind: 'first' | 'last'): string | undefined =>
    [...bindings].find(([, binding]) => binding.kind === kind)?.[0];
  const [first, last] = [named('first'), named('last')];
  const given = (name: string | undefined): name is string =>
    name !== undefined && listValue(bindings.get(name), args.values, name) != null;
  // An explicit argument overrides the other one's default.
  const asked = (name: string): boolean => args.values[name] != null && args.mentions(name);
  if (given(first) && given(last) && asked(first) && asked(last))
    throw graphErrors.create('GRAPH_PAGE_DIRECTIONS', {
      message: `"${first}" and "${last}" cannot be asked for at once.`,
    });
  const size = given(last) && !(given(first) && asked(first)) ? last : given(first) ? first : undefined;
  if (size === undefined) return undefined;
  checkPageSize(size, listValue(bindings.get(size), args.values, size) as number, env);
  return { size, backwards: size === last };
}

/** @throws ProductError GRAPH_PAGE_DIRECTIONS without a page size */
function pageOf({ page }: Connection): Page {
  if (page === undefined) throw graphErrors.create('GRAPH_PAGE_DIRECTIONS', { message: 'The page has no size.' });
  return page;
}

function sizeOf(connection: Connection, values: ArgumentValues): number {
  const { env, bindings } = connection;
  const { size } = pageOf(connection);
  return checkPageSize(size, listValue(bindings.get(size), values, size) as number, env);
}

/** Rejects a cursor of another list, whichever fields are selected. */
function checkCursors(connection: Connection): void {
  for (const name of ['after', 'before'] as const) {
    if (connection.args.values[name] != null) readCursor(connection.args.values, name, source(connection).orderBy);
  }
}
