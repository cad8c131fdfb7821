// Maps the fields of input objects to the entity fields they write, through nested inputs. Computed once at start-up.
import { didYouMean } from '@lockstitch/kernel';
import {
  type ASTNode,
  getNamedType,
  getNullableType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isAbstractType,
  isInputObjectType,
  isListType,
  type GraphQLSchema,
} from 'graphql';
import {
  entityOf,
  type ColumnField,
  type Entity,
  type Field,
  type RelationField,
  isStoredField,
} from '../schema/model.ts';
import { plural } from '../schema/names.ts';
import { CLIENT_MUTATION_ID } from '../schema/payloads.ts';

/** What one input field writes. */
export type InputBinding =
  | { readonly kind: 'column'; readonly field: ColumnField }
  /** Keys of existing objects; they replace the current ones. */
  | { readonly kind: 'keys'; readonly field: RelationField; readonly list: boolean }
  /** The operations that the input offers of `{ create, connect, disconnect, set, delete }`. */
  | { readonly kind: 'nested'; readonly field: RelationField; readonly input: GraphQLInputObjectType }
  /** The values of one or several new objects. */
  | {
      readonly kind: 'create';
      readonly field: RelationField;
      readonly input: GraphQLInputObjectType;
      readonly list: boolean;
    }
  /** An object of an interface or union by type and key: `{ Photo: "1" }`. A list replaces the current objects. */
  | { readonly kind: 'member'; readonly field: RelationField; readonly list: boolean }
  /** `{ connect, disconnect, set }` of such objects. */
  | { readonly kind: 'members'; readonly field: RelationField };

/** Input field → what it writes. */
export type InputMap = ReadonlyMap<string, InputBinding>;

interface MapContext {
  readonly schema: GraphQLSchema;
  readonly entities: ReadonlyMap<string, Entity>;
}

interface MapMistake {
  readonly problem: string;
  readonly remedy: string;
  /** Location of the mistake; undefined: the field that uses the input. */
  readonly node?: ASTNode | undefined;
}

/** Operations of nested inputs. */
export const NESTED_WORDS = ['create', 'connect', 'disconnect', 'set', 'delete'] as const;
const NESTED = new Set<string>(NESTED_WORDS);

type Maps = WeakMap<GraphQLInputObjectType, Map<Entity, InputMap>>;

const maps: Maps = new WeakMap();
/** Of inputs whose node id says which object is written. */
const mapsBesideId: Maps = new WeakMap();

/**
 * Maps the fields of an input object to those of an entity.
 *
 * @param idMember a field that says which object is written, and writes nothing itself
 */
export function mapInput(
  input: GraphQLInputObjectType,
  entity: Entity,
  context: MapContext,
  idMember?: string,
): InputMap | MapMistake {
  const cache = idMember === undefined ? maps : mapsBesideId;
  let known = cache.get(input);
  if (known === undefined) cache.set(input, (known = new Map()));
  const cached = known.get(entity);
  if (cached !== undefined) return cached;
  const map = new Map<string, InputBinding>();
  // An input may contain itself, so the map is cached before its fields are read.
  known.set(entity, map);
  for (const field of Object.values(input.getFields())) {
    if (field.name === idMember) continue;
    // It belongs to the payload.
    if (field.name === CLIENT_MUTATION_ID && !entity.fields.has(field.name)) continue;
    const binding = mapField(field, entity, context);
    if ('problem' in binding) {
      known.delete(entity);
      return at(field, binding);
    }
    map.set(field.name, binding);
  }
  return map;
}

