// Reads the shape of a mutation field: which argument is the key, the values, the version, or the object to connect.
// Computed once at start-up; a field without a clear meaning is a mistake with a remedy. Not here: the values
// (read-values.ts) and the write (writer.ts).
import { byWord, didYouMean } from '@lockstitch/kernel';
import {
  type ASTNode,
  getNamedType,
  getNullableType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { Entity, RelationField, WriteBinding } from '../schema/model.ts';
import { plural, wordsOfName } from '../schema/names.ts';
import { payloadFieldOf } from '../schema/payloads.ts';
import { checkRequired, type InputMap, mapField, mapInput, namesFor } from './input-map.ts';
import { first } from '../present.ts';

/** A mistake in the schema. `problem` continues a sentence that starts with the field. */
export interface WriteMistake {
  readonly problem: string;
  readonly remedy: string;
  readonly node?: ASTNode | undefined;
}

/** Inputs of readMutation. */
export interface WriteContext {
  readonly schema: GraphQLSchema;
  readonly entities: ReadonlyMap<string, Entity>;
  /** Derived filter input → the stored type it filters. */
  readonly filters: ReadonlyMap<string, string>;
}

/** An argument by name, and whether it is a list. */
export interface ArgumentPlace {
  readonly argument: string;
  readonly list: boolean;
  /** The field of the argument's input object that has the value. */
  readonly member?: string;
  /** The values are node ids. */
  readonly isNodeId?: boolean;
}

/** An argument with a filter. */
export interface FilterPlace {
  readonly argument: string;
  readonly type: GraphQLInputType;
}

/** The shape of a mutation field. */
export interface MutationShape {
  readonly binding: WriteBinding;
  readonly entity: Entity;
  /** The key argument; undefined if the values contain the key. */
  readonly key: ArgumentPlace | undefined;
  /** The filter argument instead of a key; never absent or null. */
  readonly where: FilterPlace | undefined;
  /** The values: an input object, a list of them, or the remaining arguments. */
  readonly input: ArgumentPlace | 'arguments' | undefined;
  readonly values: InputMap;
  /** The argument that must equal the row's version, and the version's field. */
  readonly version: string | undefined;
  /** The key of the object to connect or disconnect. */
  readonly other: ArgumentPlace | undefined;
  /** The result: the rows or their number; for a delete also true or the key. */
  readonly answers: 'rows' | 'boolean' | 'count' | 'key';
}

const VERBS: Readonly<
  Record<string, 'create' | 'update' | 'upsert' | 'delete' | 'restore' | 'purge' | 'connect' | 'disconnect'>
> = byWord({
  create: 'create post new insert register add',
  update: 'update edit change set rename modify patch',
  upsert: 'upsert save put',
  delete: 'delete remove erase',
  restore: 'restore undelete',
  purge: 'purge destroy',
  connect: 'connect tag link attach assign follow like join',
  disconnect: 'disconnect untag unlink detach unassign unfollow unlike leave',
});

/** A field of Mutation, with the type of what it writes if it returns a payload. */
type MutationField = Pick<GraphQLField<unknown, unknown>, 'name' | 'args' | 'type'>;

/** Reads the shape of a mutation field. */
export function readMutation(
  declared: GraphQLField<unknown, unknown>,
  context: WriteContext,
): MutationShape | WriteMistake {
  const payload = payloadFieldOf(declared.type, context.entities);
  const { name, args } = declared;
  const field: MutationField = { name, args, type: payload?.type ?? declared.type };
  const found = findEntity(field, context);
  if ('problem' in found) return found;
  const { entity, answers } = found;
  if (entity.readOnly)
    return {
      problem: `writes ${entity.name}, which is @readOnly.`,
      remedy: `Remove it, or give the field a resolver: resolvers.Mutation.${field.name}.`,
    };
  const places = readArguments(field, entity, context);
  if ('problem' in places) return places;
  const verb = VERBS[wordsOfName(field.name)[0] ?? ''];
  const many =
    isListType(getNullableType(field.type)) ||
    places.where !== undefined ||
    (answers !== 'rows' && places.key?.list === true);
  const shape = decide(verb, { ...places, entity, answers, many });
  if ('problem' in shape) return shape;
  return checkShape(field, shape) ?? shape;
}

function findEntity(
  field: MutationField,
  context: WriteContext,
): { readonly entity: Entity; readonly answers: MutationShape['answers'] } | WriteMistake {
  const named = getNamedType(field.type);
  const entity = context.entities.get(named.name);
  if (entity !== undefined) return { entity, answers: 'rows' };
  const answers = ({ Boolean: 'boolean', Int: 'count', ID: 'key' } as const)[named.name];
  const [word, ...rest] = wordsOfName(field.name);
  const verb = VERBS[word ?? ''];
  const isRemoval = verb === 'delete' || verb === 'purge';
  if (answers !== undefined && (isRemoval || ((verb === 'update' || verb === 'restore') && answers === 'count'))) {
    // The filter's type is the written type, whatever the field's name.
    for (const argument of field.args) {
      const filtered = context.entities.get(context.filters.get(getNamedType(argument.type).name) ?? '');
      if (filtered !== undefined) return { entity: filtered, answers };
    }
    const what = rest.join('');
    for (const candidate of context.entities.values()) {
      const name = candidate.name.toLowerCase();
      if (name === what || plural(name) === what) return { entity: candidate, answers };
    }
  }
  return {
    problem: `returns ${String(field.type)}, which is not a stored type.`,
    remedy: `Return the type that is written (a delete may also return Boolean, Int or ID, an update of many Int), or give the field a resolver: resolvers.Mutation.${field.name}.`,
  };
}

interface Places {
  readonly key: ArgumentPlace | undefined;
  readonly where: FilterPlace | undefined;
  readonly inputs: readonly { readonly place: ArgumentPlace; readonly map: InputMap }[];
  readonly version: string | undefined;
  readonly loose: InputMap;
  readonly others: readonly { readonly place: ArgumentPlace; readonly relation: RelationField }[];
}

function readArguments(field: MutationField, entity: Entity, context: WriteContext): Places | WriteMistake {
  let key: ArgumentPlace | undefined;
  let where: FilterPlace | undefined;
  let version: string | undefined;
  const inputs: { place: ArgumentPlace; map: InputMap }[] = [];
  const loose = new Map<string, InputMap extends ReadonlyMap<string, infer Role> ? Role : never>();
  const others: { place: ArgumentPlace; relation: RelationField }[] = [];
  for (const argument of field.args) {
    const place = { argument: argument.name, list: isListType(getNullableType(argument.type)) };
    const input = inputOf(argument.type);
    if (input !== undefined && context.filters.get(input.name) === entity.name) {
      if (!isNonNullType(argument.type))
        return {
          problem: `takes "${argument.name}: ${String(argument.type)}", and without it would write every ${entity.name}.`,
          remedy: `Write ${argument.name}: ${input.name}!.`,
          node: argument.astNode ?? undefined,
        };
      where = { argument: argument.name, type: argument.type };
    } else if (input !== undefined && !isRelationArgument(argument, entity)) {
      const member = key === undefined && !place.list ? nodeIdIn(input, entity) : undefined;
      const map = mapInput(input, entity, context, member);
      if ('problem' in map) return { ...map, problem: `takes ${input.name}: ${map.problem}` };
      if (member !== undefined) key = { ...place, member, isNodeId: true };
      inputs.push({ place, map });
    } else if (key === undefined && namesFor(entity.name, entity.key.name, true).has(argument.name.toLowerCase())) {
      key = place;
    } else if (key === undefined && isNodeIdArgument(argument, entity)) {
      key = { ...place, isNodeId: true };
    } else if (isVersion(entity, argument.name)) {
      version = argument.name;
    } else {
      const role = mapField(argument, entity, context);
      const relation = input === undefined ? inverseField(argument.name, entity, context) : undefined;
      if ('problem' in role && relation === undefined) {
        if (entity.fields.has(argument.name))
          return {
            problem: `has an argument: ${role.problem}`,
            remedy: role.remedy,
            node: role.node ?? argument.astNode ?? undefined,
          };
        return {
          problem: `has the argument "${argument.name}", which is no field of ${entity.name}.${didYouMean(argument.name, entity.fields.keys())}`,
          remedy: `Name it like the key (${entity.key.name}), like a field, or take an input object; or give the field a resolver: resolvers.Mutation.${field.name}.`,
          node: argument.astNode ?? undefined,
        };
      }
      if (relation !== undefined) others.push({ place, relation });
      if (!('problem' in role)) loose.set(argument.name, role);
    }
  }
  return { key, where, inputs, version, loose, others };
}

interface Decision extends Places {
  readonly entity: Entity;
  readonly answers: MutationShape['answers'];
  readonly many: boolean;
}

type Verb = (typeof VERBS)[string];

function decide(verb: Verb | undefined, places: Decision): MutationShape | WriteMistake {
  const { entity, key, where, inputs, version, loose, others, answers, many } = places;
  const base = { entity, key, where, input: undefined, values: new Map(), version, other: undefined, answers };
  if (where !== undefined) return decideFiltered(verb, places, where);
  const [only] = others;
  // Two keys and nothing else connect or disconnect objects, whatever the verb.
  const onlyKeys = key !== undefined && !key.list && only !== undefined && others.length === 1 && inputs.length === 0;
  const nothingElse = [...loose.keys()].every((name) => name === only?.place.argument);
  const joins = verb === 'connect' || verb === 'disconnect' || (only?.relation.many === true && nothingElse);
  if (onlyKeys && joins && nothingElse) {
    const kind = verb === 'disconnect' || verb === 'delete' ? 'disconnect' : 'connect';
    return { ...base, binding: { kind, entity: entity.name, relation: only.relation.name }, other: only.place };
  }
  const removal = removalOf(verb);
  if (removal !== undefined) {
    const place = key ?? keyInInput(entity, inputs);
    const others = key?.member === undefined ? inputs : inputs.filter(({ map }) => map.size > 0);
    if (place === undefined || (key !== undefined && others.length > 0) || loose.size > 0)
      return wrong(
        `${removal.verb}s, and takes the key alone: ${entity.key.name}.`,
        `Write (${entity.key.name}: ID!) or (${plural(entity.key.name)}: [ID!]!).`,
      );
    return (
      checkSoft(entity, removal.kind, answers) ?? {
        ...base,
        key: place,
        binding: { kind: removal.kind, entity: entity.name, many: place.list },
      }
    );
  }
  if (inputs.length > 1) return wrong('takes two input objects.', 'Take one, called input.');
  if (inputs.length === 1 && loose.size > 0)
    return wrong(`takes an input object and also "${first([...loose.keys()])}".`, 'Put it into the input object.');
  const [input] = inputs;
  const values = input?.map ?? loose;
  const kind = verb === 'create' || verb === 'update' || verb === 'upsert' ? verb : undefined;
  if (kind === undefined || (input === undefined && loose.size === 0 && kind !== 'create'))
    return wrong(
      'cannot be understood from its name and arguments.',
      'Begin its name with create, post, update, set, upsert, delete, connect, disconnect, tag or untag, and take the key and an input; or give it a resolver.',
    );
  const source = input?.place ?? ('arguments' as const);
  const shape = { ...base, input: source, values };
  if (kind === 'update') {
    if (key === undefined && !hasKey(values, entity))
      return wrong(
        `updates an object of ${entity.name} and does not say which.`,
        `Add the argument ${entity.key.name}: ID!.`,
      );
    return { ...shape, binding: { kind, entity: entity.name, many: key?.list === true || input?.place.list === true } };
  }
  if (key?.isNodeId === true)
    return wrong(
      `creates an object of ${entity.name}, and takes "${key.member ?? key.argument}", which is made from the key of an object.`,
      `Take the key instead: ${entity.key.name}.`,
    );
  if (key !== undefined) {
    // The key of a new object is one of its values.
    const withKey = new Map(values).set(key.argument, { kind: 'column', field: entity.key });
    if (input === undefined)
      return { ...shape, key: undefined, values: withKey, binding: { kind, entity: entity.name, many } };
    if (kind === 'create')
      return wrong(
        `creates an object of ${entity.name} and takes its key apart from the input.`,
        `Put ${entity.key.name} into the input object.`,
      );
  }
  return { ...shape, binding: { kind, entity: entity.name, many } };
}

/** The key where it is all that one input object has. */
function keyInInput({ key }: Entity, inputs: Places['inputs']): ArgumentPlace | undefined {
  const [input, ...more] = inputs;
  if (input === undefined || more.length > 0 || input.place.list || input.map.size !== 1) return undefined;
  const [[member, role] = []] = input.map;
  if (member === undefined || role?.kind !== 'column' || role.field.name !== key.name) return undefined;
  return { argument: input.place.argument, list: false, member };
}

type Removal = 'delete' | 'restore' | 'purge';

/** What is done to whole objects, and its word in messages. */
function removalOf(verb: Verb | undefined): { readonly kind: Removal; readonly verb: string } | undefined {
  return verb === 'delete' || verb === 'restore' || verb === 'purge' ? { kind: verb, verb } : undefined;
}

/** What restoring and purging need of a type. */
function checkSoft(
  { name, softDelete, auth }: Entity,
  kind: Removal,
  answers: MutationShape['answers'],
): WriteMistake | undefined {
  if (kind === 'delete') return undefined;
  if (softDelete === undefined)
    return wrong(
      `${kind}s objects of ${name}, whose deletions remove rows.`,
      `Write @entity(softDelete: "deletedAt") on ${name}, or give the field a resolver.`,
    );
  if (kind === 'purge' && answers === 'rows')
    return wrong('purges, and what it would return is gone.', `Return Boolean!, or Int! (how many).`);
  // Its answers tell which deleted objects there are, so that purging too takes the right to see them.
  const rules = kind === 'purge' ? (['readDeleted', 'purge'] as const) : (['readDeleted'] as const);
  const missing = rules.filter((rule) => auth?.[rule] === undefined);
  if (missing.length === 0) return undefined;
  return wrong(
    `${kind}s deleted objects, and no rule says who may${missing[0] === 'purge' ? '' : ' see them'}.`,
    `Write @auth(${missing.map((rule) => `${rule}: "hasRole('ADMIN')"`).join(', ')}) on ${name}.`,
  );
}

/** An update or delete by a filter. */
function decideFiltered(verb: Verb | undefined, places: Decision, where: FilterPlace): MutationShape | WriteMistake {
  const { entity, key, inputs, version, loose, answers } = places;
  const removal = removalOf(verb);
  if (verb !== 'update' && removal === undefined)
    return wrong(`takes "${where.argument}" and neither updates nor deletes.`, 'Begin its name with update or delete.');
  const apart = key?.argument ?? version;
  if (apart !== undefined) return wrong(`takes "${where.argument}" and also "${apart}".`, 'Take one of the two.');
  if (answers !== 'rows' && answers !== 'count')
    return wrong('writes several objects and does not say how many.', `Return Int! or [${entity.name}!]!.`);
  const base = { entity, key, where, version, other: undefined, answers };
  if (removal !== undefined) {
    if (inputs.length > 0 || loose.size > 0)
      return wrong(`${removal.verb}s, and takes "${where.argument}" alone.`, 'Put every condition into it.');
    return (
      checkSoft(entity, removal.kind, answers) ?? {
        ...base,
        input: undefined,
        values: new Map(),
        binding: { kind: removal.kind, entity: entity.name, many: true },
      }
    );
  }
  const [input] = inputs;
  if (inputs.length > 1 || (input !== undefined && (input.place.list || loose.size > 0)))
    return wrong('takes more than one set of values.', 'Take one input object, called input.');
  if (input === undefined && loose.size === 0)
    return wrong('updates and takes no values.', 'Take an input object, called input.');
  const values = input?.map ?? loose;
  if (hasKey(values, entity))
    return wrong('would give several objects one key.', `Take ${entity.key.name} out of its values.`);
  return {
    ...base,
    input: input?.place ?? 'arguments',
    values,
    binding: { kind: 'update', entity: entity.name, many: true },
  };
}

function wrong(problem: string, remedy: string): WriteMistake {
  return { problem, remedy };
}

function checkShape(field: MutationField, shape: MutationShape): WriteMistake | undefined {
  const { binding, entity, input } = shape;
  if (binding.kind === 'create' || binding.kind === 'upsert') {
    const missing = checkRequired(shape.values, entity);
    if (missing !== undefined) {
      const taken = field.args.find(({ name }) => typeof input === 'object' && name === input.argument);
      return {
        problem: `cannot create objects of ${entity.name}: the field "${missing}" is non-null, has no default and is not among the values.`,
        remedy: `Add ${missing} to the input, give it a @default, or make it nullable.`,
        node: taken === undefined ? undefined : (inputOf(taken.type)?.astNode ?? undefined),
      };
    }
  }
  if (!('many' in binding)) return undefined;
  const isList = isListType(getNullableType(field.type));
  if (shape.answers === 'rows' && binding.many !== isList)
    return wrong(
      binding.many ? `writes several objects and returns one.` : `writes one object and returns a list.`,
      binding.many
        ? `Return [${entity.name}!]!.`
        : `Return ${entity.name}${binding.kind === 'delete' ? '' : '!'}, or take lists.`,
    );
  if (binding.many && binding.kind !== 'update' && input !== undefined && input !== 'arguments' && !input.list)
    return wrong(`returns a list and takes one input object.`, `Take a list of input objects.`);
  return undefined;
}

function hasKey(values: InputMap, entity: Entity): boolean {
  return [...values.values()].some((role) => role.kind === 'column' && role.field.name === entity.key.name);
}

function isVersion(entity: Entity, name: string): boolean {
  const field = entity.fields.get(name);
  return field?.kind === 'column' && field.default?.kind === 'version';
}

function inputOf(type: GraphQLInputType): GraphQLInputObjectType | undefined {
  const named = getNamedType(type);
  return isInputObjectType(named) ? named : undefined;
}

/** The field of an input object that names the written object by its node id. */
function nodeIdIn(input: GraphQLInputObjectType, { fields }: Entity): string | undefined {
  return Object.values(input.getFields()).find(
    ({ name, type }) =>
      fields.get(name)?.kind === 'nodeId' && getNamedType(type).name === 'ID' && !isListType(getNullableType(type)),
  )?.name;
}

/** Whether an argument names objects by their node ids: one, or a list. */
function isNodeIdArgument({ name, type }: GraphQLArgument, { fields }: Entity): boolean {
  if (getNamedType(type).name !== 'ID') return false;
  const isList = isListType(getNullableType(type));
  return [...fields.values()].some(
    (field) => field.kind === 'nodeId' && (field.name === name || (isList && plural(field.name) === name)),
  );
}

function isRelationArgument(argument: GraphQLArgument, entity: Entity): boolean {
  const field = entity.fields.get(argument.name);
  return field?.kind === 'relation' || (field?.kind === 'column' && field.storage === 'json');
}

/** The relation whose target key an argument names: githubLogin → taggedUsers. Lists take precedence. */
function inverseField(name: string, entity: Entity, context: WriteContext): RelationField | undefined {
  const candidates: RelationField[] = [];
  for (const field of entity.fields.values()) {
    if (field.kind !== 'relation') continue;
    const target = context.entities.get(field.target);
    if (target === undefined) continue;
    if (namesFor(field.name, target.key.name, false).has(name.toLowerCase())) return field;
    if (namesFor(target.name, target.key.name, true).has(name.toLowerCase())) candidates.push(field);
  }
  const lists = candidates.filter((field) => field.many);
  if (lists.length === 1) return lists[0];
  return candidates.length === 1 ? candidates[0] : undefined;
}
