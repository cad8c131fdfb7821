// Selects aggregates of rows, and of groups of rows, in one statement: the rows that the caller may read, their groups
// with the aggregates, and of those the page that `having` and `orderBy` choose. Values that the caller may not read are
// null, so no aggregate contains them.
import { getNamedType, isScalarType, type FieldNode } from 'graphql';
import { graphErrors } from '../errors.ts';
import { aggregateFunction, aggregateType, type AggregateFunction } from '../schema/aggregate-types.ts';
import { declaredField, objectType } from '../schema/declared-field.ts';
import type { ArgumentBindings, ColumnField, Entity, Storage } from '../schema/model.ts';
import { storageOfScalar } from '../schema/scalars.ts';
import {
  and,
  type Expr,
  type Json,
  type JsonFormat,
  type JsonMember,
  type OrderTerm,
  type Select,
  type ValueForm,
} from '../sql/sql.ts';
import { countKind } from '../sql/tree.ts';
import { timeZoneName } from '../store/local-time.ts';
import { asArray, entriesAt, type Path } from './argument-path.ts';
import { collectFields, selectionSetsOf } from './collect-fields.ts';
import { readColumnFilter } from './column-filter.ts';
import { readConditions } from './conditions.ts';
import { guarded } from './operands.ts';
import { isConstant, listValue, readPage } from './read-list.ts';
import { NotCompilable, type Environment } from './environment.ts';
import type { FieldArguments } from './field-arguments.ts';
import { keyAt, keysAt, missingKey, readGroupKeys, type GroupKey, type GroupKeys } from './group-keys.ts';
import { beforeDeadline, type RelatedRows, type RowScope } from './rows.ts';
import { formatOf } from './json-format.ts';
import { TYPE_KEY } from './prefetch-keys.ts';
import { valuePatternOf } from './response-check.ts';
import { first, membersIn, required } from '../present.ts';

/** A field that returns aggregates. */
export interface AggregateField {
  readonly bindings: ArgumentBindings;
  readonly args: FieldArguments;
  readonly nodes: readonly FieldNode[];
  /** The type that it returns: `PhotoAggregates`, `PhotoGroup`. */
  readonly typeName: string;
}

/** Selects the aggregates of all rows. */
export function selectAggregates(env: Environment, rows: readonly RelatedRows[], field: AggregateField): Json {
  const groups = new Groups(
    env,
    rows.map((each) => ({ rows: each, keys: NO_KEYS })),
  );
  const alias = env.aliases.take();
  const element = groups.object(field.typeName, field.nodes, alias);
  const from = { kind: 'query', select: groups.select(field, undefined), alias } as const;
  return { kind: 'one', rows: { columns: [], from }, element, missing: 'null' };
}

const NO_KEYS: GroupKeys = { keys: [], joins: [] };

/** Selects groups of rows. */
export function selectGroups(env: Environment, rows: readonly RelatedRows[], field: AggregateField): Json {
  const { bindings, args } = field;
  const named = (kind: 'groupBy' | 'having' | 'orderBy' | 'timeZone'): string | undefined =>
    [...bindings].find(([, binding]) => binding.kind === kind)?.[0];
  const groupBy = args.values[named('groupBy') ?? ''];
  const groups = new Groups(
    env,
    rows.map((each) => ({ rows: each, keys: readGroupKeys(env, each, groupBy) })),
  );
  const alias = env.aliases.take();
  const having = named('having');
  const where = having === undefined ? undefined : groups.having(args, [having], alias);
  const order = named('orderBy') ?? '';
  const orderBy = asArray(listValue(bindings.get(order), args.values, order)).flatMap((each) =>
    groups.order(membersIn(each), alias),
  );
  const element = groups.object(field.typeName, field.nodes, `${alias}r`);
  const inner = groups.select(field, named('timeZone'));
  const page: Select = {
    columns: inner.columns.map(({ as }) => ({ expr: { kind: 'column', from: alias, column: as }, as })),
    from: { kind: 'query', select: inner, alias },
    where: where && timely(where),
    orderBy: [...orderBy, ...groups.keyOrder(alias)],
    ...readPage(env, bindings, args),
  };
  return { kind: 'list', rows: page, element };
}

/** An aggregate among the columns of the groups. */
interface Aggregate {
  readonly as: string;
  readonly expr: Expr;
  readonly typeName: string;
  readonly storage: Storage;
  readonly nullable: boolean;
  readonly form: ValueForm | undefined;
}

/** The rows of one stored type, and what forms their groups. */
interface Member {
  readonly rows: RelatedRows;
  readonly keys: GroupKeys;
}

/**
 * The groups of a statement under construction: collects the columns that its parts use. Of an interface or union there
 * are several members, whose keys and values are alike.
 */
