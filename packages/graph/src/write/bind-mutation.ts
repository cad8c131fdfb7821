// Which mutation fields the engine answers itself. Called while the schema is read; what is found out here is read again
// by the writer when it starts (mutation-shape.ts).
import type { GraphQLField } from 'graphql';
import type { WriteBinding } from '../schema/model.ts';
import { readMutation, type WriteContext, type WriteMistake } from './mutation-shape.ts';

/** Binds a field of Mutation by its name, arguments and return type, or says what is wrong with it. */
export function bindMutation(
  field: GraphQLField<unknown, unknown>,
  context: WriteContext,
): WriteBinding | WriteMistake {
  const shape = readMutation(field, context);
  return 'binding' in shape ? shape.binding : shape;
}
