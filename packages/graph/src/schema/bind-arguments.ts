// Binds each argument of a list, look-up or count to its meaning, by name and type. An argument without a meaning is a
// problem that lists the choices.
import {
  getArgumentValues,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  Kind,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
} from 'graphql';
import { didYouMean } from '@lockstitch/kernel';
import type { DerivedTypes } from './derive-types.ts';
import type { ArgumentBinding, ArgumentBindings, Entity, Field } from './model.ts';
import { plural } from './names.ts';
import type { Problems } from './problems.ts';

/** Argument names with a meaning of their own; any other name filters by a field. */
const ARGUMENT_NAMES = ['first', 'start', 'sort', 'sortBy', 'where', 'orderBy', 'after', 'last', 'before', 'deleted'];

/** Inputs of argument binding. */
export interface ArgumentContext {
  readonly entities: ReadonlyMap<string, Entity>;
  readonly abstracts: ReadonlyMap<string, readonly string[]>;
  readonly derived: DerivedTypes;
  readonly problems: Problems;
}

const OTHER_NAME = `Name it like a field to filter by, or ${ARGUMENT_NAMES.join(', ')}; or answer the field with a resolver.`;

/** Why an argument has no meaning, and what to write instead. */
interface ArgumentMistake {
  readonly problem: string;
  readonly remedy: string;
}

/** Binds the arguments of a field. `target` is the entity, interface or union that the field returns. */
export function bindArguments(
  context: ArgumentContext,
  coordinate: string,
  field: Pick<GraphQLField<unknown, unknown>, 'args' | 'astNode'>,
  target: string,
): ArgumentBindings {
  const bindings = new Map<string, ArgumentBinding>();
  for (const argument of field.args) {
    const binding = bindingOf(context, argument, target);
    const mistake = typeof binding === 'string' ? { problem: binding, remedy: OTHER_NAME } : binding;
    if ('problem' in mistake)
      context.problems.add(
        argument.astNode ?? field.astNode,
        `Argument "${argument.name}: ${String(argument.type)}" of ${coordinate} ${mistake.problem}`,
        mistake.remedy,
      );
    else bindings.set(argument.name, withDefault(mistake, argument));
  }
  return bindings;
}

/** Arguments for which null means the default. */
const ORDER_OR_PAGE: ReadonlySet<ArgumentBinding['kind']> = new Set([
  'first',
  'last',
  'start',
  'sort',
  'sortBy',
  'orderBy',
  'deleted',
]);

/** The binding with the argument's default, if it has a meaning for null too. */
export function withDefault(binding: ArgumentBinding, argument: GraphQLArgument): ArgumentBinding {
  if (!ORDER_OR_PAGE.has(binding.kind) || argument.default === undefined) return binding;
  const name = { kind: Kind.NAME, value: argument.name } as const;
  const values = getArgumentValues({ args: [argument] } as unknown as GraphQLField<unknown, unknown>, {
    kind: Kind.FIELD,
    name,
  });
  return { ...binding, defaultValue: values[argument.name] } as ArgumentBinding;
}

/** The meaning of an argument, or why it has none; a text alone is about its name. */
function bindingOf(
  context: ArgumentContext,
  argument: GraphQLArgument,
  target: string,
): ArgumentBinding | ArgumentMistake | string {
  const type = getNullableType(argument.type);
  const named = getNamedType(argument.type);
  const isInt = type === named && named.name === 'Int';
  if (argument.name === 'deleted' && isEnumType(type)) return bindDeleted(context, type, target);
  switch (argument.name) {
    case 'first':
    case 'limit':
      return isInt ? { kind: 'first' } : 'must be of type Int to be a page size.';
    case 'start':
    case 'offset':
    case 'skip':
      return isInt ? { kind: 'start' } : 'must be of type Int to be a page start.';
    case 'last':
      return isInt ? { kind: 'last' } : 'must be of type Int to be a page size.';
    case 'after':
    case 'before':
      return type === named && (named.name === 'String' || named.name === 'ID')
        ? { kind: argument.name }
        : 'must be of type String to be a cursor.';
    case 'sort':
    case 'sortDirection':
      if (isEnumType(type)) return bindSort(type.getValues().map((each) => each.name));
      break;
    case 'sortBy':
      if (isEnumType(type))
        return bindSortBy(
          context,
          type.getValues().map((each) => each.name),
          target,
        );
      break;
    case 'where':
    case 'filter':
      if (isInputObjectType(type))
        return context.derived.filters.get(type.name) === target
          ? { kind: 'where' }
          : `must be of type ${target}Filter to be a filter.`;
      break;
    case 'orderBy':
      if (isInputObjectType(named) && context.derived.orders.get(named.name) === target) return { kind: 'orderBy' };
      if (isInputObjectType(named)) return `must be of type [${target}Order!] to be an order.`;
      break;
  }
  const list = isListType(type);
  const id = nodeIdNames(context, target).find((each) => isNamedLike(argument.name, each, list));
  if (id !== undefined)
    return named.name === 'ID' ? { kind: 'nodeId', field: id, list } : 'must be of type ID to be a node id.';
  const names = fieldNames(context, target);
  const name =
    names.find((each) => each === argument.name) ??
    (list ? names.find((each) => plural(each) === argument.name) : undefined);
  if (name === undefined)
    return `is not the name of a field of ${target}.${didYouMean(argument.name, [...names, ...ARGUMENT_NAMES])}`;
  if (isInputObjectType(named)) return `is an input object and cannot be compared with ${target}.${name}.`;
  return { kind: 'equals', field: name, list };
}