class Groups {
  readonly #env: Environment;
  readonly #members: readonly Member[];
  /** Alias of the rows inside of the groups. */
  readonly #inner: string;
  /** Field → its column among the rows. */
  readonly #values = new Map<string, string>();
  readonly #aggregates = new Map<string, Aggregate>();

  constructor(env: Environment, members: readonly Member[]) {
    this.#env = env;
    this.#members = members;
    this.#inner = env.aliases.take();
  }

  /** The keys, as the first type has them. */
  get #keys(): readonly GroupKey[] {
    return first(this.#members).keys.keys;
  }

  /** The field of each type. */
  #fieldsOf(name: string): readonly { readonly scope: RowScope; readonly field: ColumnField }[] {
    return this.#members.map(({ rows: { scope } }) => {
      const field = scope.entity.fields.get(name);
      if (field?.kind !== 'column') throw new Error(`${scope.entity.name}.${name} has no aggregates.`);
      return { scope, field };
    });
  }

  /** An object of the response; `alias` has the columns of the groups. */
  object(typeName: string, nodes: readonly FieldNode[], alias: string): Json {
    return this.#object(typeName, nodes, (name, selected) => {
      if (name === 'count') return this.#value(this.#count(), alias);
      const inner = getNamedType(declaredField(this.#env.schema, typeName, name).type).name;
      if (name === 'keys') return this.#keysObject(inner, selected, [], alias);
      const of = aggregateFunction(name);
      return this.#object(inner, selected, (field) => this.#value(this.#aggregate(of, field), alias));
    });
  }

  #object(
    typeName: string,
    nodes: readonly FieldNode[],
    select: (name: string, nodes: readonly FieldNode[]) => Json,
  ): Json {
    const env = this.#env;
    const members: JsonMember[] = [];
    const type: Json = { kind: 'constant', text: `"${typeName}"` };
    for (const [key, selected] of collectFields(env, objectType(env.schema, typeName), selectionSetsOf(nodes))) {
      const { value: name } = first(selected).name;
      members.push({ key, value: name === '__typename' ? type : select(name, selected) });
    }
    if (env.mode === 'prefetch') members.push({ key: TYPE_KEY, value: type });
    return { kind: 'object', members };
  }

  #keysObject(typeName: string, nodes: readonly FieldNode[], path: readonly string[], alias: string): Json {
    const env = this.#env;
    const keys = this.#keys;
    return this.#object(typeName, nodes, (name, selected) => {
      const here = [...path, name];
      const definition = declaredField(env.schema, typeName, name);
      const inner = getNamedType(definition.type);
      if ('getFields' in inner) {
        if (!keys.some((key) => here.every((step, index) => key.path[index] === step))) throw missingKey(here);
        return this.#keysObject(inner.name, selected, here, alias);
      }
      const args = env.argumentsOf(definition, first(selected));
      const key = keyAt(keys, here, args?.values['part']);
      return this.#printed(keyColumn(key, alias), this.#keyType(key));
    });
  }

  /** How a key is printed. */
  #keyType({ as, part }: GroupKey): Omit<Aggregate, 'as' | 'expr'> {
    if (part !== undefined) return { typeName: 'String', storage: 'text', nullable: true, form: undefined };
    const keys = this.#members.flatMap(({ keys: own }) => own.keys.filter((key) => key.as === as));
    const { field } = first(keys);
    return this.#typeOf(keys, field.typeName, commonStorage(keys));
  }

  /** @param columns those of each type */
  #typeOf(
    columns: readonly { readonly entity: Entity; readonly field: ColumnField }[],
    typeName: string,
    storage: Storage,
  ): Omit<Aggregate, 'as' | 'expr'> {
    const env = this.#env;
    const type = env.schema.getType(typeName);
    const pattern =
      env.mode === 'whole' && type !== undefined && 'coerceOutputValue' in type ? valuePatternOf(type) : undefined;
    const format = formatOf({ typeName, storage });
    if (pattern === undefined || pattern === '') return { typeName, storage, nullable: true, form: undefined };
    const forms = columns.map(({ entity: { table, key }, field: { column } }): ValueForm => {
      return { pattern, table, column, key: key.column, format };
    });
    return { typeName, storage, nullable: true, form: { ...first(forms), others: forms.slice(1) } };
  }

  #value({ as, ...type }: Aggregate, alias: string): Json {
    return this.#printed({ kind: 'column', from: alias, column: as }, type);
  }

  #printed(expr: Expr, { typeName, storage, nullable, form }: Omit<Aggregate, 'as' | 'expr'>): Json {
    const env = this.#env;
    if (env.mode === 'whole' && env.model.customScalars.has(typeName))
      throw new NotCompilable(`${typeName} is printed by JavaScript`);
    const format: JsonFormat = formatOf({ typeName, storage });
    return { kind: 'value', expr, format, nullable, ...(form && { form }) };
  }

  #count(): Aggregate {
    return this.#add('count', {
      expr: { kind: 'aggregate', of: 'count', storage: 'integer' },
      typeName: 'Int',
      storage: 'integer',
      nullable: false,
      form: undefined,
    });
  }

  #aggregate(of: AggregateFunction, name: string): Aggregate {
    const known = this.#aggregates.get(`${of}.${name}`);
    if (known !== undefined) return known;
    const columns = this.#fieldsOf(name).map(({ scope: { entity }, field: own }) => ({ entity, field: own }));
    const { field } = first(columns);
    const common = commonStorage(columns);
    const typeName = aggregateType(of, field.typeName) ?? field.typeName;
    const scalar = isScalarType(this.#env.schema.getType(typeName))
      ? storageOfScalar(typeName, this.#env.model.customScalars.has(typeName))
      : undefined;
    const storage = of === 'min' || of === 'max' ? common : (scalar ?? common);
    const operand: Expr = { kind: 'column', from: this.#inner, column: this.#columnOf(field) };
    const isWide = field.typeName === 'BigInt';
    return this.#add(`${of}.${name}`, {
      ...this.#typeOf(columns, typeName, storage),
      expr: { kind: 'aggregate', of, operand, storage: common, isWide },
      ...(of === 'countDistinct' ? { nullable: false, form: undefined } : {}),
    });
  }

  #add(name: string, aggregate: Omit<Aggregate, 'as'>): Aggregate {
    const known = this.#aggregates.get(name);
    if (known !== undefined) return known;
    const added = { ...aggregate, as: `aggregate_${this.#aggregates.size}` };
    this.#aggregates.set(name, added);
    return added;
  }

  /** The column of a field among the rows. */
  #columnOf(field: ColumnField): string {
    const as = this.#values.get(field.name) ?? `value_${this.#values.size}`;
    this.#values.set(field.name, as);
    return as;
  }

  /** The conditions of a `having` argument; undefined: none. */
  having(args: FieldArguments, path: Path, alias: string): Expr | undefined {
    return entriesAt(args.values, path).length === 0 ? undefined : this.#having(args, path, alias);
  }

  #having(args: FieldArguments, path: Path, alias: string): Expr {
    const conditions: Expr[] = [];
    const compare = ({ as, typeName, storage }: Aggregate, here: Path): readonly Expr[] =>
      readColumnFilter(
        this.#env,
        { kind: 'column', from: alias, column: as },
        { typeName, storage, list: false },
        args,
        here,
      );
    for (const [name, value] of entriesAt(args.values, path)) {
      if (value === null || value === undefined) continue;
      const here = [...path, name];
      if (name === 'and' || name === 'or')
        conditions.push({
          kind: name,
          operands: asArray(value).map((_, index) => this.#having(args, [...here, index], alias)),
        });
      else if (name === 'not') conditions.push({ kind: 'isNotTrue', operand: this.#having(args, here, alias) });
      else if (name === 'count') conditions.push(...compare(this.#count(), here));
      else
        for (const [field, filter] of Object.entries(membersIn(value)))
          if (filter != null)
            conditions.push(...compare(this.#aggregate(aggregateFunction(name), field), [...here, field]));
    }
    return { kind: 'and', operands: conditions };
  }

  /** One element of the `orderBy` argument (@oneOf). */
  order(value: Readonly<Record<string, unknown>>, alias: string): readonly OrderTerm[] {
    const [name, inner] = first(Object.entries(value));
    if (name === 'keys') return this.#keyTerms(inner, [], alias);
    const [field, direction] = name === 'count' ? ['', inner] : first(Object.entries(membersIn(inner)));
    const aggregate = name === 'count' ? this.#count() : this.#aggregate(aggregateFunction(name), field);
    const { as, nullable, storage } = aggregate;
    return [{ expr: { kind: 'column', from: alias, column: as }, descending: direction === 'DESC', nullable, storage }];
  }

  #keyTerms(value: unknown, path: readonly string[], alias: string): readonly OrderTerm[] {
    const [name, inner] = first(Object.entries(membersIn(value)));
    const here = [...path, name];
    if (typeof inner === 'object') return this.#keyTerms(inner, here, alias);
    const found = keysAt(this.#keys, here);
    if (found.length === 0) throw missingKey(here);
    return found.map((key) => this.#keyTerm(key, alias, inner === 'DESC'));
  }

  #keyTerm(key: GroupKey, alias: string, descending: boolean): OrderTerm {
    return { expr: keyColumn(key, alias), descending, nullable: true, storage: this.#keyType(key).storage };
  }

  /** The order that settles ties. */
  keyOrder(alias: string): readonly OrderTerm[] {
    return this.#keys.map((key) => this.#keyTerm(key, alias, false));
  }

  /** The groups, with all columns that were used. */
  select({ bindings, args }: AggregateField, timeZone: string | undefined): Select {
    const keys = this.#keys;
    // Others take no longer than a scan or sort of a list, and a check would make them slower by a tenth to a half.
    const isLong =
      keys.length + this.#values.size + keys.filter(({ part }) => part !== undefined).length > 2 ||
      [...this.#aggregates.values()].some(({ expr }) => isSlow(expr));
    const arms = this.#members.map((member) => this.#arm(member, bindings, args, isLong));
    const alias = this.#inner;
    const zone = timeZone === undefined ? undefined : readTimeZone(args, timeZone);
    return {
      columns: [
        ...keys.map((key) => ({ expr: groupedBy(key, this.#inner, zone), as: key.as })),
        ...[...this.#aggregates.values()].map(({ expr, as }) => ({ expr, as })),
        ...(keys.length + this.#aggregates.size === 0 ? [{ expr: COUNT, as: 'aggregate_0' }] : []),
      ],
      from: arms.length === 1 ? { kind: 'query', select: first(arms), alias } : { kind: 'union', arms, alias },
      groupBy: keys.length,
    };
  }

  /** The rows of one type, with the values of keys and aggregates. */
  #arm(
    { rows, keys: { keys, joins } }: Member,
    bindings: ArgumentBindings,
    args: FieldArguments,
    isLong: boolean,
  ): Select {
    const env = this.#env;
    const { from, joins: ownJoins, where, scope } = rows;
    const columns = keys.map(({ field, value, as }) => {
      const alike = this.#members.flatMap(({ keys: own }) => own.keys.filter((key) => key.as === as));
      return { expr: inStorage(value, field.storage, commonStorage(alike)), as };
    });
    for (const [name, as] of this.#values) {
      const fields = this.#fieldsOf(name);
      const { column, storage } = required(fields.find((each) => each.scope === scope)?.field, name);
      const value = guarded(env, scope, name, scope.column(column));
      columns.push({ expr: inStorage(value, storage, commonStorage(fields)), as });
    }
    if (columns.length === 0) columns.push({ expr: { kind: 'literal', value: 1 }, as: 'one' });
    const checked = isLong ? beforeDeadline(scope, false) : undefined;
    return {
      columns,
      from,
      joins: [...ownJoins, ...joins],
      where: and(checked, where, env.view.rows(scope), readConditions(env, scope, bindings, args)),
    };
  }
}

/** How the values of several types are compared: keys of different storage as texts. */
function commonStorage(columns: readonly { readonly field: ColumnField }[]): Storage {
  const { storage } = first(columns).field;
  return columns.every(({ field }) => field.storage === storage) ? storage : 'text';
}

function inStorage(operand: Expr, own: Storage, common: Storage): Expr {
  return own === common ? operand : { kind: 'cast', to: 'text', operand };
}

/** Whether SQLite needs an index of its own, or JavaScript, for each row. */
function isSlow(expr: Expr): boolean {
  if (expr.kind !== 'aggregate') return false;
  const { of, storage } = expr;
  return of === 'countDistinct' || ((of === 'sum' || of === 'avg') && storage !== 'integer');
}

/** Conditions on aggregates that take a group less time than a check of the deadline. */
const QUICK = 20;

function timely(having: Expr): Expr | undefined {
  if (countKind(having, 'column') <= QUICK) return having;
  return and({ kind: 'beforeDeadline', sample: { by: { kind: 'literal', value: 1 }, isInteger: false } }, having);
}

const COUNT: Expr = { kind: 'aggregate', of: 'count', storage: 'integer' };

/** The value of a row that its group is formed by. */
function groupedBy({ as, part }: GroupKey, alias: string, zone: Expr | undefined): Expr {
  const operand: Expr = { kind: 'column', from: alias, column: as };
  if (part === undefined) return operand;
  return {
    kind: 'timePart',
    part: part.name,
    time: part.time,
    operand,
    zone: part.time === 'instant' && part.name !== 'EXACT' ? zone : undefined,
  };
}

function keyColumn({ as }: GroupKey, alias: string): Expr {
  return { kind: 'column', from: alias, column: as };
}

/** The time zone as a bound value; undefined: UTC in every request. */
function readTimeZone(args: FieldArguments, name: string): Expr | undefined {
  const zone = args.parameter(name, 'text', (values) => {
    const asked = values[name];
    const given = typeof asked === 'string' ? asked : 'UTC';
    const known = timeZoneName(given);
    if (known === undefined) throw graphErrors.create('GRAPH_TIME_ZONE_UNKNOWN', { argument: name, value: given });
    return known;
  });
  return isConstant(zone, 'UTC') ? undefined : zone;
}
