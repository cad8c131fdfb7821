// Converts the derived filter of a column to conditions: of a scalar or enum, a list, an embedded object. Filters are
// two-valued: `ne`, `notIn` and `not` hold exactly where the positive form does not. Not here: relations and read rules
// (conditions.ts).
import { isKeyOf } from '@lockstitch/kernel';
import { getNamedType, getNullableType, isListType, isObjectType, type GraphQLObjectType } from 'graphql';
import { graphErrors } from '../errors.ts';
import type { ColumnField, Storage } from '../schema/model.ts';
import { storageOfScalar } from '../schema/scalars.ts';
import type { Expr, From } from '../sql/sql.ts';
import { asArray, at, entriesAt, type ConditionArguments, type Path } from './argument-path.ts';
import { isStorable, isStorableTime, toBound, toBoundElements, toBoundList } from './bound-value.ts';
import type { Environment } from './environment.ts';
import { readJsonFilter } from './json-filter.ts';
import { readRelativeTime } from './relative-time.ts';
import { readTextOperator } from './text-operator.ts';

/** The filtered value: a column, or a field of an embedded object. */
export type Filtered = Pick<ColumnField, 'typeName' | 'storage' | 'list'>;

/** The conditions of the filter at `path`. */
export function readColumnFilter(
  env: Environment,
  operand: Expr,
  filtered: Filtered,
  args: ConditionArguments,
  path: Path,
): readonly Expr[] {
  const type = env.schema.getType(filtered.typeName);
  if (isObjectType(type))
    return filtered.list
      ? readObjectListFilter(env, operand, type, args, path)
      : [readObjectFilter(env, operand, type, args, path)];
  if (filtered.typeName === 'JSON' && !filtered.list) return readJsonFilter(operand, args, path);
  return filtered.list
    ? readListFilter(env, operand, filtered, args, path)
    : readScalarFilter(env, operand, filtered, args, path);
}

const COMPARISONS = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

function readScalarFilter(
  env: Environment,
  operand: Expr,
  filtered: Filtered,
  args: ConditionArguments,
  path: Path,
): readonly Expr[] {
  const { storage } = filtered;
  const bind = (here: Path, compares = false): Expr =>
    args.parameter(here.join('.'), storage, (values) => {
      const value = at(values, here);
      if (compares) checkComparable(value, storage, here.join('.'));
      return toBound(env.schema, filtered, value);
    });
  const text: Expr = storage === 'text' ? operand : { kind: 'cast', to: 'text', operand };
  const conditions: Expr[] = [];
  for (const [operator, value] of entriesAt(args.values, path)) {
    const here = [...path, operator];
    const equality = readEquality(operator, value, operand, () => ({
      kind: 'compare',
      operator: '=',
      left: operand,
      right: bind(here),
      storage,
    }));
    if (equality !== undefined) conditions.push(...equality);
    else if (value === null) continue;
    else if (operator === 'relative') conditions.push(...readRelativeTime(env, operand, filtered, args, here));
    else if (operator === 'in' || operator === 'notIn') {
      const list = args.parameter(here.join('.'), 'json', (values) =>
        toBoundList(env.schema, filtered, asArray(at(values, here))),
      );
      const among: Expr = { kind: 'among', operand, list, storage };
      conditions.push(operator === 'in' ? among : { kind: 'isNotTrue', operand: among });
    } else if (isKeyOf(COMPARISONS, operator)) {
      conditions.push({
        kind: 'compare',
        operator: COMPARISONS[operator],
        left: operand,
        right: bind(here, true),
        storage,
      });
    } else conditions.push(readTextOperator(operator, text, args, here));
  }
  return conditions;
}

/**
 * The operators that scalars and lists share: `isNull`, `eq` and `ne`; undefined for others. `isNull: null` is no
 * condition.
 */
function readEquality(
  operator: string,
  value: unknown,
  operand: Expr,
  equals: () => Expr,
): readonly Expr[] | undefined {
  if (operator === 'isNull') return value === null ? [] : [{ kind: 'isNull', operand, negated: value === false }];
  if (operator !== 'eq' && operator !== 'ne') return undefined;
  const same: Expr = value === null ? { kind: 'isNull', operand, negated: false } : equals();
  return [operator === 'eq' ? same : { kind: 'isNotTrue', operand: same }];
}

