// What a mutation field does, from its name, its arguments and what it returns. What fits no convention is refused with
// what to write. Not here: how the write is carried out.
import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  type ASTNode,
  type GraphQLField,
  type GraphQLSchema,
} from 'graphql';
import type { Entity, WriteBinding } from '../schema/model.ts';

/** Why a field could not be bound. */
export interface BindingProblem {
  /** Continues "Mutation.x …". */
  readonly problem: string;
  readonly remedy: string;
  readonly node?: ASTNode;
}

const VERBS: readonly (readonly [RegExp, 'create' | 'update' | 'upsert' | 'delete' | 'connect' | 'disconnect'])[] = [
  [/^(create|add|post|new|insert|register)/i, 'create'],
  [/^(update|edit|change|set|rename)/i, 'update'],
  [/^(upsert|save|put)/i, 'upsert'],
  [/^(delete|remove)/i, 'delete'],
  [/^(untag|disconnect|unlink|unfollow|leave)/i, 'disconnect'],
  [/^(tag|connect|link|follow|join)/i, 'connect'],
];

/** Binds a field of the Mutation type, or says why it cannot be. */
export function bindMutation(
  field: GraphQLField<unknown, unknown>,
  context: { readonly schema: GraphQLSchema; readonly entities: ReadonlyMap<string, Entity> },
): WriteBinding | BindingProblem {
  const named = getNamedType(field.type);
  const entity = context.entities.get(named.name);
  const verb = VERBS.find(([pattern]) => pattern.test(field.name))?.[1];
  if (entity === undefined || verb === undefined) {
    return {
      problem: `(returning ${String(field.type)}) fits no convention.`,
      remedy: `Call it create…, update…, upsert…, delete…, tag… or untag… and return a stored type, or give it a resolver: resolvers.Mutation.${field.name}.`,
    };
  }
  if (verb === 'connect' || verb === 'disconnect') {
    const relations = [...entity.fields.values()].filter(
      (each) => each.kind === 'relation' && each.storage.kind === 'joinTable',
    );
    const [relation] = relations;
    if (relation === undefined || relations.length > 1 || field.args.length !== 2) {
      return {
        problem: `does not tell which relation of ${entity.name} it changes.`,
        remedy: `Give it a resolver: resolvers.Mutation.${field.name}.`,
      };
    }
    return { kind: verb, entity: entity.name, relation: relation.name };
  }
  const many = isListType(getNullableType(field.type));
  const hasInput = field.args.some((each) => isInputObjectType(getNamedType(each.type)));
  if (verb !== 'delete' && !hasInput) {
    return { problem: 'has no input argument.', remedy: `Add "input: ${entity.name}Input!" with the fields to write.` };
  }
  return { kind: verb, entity: entity.name, many };
}
