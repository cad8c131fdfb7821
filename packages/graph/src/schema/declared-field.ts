// Types and fields as the schema declares them, for code that knows that they are there.
import {
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isInputObjectType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { required } from '../present.ts';

export function objectType(schema: GraphQLSchema, name: string): GraphQLObjectType {
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new Error(`${name} is not an object type.`);
  return type;
}

export function leafType(schema: GraphQLSchema, name: string): GraphQLLeafType {
  const type = schema.getType(name);
  if (!isLeafType(type)) throw new Error(`${name} is neither a scalar nor an enum.`);
  return type;
}

export function inputType(schema: GraphQLSchema, name: string): GraphQLInputObjectType {
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`${name} is not an input type.`);
  return type;
}

export function declaredField(schema: GraphQLSchema, type: string, field: string): GraphQLField<unknown, unknown> {
  return required(objectType(schema, type).getFields()[field], `${type}.${field}`);
}