/** The databases order values that cannot be stored differently. */
function checkComparable(value: unknown, storage: Storage, place: string): void {
  if (storage === 'text' && typeof value === 'string' && !isStorable(value)) {
    const reason = 'holds the character U+0000 or half of a surrogate pair';
    throw graphErrors.create('GRAPH_VALUE_INVALID', { place, reason });
  }
  if (storage === 'timestamp' && !isStorableTime(new Date(value as string | Date)))
    throw graphErrors.create('GRAPH_VALUE_INVALID', { place, reason: 'is no time between the years 1 and 9999' });
}

/** The filter of a list of scalars or enum values. A null list has no elements, but is not empty. */
function readListFilter(
  env: Environment,
  operand: Expr,
  { typeName }: Filtered,
  args: ConditionArguments,
  path: Path,
): readonly Expr[] {
  const bind = (here: Path): Expr =>
    args.parameter(here.join('.'), 'json', (values) =>
      toBoundElements(env.schema, typeName, asArray(at(values, here))),
    );
  const conditions: Expr[] = [];
  for (const [operator, value] of entriesAt(args.values, path)) {
    const here = [...path, operator];
    const equality = readEquality(operator, value, operand, () => ({
      kind: 'list',
      test: 'same',
      operand,
      list: bind(here),
    }));
    if (equality !== undefined) conditions.push(...equality);
    else if (value === null) continue;
    else if (operator === 'isEmpty') conditions.push({ kind: 'emptyList', operand, negated: value === false });
    else conditions.push({ kind: 'list', test: operator === 'hasEvery' ? 'every' : 'some', operand, list: bind(here) });
  }
  return conditions;
}

/** The filter of an embedded object. All fields of a null object are null. */
function readObjectFilter(
  env: Environment,
  operand: Expr,
  type: GraphQLObjectType,
  args: ConditionArguments,
  path: Path,
): Expr {
  const fields = type.getFields();
  const conditions: Expr[] = [];
  for (const [name, value] of entriesAt(args.values, path)) {
    if (value === null || value === undefined) continue;
    const here = [...path, name];
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field !== undefined) {
      const filtered = filteredAs(env, field.type);
      const member: Expr = { kind: 'member', operand, name, storage: filtered.storage };
      conditions.push(...readColumnFilter(env, member, filtered, args, here));
    } else if (name === 'isNull') conditions.push({ kind: 'isNull', operand, negated: value === false });
    else if (name === 'not')
      conditions.push({ kind: 'isNotTrue', operand: readObjectFilter(env, operand, type, args, here) });
    else {
      const operands = asArray(value).map((_, index) => readObjectFilter(env, operand, type, args, [...here, index]));
      conditions.push({ kind: name === 'or' ? 'or' : 'and', operands });
    }
  }
  return { kind: 'and', operands: conditions };
}

/** The filter of a list of embedded objects. */
function readObjectListFilter(
  env: Environment,
  operand: Expr,
  type: GraphQLObjectType,
  args: ConditionArguments,
  path: Path,
): readonly Expr[] {
  const conditions: Expr[] = [];
  const some = (here: Path, negated: boolean): Expr => {
    const alias = env.aliases.take();
    const from: From = { kind: 'elements', list: operand, storage: 'json', alias };
    const inner = readObjectFilter(env, { kind: 'column', from: alias, column: 'value' }, type, args, here);
    const where: Expr = negated ? { kind: 'isNotTrue', operand: inner } : inner;
    return {
      kind: 'exists',
      select: { columns: [{ expr: { kind: 'literal', value: 1 }, as: 'one' }], from, where },
    };
  };
  for (const [quantifier, value] of entriesAt(args.values, path)) {
    if (value === null) continue;
    const here = [...path, quantifier];
    if (quantifier === 'isNull') conditions.push({ kind: 'isNull', operand, negated: value === false });
    else if (quantifier === 'isEmpty') conditions.push({ kind: 'emptyList', operand, negated: value === false });
    else if (quantifier === 'any') conditions.push(some(here, false));
    else conditions.push({ kind: 'not', operand: some(here, quantifier === 'all') });
  }
  return conditions;
}

function filteredAs(env: Environment, type: Parameters<typeof getNamedType>[0] & object): Filtered {
  const { name: typeName } = getNamedType(type);
  const list = isListType(getNullableType(type));
  const isObject = isObjectType(env.schema.getType(typeName));
  return {
    typeName,
    list,
    storage: list || isObject ? 'json' : (storageOfScalar(typeName, env.model.customScalars.has(typeName)) ?? 'text'),
  };
}
