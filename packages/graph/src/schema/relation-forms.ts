// Fields that return the objects of a relation in another form: one relation as list and connection, its number of
// objects, their aggregates. Not here: relations themselves (infer-relations.ts).
import { getNamedType, getNullableType, isListType, isNonNullType, type GraphQLField } from 'graphql';
import { didYouMean } from '@lockstitch/kernel';
import { bindArguments, type ArgumentContext } from './bind-arguments.ts';
import { aggregateForm, bindAggregates } from './bind-aggregates.ts';
import type { DerivedTypes } from './derive-types.ts';
import { directiveValues } from './directive-values.ts';
import type { AuthRules, Entity, FormField, RelationField } from './model.ts';
import type { BuildContext } from './build-field.ts';

/** Such a field before the relations of its type are known. */
export interface FormSketch extends Omit<FormField, 'kind' | 'of' | 'arguments'> {
  readonly kind: 'formSketch';
  /** The field that `sameAs` names. */
  readonly sameAs: string | undefined;
  /** The type of its objects; undefined: any. */
  readonly target: string | undefined;
  readonly field: GraphQLField<unknown, unknown>;
}

/** What a field says of its form; undefined if it is no other form of a relation. */
export function relationFormOf(
  context: Pick<BuildContext, 'schema' | 'derived' | 'keys' | 'abstracts' | 'problems'>,
  coordinate: string,
  field: GraphQLField<unknown, unknown>,
): Pick<FormSketch, 'form' | 'target' | 'sameAs' | 'nullable' | 'field'> | undefined {
  const { inverse, sameAs, ...others } = directiveValues(context.schema, 'relation', field) ?? {};
  const aggregated = aggregateForm(context, field);
  const shape = aggregated === undefined ? shapeOf(context, field) : { form: aggregated.kind, target: aggregated.type };
  if (sameAs == null && aggregated === undefined) return undefined;
  if (sameAs != null && (inverse !== undefined || Object.keys(others).length > 0))
    context.problems.add(
      field.astNode,
      `@relation on ${coordinate} has sameAs and other arguments.`,
      `They belong on "${sameAs}", whose objects the field returns.`,
    );
  if (shape !== undefined)
    return { ...shape, sameAs: sameAs ?? undefined, nullable: !isNonNullType(field.type), field };
  context.problems.add(
    field.astNode,
    `${coordinate}: ${String(field.type)} is no other form of the objects of "${sameAs}".`,
    'Return a list, a connection, aggregates ("PhotoAggregates!"), groups ("[PhotoGroup!]!") or Int.',
  );
  return undefined;
}

function shapeOf(
  { derived, keys, abstracts }: Pick<BuildContext, 'keys' | 'abstracts'> & { readonly derived: DerivedTypes },
  field: GraphQLField<unknown, unknown>,
): Pick<FormSketch, 'form' | 'target'> | undefined {
  const { name } = getNamedType(field.type);
  const isList = isListType(getNullableType(field.type));
  const connection = derived.connections.get(name);
  if (connection !== undefined && !isList) return { form: 'connection', target: connection };
  if (isList && (keys.has(name) || abstracts.has(name))) return { form: 'list', target: name };
  return name === 'Int' && !isList ? { form: 'count', target: undefined } : undefined;
}

/** Finds the relation of a sketch among the fields of its type; undefined if a problem was reported. */
export function resolveForm(context: ArgumentContext, owner: Entity, sketch: FormSketch): FormField | undefined {
  const relation = relationOf(context, owner, sketch);
  if (relation === undefined) return undefined;
  const { kind: _kind, sameAs: _sameAs, target: _target, field, ...rest } = sketch;
  const { form } = sketch;
  const coordinate = `${owner.name}.${sketch.name}`;
  return {
    ...rest,
    kind: 'form',
    of: relation.name,
    auth: joinRules(relation.auth, sketch.auth, sketch.nullable),
    arguments:
      form === 'list' || form === 'connection'
        ? bindArguments(context, coordinate, field, relation.target)
        : bindAggregates(context, coordinate, field, {
            kind: form === 'groups' ? 'groups' : 'aggregates',
            type: relation.target,
          }),
  };
}

function relationOf(
  { problems }: ArgumentContext,
  owner: Entity,
  { name, sameAs, target, field: { astNode } }: FormSketch,
): RelationField | undefined {
  const lists = [...owner.fields.values()].filter((field) => field.kind === 'relation').filter(({ many }) => many);
  const fitting = lists.filter((field) => target === undefined || field.target === target);
  const found = sameAs === undefined ? fitting : lists.filter((field) => field.name === sameAs);
  const [relation] = found;
  const coordinate = `${owner.name}.${name}`;
  if (sameAs === undefined && found.length !== 1) {
    problems.add(
      astNode,
      `It is not clear of which objects ${coordinate} tells: ${owner.name} has ${found.length} lists of ${target}.`,
      found.length === 0
        ? `Add one; it can be a connection.`
        : `Write @relation(sameAs: "${found[0]?.name}"), or whichever is meant.`,
    );
    return undefined;
  }
  if (relation?.kind !== 'relation') {
    problems.add(
      astNode,
      `@relation(sameAs: "${sameAs}") on ${coordinate}: ${owner.name} has no list of objects "${sameAs}".${didYouMean(
        sameAs ?? '',
        fitting.map((each) => each.name),
      )}`,
      'Name a field that is a list or connection of stored objects.',
    );
    return undefined;
  }
  if (fitting.includes(relation)) return relation;
  problems.add(
    astNode,
    `@relation(sameAs: "${sameAs}") on ${coordinate}: "${sameAs}" has objects of ${relation.target}, and the field is of ${target}.`,
    `Name a list of ${target}.`,
  );
  return undefined;
}

/** Both read rules must hold. */
export function joinRules(
  one: AuthRules | undefined,
  other: AuthRules | undefined,
  nullable: boolean,
): AuthRules | undefined {
  const rules = [one?.read, other?.read].filter((rule) => rule !== undefined);
  if (rules.length === 0) return undefined;
  const read = rules.length === 1 ? rules[0] : rules.map((rule) => `(${rule})`).join(' and ');
  const deniedIsNull = nullable && (one?.deniedIsNull === true || other?.deniedIsNull === true);
  return { read, create: undefined, update: undefined, delete: undefined, ...(deniedIsNull && { deniedIsNull }) };
}
