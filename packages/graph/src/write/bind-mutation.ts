// Binds mutation fields while the schema is read; the writer reads their shape again when it starts
// (mutation-shape.ts).
import type { GraphQLField } from 'graphql';
import type { WriteBinding } from '../schema/model.ts';
import { readMutation, type WriteContext, type WriteMistake } from './mutation-shape.ts';

/** Binds a field of Mutation by its name, arguments and return type, or returns its problem. */
export function bindMutation(
  field: GraphQLField<unknown, unknown>,
  context: WriteContext,
): WriteBinding | WriteMistake {
  const shape = readMutation(field, context);
  return 'binding' in shape ? shape.binding : shape;
}