/** Fields that rows of the target can be compared by; for an interface or union, those that all its types have. */
function fieldNames(context: ArgumentContext, target: string): readonly string[] {
  const members = (context.abstracts.get(target) ?? [target])
    .map((name) => context.entities.get(name))
    .filter((each) => each !== undefined);
  const [first, ...rest] = members;
  if (first === undefined) return [];
  return [...first.fields.values()]
    .filter((field) => isComparable(field) && rest.every((other) => isAlike(field, other.fields.get(field.name))))
    .map((field) => field.name);
}

/** The fields with `@nodeId` that all types of the target have. */
function nodeIdNames({ entities, abstracts }: ArgumentContext, target: string): readonly string[] {
  const [first = [], ...rest] = (abstracts.get(target) ?? [target]).map((name) =>
    [...(entities.get(name)?.fields.values() ?? [])].flatMap((field) => (field.kind === 'nodeId' ? field.name : [])),
  );
  return first.filter((name) => rest.every((names) => names.includes(name)));
}

function isNamedLike(argument: string, field: string, list: boolean): boolean {
  return argument === field || (list && argument === plural(field));
}

function isAlike(one: Field, other: Field | undefined): boolean {
  if (one.kind === 'column') return other?.kind === 'column' && isComparable(other) && other.typeName === one.typeName;
  if (one.kind !== 'relation') return false;
  return other?.kind === 'relation' && isComparable(other) && other.target === one.target;
}

function isUnordered(context: ArgumentContext, target: string, name: string): boolean {
  return (context.abstracts.get(target) ?? [target]).some((type) => {
    const field = context.entities.get(type)?.fields.get(name);
    return field?.kind === 'column' && field.unordered;
  });
}

function isComparable(field: Field | undefined): boolean {
  if (field?.kind === 'column') return field.storage !== 'json';
  return field?.kind === 'relation' && field.storage.kind === 'foreignKey';
}

/** Words for deleted objects, and what they mean. */
export const DELETED_WORDS: Readonly<Record<string, 'exclude' | 'include' | 'only'>> = {
  EXCLUDE: 'exclude',
  WITHOUT: 'exclude',
  INCLUDE: 'include',
  WITH: 'include',
  ONLY: 'only',
};

function bindDeleted(
  context: ArgumentContext,
  type: GraphQLEnumType,
  target: string,
): ArgumentBinding | ArgumentMistake {
  const words = type.getValues().map(({ name }) => name);
  const wrong = words.find((word) => DELETED_WORDS[word] === undefined);
  if (wrong !== undefined)
    return {
      problem: `offers "${wrong}", which is no word for deleted objects.`,
      remedy: `Write an enum of ${Object.keys(DELETED_WORDS).join(', ')}.`,
    };
  const entity = context.entities.get(target);
  if (entity?.softDelete === undefined)
    return {
      problem: `is about deleted objects, and ${target} is no type with @entity(softDelete:).`,
      remedy: `Write @entity(softDelete: "deletedAt") on ${target}, or remove the argument.`,
    };
  if (entity.auth?.readDeleted === undefined)
    return {
      problem: 'shows deleted objects, and no rule says to whom.',
      remedy: `Write @auth(readDeleted: "hasRole('ADMIN')") on ${target}.`,
    };
  return { kind: 'deleted' };
}

function bindSort(values: readonly string[]): ArgumentBinding | string {
  const descending = values.find((value) => /^desc/i.test(value));
  const ascending = values.find((value) => /^asc/i.test(value));
  if (values.length !== 2 || descending === undefined || ascending === undefined)
    return 'must be of an enum of two values, ASCENDING and DESCENDING, to be a sort direction.';
  return { kind: 'sort', descending };
}

function bindSortBy(context: ArgumentContext, values: readonly string[], target: string): ArgumentBinding | string {
  const names = fieldNames(context, target);
  const wrong = values.find((value) => !names.includes(value));
  const custom = values.find((value) => isUnordered(context, target, value));
  if (wrong === undefined && custom !== undefined)
    return `offers "${custom}", whose values have no known order: the scalar is the application's own. If its texts sort correctly, write "scalar … @ordered"; exact numbers are the scalar Decimal.`;
  if (wrong === undefined) return { kind: 'sortBy' };
  return `offers "${wrong}", which is not a field of ${target} that can be sorted by.${didYouMean(wrong, names)}`;
}
