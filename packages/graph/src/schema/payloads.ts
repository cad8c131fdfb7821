// Payloads of mutations as Relay's clients up to version 9 expect them: what was written beside the `clientMutationId` of
// the input. Types called `…Payload` are derived where a mutation names one that the schema does not define.
import {
  getNamedType,
  getNullableType,
  isObjectType,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLOutputType,
} from 'graphql';
import { nameOfType } from './find-entities.ts';
import { plural } from './names.ts';

/** The field of an input that a payload returns. */
export const CLIENT_MUTATION_ID = 'clientMutationId';

/** The field of a payload that returns what was written; undefined for other types. */
export function payloadFieldOf(
  type: GraphQLOutputType,
  entities: { has(type: string): boolean },
): GraphQLField<unknown, unknown> | undefined {
  const payload = getNullableType(type);
  if (!isObjectType(payload) || entities.has(payload.name)) return undefined;
  const { [CLIENT_MUTATION_ID]: id, ...others } = payload.getFields();
  const [only, ...more] = Object.values(others);
  return id !== undefined && only !== undefined && more.length === 0 && entities.has(getNamedType(only.type).name)
    ? only
    : undefined;
}

/** SDL of the payloads that mutations name and the schema does not define: `createPhoto: CreatePhotoPayload`. */
export function derivePayloads(
  mutations: readonly FieldDefinitionNode[],
  defined: ReadonlySet<string>,
  entities: ReadonlyMap<string, unknown>,
): readonly string[] {
  const payloads = new Map<string, string>();
  for (const { name, type } of mutations) {
    const payload = nameOfType(type);
    if (!payload.endsWith('Payload') || defined.has(payload) || payloads.has(payload)) continue;
    const field = fieldFor(name.value, [...entities.keys()]);
    if (field !== undefined)
      payloads.set(
        payload,
        `"What a mutation wrote." type ${payload} { "That of the input." ${CLIENT_MUTATION_ID}: String ${field} }`,
      );
  }
  return [...payloads.values()];
}

/** `photo: Photo` for createPhoto, `photos: [Photo!]` for createPhotos; the longest name of a type decides. */
function fieldFor(mutation: string, types: readonly string[]): string | undefined {
  const ends = types.flatMap((type) => [
    { type, end: type, result: type },
    { type, end: plural(type), result: `[${type}!]` },
  ]);
  const [found] = ends
    .filter(({ end }) => mutation.endsWith(end))
    .toSorted((one, other) => other.end.length - one.end.length);
  return found && `${found.end.charAt(0).toLowerCase()}${found.end.slice(1)}: ${found.result}`;
}