/** Maps an input field or argument to the entity field it writes. */
export function mapField(
  source: { readonly name: string; readonly type: GraphQLInputType },
  entity: Entity,
  context: MapContext,
): InputBinding | MapMistake {
  const named = getNamedType(source.type);
  const list = isListType(getNullableType(source.type));
  const field = entity.fields.get(source.name);
  const relation = field === undefined ? relationNamed(source.name, entity, context) : asRelation(field);
  const closed = readOnlyEnd(field ?? relation, context);
  if (closed !== undefined)
    return mistake(
      `"${source.name}" cannot be written: ${closed} is @readOnly.`,
      'Leave it out, or answer the mutation with a resolver.',
    );
  if (field?.kind === 'column' && field.name === entity.softDelete?.field)
    return mistake(
      `"${source.name}" cannot be written: ${entity.name}.${field.name} is set by deletions.`,
      `Leave it out; a mutation called delete${entity.name} sets it, and restore${entity.name} clears it.`,
    );
  if (field?.kind === 'column') {
    const isJson = field.storage === 'json';
    if (named.name !== field.typeName && !isJson)
      return mistake(
        `"${source.name}" is ${String(source.type)}, and ${entity.name}.${field.name} holds ${field.typeName}.`,
        `Write ${source.name}: ${field.typeName}.`,
      );
    if (list !== field.list)
      return mistake(
        `"${source.name}" is ${String(source.type)}, and ${entity.name}.${field.name} ${field.list ? 'is a list' : 'is one value'}.`,
        'Make both the same.',
      );
    return { kind: 'column', field };
  }
  if (field?.kind === 'resolver')
    return mistake(
      `"${source.name}" cannot be written: ${entity.name}.${field.name} is answered by a resolver, and nothing of it is stored.`,
      'Leave it out, or answer the mutation with a resolver too.',
    );
  if (field?.kind === 'nodeId')
    return mistake(
      `"${source.name}" cannot be written: ${entity.name}.${field.name} is made from the key.`,
      'Leave it out; updates and deletes take it in place of the key, as an argument or in a single input.',
    );
  if (field?.kind === 'form')
    return mistake(
      `"${source.name}" cannot be written: ${entity.name}.${field.name} is another form of ${entity.name}.${field.of}.`,
      `Name it "${field.of}".`,
    );
  if (relation === undefined)
    return mistake(
      `"${source.name}" is no field of ${entity.name}.${didYouMean(source.name, entity.fields.keys())}`,
      'Name it like the field it writes, or answer the mutation with a resolver.',
    );
  const target = context.entities.get(relation.target);
  if (target === undefined) return mapMember(source, relation, list, context);
  if (!isInputObjectType(named)) return mapKeys(source, relation, list, context);
  const words = Object.keys(named.getFields());
  const nested = words.length > 0 && words.every((word) => NESTED.has(word));
  if (nested) return checkNested(named, relation, target, context) ?? { kind: 'nested', field: relation, input: named };
  if (list !== relation.many)
    return mistake(
      `"${source.name}" is ${String(source.type)}, and ${entity.name}.${relation.name} ${relation.many ? 'is a list' : 'is one object'}.`,
      'Make both the same.',
    );
  return checkCreated(named, relation, target, context) ?? { kind: 'create', field: relation, input: named, list };
}

function asRelation(field: Field): RelationField | undefined {
  return field.kind === 'relation' ? field : undefined;
}

/** What cannot be written of a field: itself, or the type that stores its relation. */
function readOnlyEnd(field: Field | undefined, { entities }: MapContext): string | undefined {
  if (!isStoredField(field)) return undefined;
  if (field.readOnly) return field.name;
  if (field.kind === 'column' || field.storage.kind !== 'inverse') return undefined;
  const target = entities.get(field.target);
  const back = target?.fields.get(field.storage.field);
  return target?.readOnly === true || (back?.kind === 'relation' && back.readOnly)
    ? `${field.target}.${field.storage.field}`
    : undefined;
}

function mapKeys(
  source: { readonly name: string; readonly type: GraphQLInputType },
  relation: RelationField,
  list: boolean,
  context: MapContext,
): InputBinding | MapMistake {
  const target = entityOf(context, relation.target);
  const named = getNamedType(source.type);
  if (named.name !== target.key.typeName)
    return mistake(
      `"${source.name}" is ${String(source.type)}, and the key of ${target.name} is ${target.key.typeName}.`,
      `Write ${source.name}: ${list ? `[${target.key.typeName}!]` : target.key.typeName}.`,
    );
  if (list !== relation.many)
    return mistake(
      `"${source.name}" is ${String(source.type)}, and ${relation.name} ${relation.many ? 'is a list' : 'is one object'}.`,
      'Make both the same.',
    );
  return { kind: 'keys', field: relation, list };
}

/** Operations on a list of an interface or union. */
export const MEMBER_WORDS = ['connect', 'disconnect', 'set'] as const;

function mapMember(
  source: { readonly name: string; readonly type: GraphQLInputType },
  relation: RelationField,
  list: boolean,
  context: MapContext,
): InputBinding | MapMistake {
  const named = getNamedType(source.type);
  const target = context.schema.getType(relation.target);
  const members = isAbstractType(target) ? context.schema.getPossibleTypes(target).map(({ name }) => name) : [];
  const shape = members.map((name) => `${name}: ${entityOf(context, name).key.typeName}`).join(' ');
  const remedy = `Take an input object that names one: input ${relation.target}Key @oneOf { ${shape} }${relation.many ? ', and a list of it' : ''}.`;
  if (!isInputObjectType(named))
    return mistake(
      `"${source.name}" leads to ${relation.target}, and ${String(source.type)} does not say which of its types.`,
      remedy,
    );
  const fields = Object.values(named.getFields());
  const words = new Set<string>(MEMBER_WORDS);
  if (relation.many && !list && fields.every(({ name }) => words.has(name))) {
    for (const field of fields) {
      const binding = mapMember(field, relation, isListType(getNullableType(field.type)), context);
      if ('problem' in binding) return at(field, binding);
      if (binding.kind !== 'member' || !binding.list)
        return at(field, mistake(`"${named.name}.${field.name}" is ${String(field.type)}.`, remedy));
    }
    return { kind: 'members', field: relation };
  }
  const wrong = fields.find(
    ({ name, type }) =>
      !members.includes(name) || String(getNullableType(type)) !== entityOf(context, name).key.typeName,
  );
  if (wrong !== undefined)
    return at(
      wrong,
      mistake(`"${named.name}.${wrong.name}: ${String(wrong.type)}" names no ${relation.target}.`, remedy),
    );
  if (list !== relation.many)
    return mistake(
      `"${source.name}" is ${String(source.type)}, and ${relation.name} ${relation.many ? 'is a list' : 'is one object'}.`,
      'Make both the same.',
    );
  return { kind: 'member', field: relation, list };
}

