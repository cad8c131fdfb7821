// Warns about mutations whose payload has a `clientMutationId` that no client can give. `lockstitch check` prints the
// warnings.
import { getNamedType, isInputObjectType } from 'graphql';
import type { Model } from './model.ts';
import { CLIENT_MUTATION_ID, payloadFieldOf } from './payloads.ts';
import { locationOf, type SchemaProblem } from './problems.ts';

/** Returns warnings in the same form as schema problems. */
export function adviseOnPayloads({ schema, entities, roots }: Model): readonly SchemaProblem[] {
  const mutation = schema.getMutationType();
  return Object.values(mutation?.getFields() ?? {}).flatMap((field): readonly SchemaProblem[] => {
    const coordinate = `${mutation?.name ?? ''}.${field.name}`;
    if (roots.get(coordinate)?.kind === 'resolver' || payloadFieldOf(field.type, entities) === undefined) return [];
    const inputs = field.args.map(({ type }) => getNamedType(type)).filter(isInputObjectType);
    if (inputs.some((input) => Object.hasOwn(input.getFields(), CLIENT_MUTATION_ID))) return [];
    const [input] = inputs;
    return [
      {
        location: locationOf(field.astNode),
        message: `${coordinate} returns ${CLIENT_MUTATION_ID}, and nothing in its arguments gives one: it is always null.`,
        remedy:
          input === undefined
            ? `Take an input object with ${CLIENT_MUTATION_ID}: String and the other arguments.`
            : `Add ${CLIENT_MUTATION_ID}: String to ${input.name}.`,
      },
    ];
  });
}
