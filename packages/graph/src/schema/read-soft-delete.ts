// Reads `@entity(softDelete:)`: the field that says whether a row is deleted, and what may not be said of it.
import type { GraphQLObjectType } from 'graphql';
import { suggest } from '@lockstitch/kernel';
import type { BuildContext } from './build-field.ts';
import { directiveValues } from './directive-values.ts';
import type { Entity, Field, SoftDelete } from './model.ts';

/** Types of fields that hold the time of a deletion. */
const TIMES: ReadonlySet<string> = new Set(['DateTime', 'LocalDateTime']);

/** Reads the soft deletion of a type; undefined if its deletions remove rows. Gives a required Boolean the default false. */
export function readSoftDelete(
  { schema, problems }: BuildContext,
  type: GraphQLObjectType,
  entity: Pick<Entity, 'readOnly' | 'auth'>,
  fields: Map<string, Field>,
): SoftDelete | undefined {
  const name = directiveValues(schema, 'entity', type)?.softDelete ?? undefined;
  if (name === undefined) {
    const rule = entity.auth?.readDeleted !== undefined ? 'readDeleted' : 'purge';
    if (entity.auth?.[rule] !== undefined)
      problems.add(
        type.astNode,
        `@auth(${rule}:) is on ${type.name}, whose deletions remove rows.`,
        `Add @entity(softDelete: "deletedAt"), or remove the rule.`,
      );
    return undefined;
  }
  const field = fields.get(name);
  const wrong = wrongWith(type.name, name, field, fields, entity);
  if (wrong !== undefined || field?.kind !== 'column') {
    problems.add(type.astNode, ...(wrong ?? ['', '']));
    // What the schema says of deleted objects is no mistake beside this one.
    return { field: name, column: name, storage: 'timestamp', isLocal: false };
  }
  const { column, storage, typeName } = field;
  // Nobody else sets it.
  if (!field.nullable && field.default === undefined)
    fields.set(name, { ...field, default: { kind: 'literal', value: false } });
  return { field: name, column, storage, isLocal: typeName === 'LocalDateTime' };
}

/** The problem and its remedy. */
function wrongWith(
  type: string,
  name: string,
  field: Field | undefined,
  fields: ReadonlyMap<string, Field>,
  { readOnly }: Pick<Entity, 'readOnly'>,
): readonly [string, string] | undefined {
  if (field === undefined) {
    const meant = suggest(name, fields.keys());
    return [
      `@entity(softDelete:) names "${name}", which is no field of ${type}.`,
      meant === undefined
        ? `Add the field ${name}: DateTime.`
        : `Did you mean "${meant}"? Else add the field ${name}: DateTime.`,
    ];
  }
  const what = `@entity(softDelete:) names ${type}.${name}, which`;
  if (readOnly || (field.kind === 'column' && field.readOnly))
    return [`${what} is @readOnly: a deletion could not set it.`, 'Remove @readOnly, or softDelete.'];
  const isTime = field.kind === 'column' && TIMES.has(field.typeName) && !field.list;
  const isFlag = field.kind === 'column' && field.typeName === 'Boolean' && !field.list;
  if (!isTime && !isFlag)
    return [
      `${what} cannot say whether a row is deleted.`,
      `Name a field of type DateTime, LocalDateTime or Boolean that is stored.`,
    ];
  const { nullable, auth, unique, default: given } = field;
  if (isTime && !nullable)
    return [`${what} is non-null, and null says that a row is not deleted.`, `Write ${name}: ${field.typeName}.`];
  if (unique) return [`${what} is @unique.`, 'Remove @unique.'];
  const isFalse = given?.kind === 'database' || (given?.kind === 'literal' && given.value === false);
  if (given !== undefined && !(isFlag && isFalse)) return [`${what} has a default.`, 'Remove @default.'];
  if (auth?.create !== undefined || auth?.update !== undefined)
    return [
      `${what} has a rule about writing it; only deletions write it.`,
      `Put @auth(delete:) on ${type}, or readDeleted and purge.`,
    ];
  return undefined;
}