function checkNested(
  input: GraphQLInputObjectType,
  relation: RelationField,
  target: Entity,
  context: MapContext,
): MapMistake | undefined {
  for (const field of Object.values(input.getFields())) {
    const named = getNamedType(field.type);
    if (field.name === 'create') {
      if (!isInputObjectType(named))
        return at(
          field,
          mistake(
            `"${input.name}.create" is ${String(field.type)}.`,
            `Make it an input object with the fields of ${target.name}.`,
          ),
        );
      const wrong = checkCreated(named, relation, target, context);
      if (wrong !== undefined) return wrong;
    } else if (named.name !== target.key.typeName && named.name !== 'Boolean') {
      return at(
        field,
        mistake(
          `"${input.name}.${field.name}" is ${String(field.type)}, and the key of ${target.name} is ${target.key.typeName}.`,
          `Write ${field.name}: ${relation.many ? `[${target.key.typeName}!]` : target.key.typeName}.`,
        ),
      );
    }
  }
  return undefined;
}

function checkCreated(
  input: GraphQLInputObjectType,
  relation: RelationField,
  target: Entity,
  context: MapContext,
): MapMistake | undefined {
  if (target.readOnly)
    return at(
      input,
      mistake(`${input.name} cannot create objects of ${target.name}, which is @readOnly.`, 'Take it out.'),
    );
  const map = mapInput(input, target, context);
  if ('problem' in map) return { ...map, problem: `${input.name}: ${map.problem}` };
  // The inverse field is set to the parent object.
  const missing = checkRequired(map, target, relation.inverse);
  if (missing === undefined) return undefined;
  return at(
    input,
    mistake(
      `${input.name} cannot create objects of ${target.name}: the field "${missing}" is non-null, has no default and is not in it.`,
      `Add ${missing}, give it a @default, or make it nullable.`,
    ),
  );
}

/** The first required field that the values lack. */
export function checkRequired(values: InputMap, entity: Entity, given?: string): string | undefined {
  const filled = new Set([...values.values()].map((binding) => binding.field.name));
  if (given !== undefined) filled.add(given);
  for (const field of entity.fields.values()) {
    if (filled.has(field.name) || !isStoredField(field) || field.readOnly || field.nullable) continue;
    if (field.kind === 'column' && field.default !== undefined) continue;
    if (field.kind === 'relation' && field.storage.kind !== 'foreignKey' && field.storage.kind !== 'polymorphic')
      continue;
    return field.name;
  }
  return undefined;
}

function relationNamed(name: string, entity: Entity, context: MapContext): RelationField | undefined {
  for (const field of entity.fields.values()) {
    if (field.kind !== 'relation') continue;
    const target = context.entities.get(field.target);
    if (target !== undefined && namesFor(field.name, target.key.name, false).has(name.toLowerCase())) return field;
  }
  return undefined;
}

/**
 * Lower-case names of a key: for Photo.id `photoid`, `photo`, `photoids`, and with `bare` also `id` and `ids`; for the
 * relation taggedUsers `taggeduserid`, `taggeduserids` and so on.
 */
export function namesFor(owner: string, key: string, bare: boolean): ReadonlySet<string> {
  const names = new Set<string>();
  const lower = owner.toLowerCase();
  const singulars = [lower, lower.replace(/ies$/, 'y'), lower.replace(/es$/, ''), lower.replace(/s$/, '')];
  for (const word of singulars) {
    for (const end of ['', 'id', 'ids', 'key', 'keys', key.toLowerCase(), plural(key).toLowerCase()])
      names.add(word + end);
  }
  names.add(plural(lower));
  if (bare) {
    names.add(key.toLowerCase());
    names.add(plural(key).toLowerCase());
  }
  return names;
}

/** Adds the location to a mistake, unless it has a more specific one. */
function at(place: { readonly astNode?: ASTNode | null | undefined }, found: MapMistake): MapMistake {
  return { ...found, node: found.node ?? place.astNode ?? undefined };
}

function mistake(problem: string, remedy: string): MapMistake {
  return { problem, remedy };
}
