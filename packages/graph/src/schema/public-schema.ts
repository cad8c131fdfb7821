// The schema as clients see it by introspection: without the directives that only an author's schema file uses, and
// without types that no operation reaches.
import { DirectiveLocation, GraphQLSchema, isInterfaceType, isObjectType, type GraphQLObjectType } from 'graphql';

const EXECUTABLE: ReadonlySet<string> = new Set([
  DirectiveLocation.QUERY,
  DirectiveLocation.MUTATION,
  DirectiveLocation.SUBSCRIPTION,
  DirectiveLocation.FIELD,
  DirectiveLocation.FRAGMENT_DEFINITION,
  DirectiveLocation.FRAGMENT_SPREAD,
  DirectiveLocation.INLINE_FRAGMENT,
  DirectiveLocation.VARIABLE_DEFINITION,
]);
/** Directives of definitions that introspection itself tells of. */
const TOLD: ReadonlySet<string> = new Set(['deprecated', 'specifiedBy', 'oneOf']);

const known = new WeakMap<GraphQLSchema, GraphQLSchema>();

/** Returns the part of a schema that clients can use; the same types, fewer of them. */
export function publicSchemaOf(schema: GraphQLSchema): GraphQLSchema {
  let found = known.get(schema);
  if (found === undefined) known.set(schema, (found = build(schema)));
  return found;
}

function build(schema: GraphQLSchema): GraphQLSchema {
  const config = schema.toConfig();
  const directives = config.directives.filter(
    ({ name, locations }) => TOLD.has(name) || locations.some((location) => EXECUTABLE.has(location)),
  );
  // An interface does not name the types that implement it.
  let types: readonly GraphQLObjectType[] = [];
  for (;;) {
    const reached = new GraphQLSchema({ ...config, directives, types });
    const members = Object.values(reached.getTypeMap())
      .filter((type) => isInterfaceType(type))
      .flatMap((type) => [...schema.getPossibleTypes(type)])
      .filter((type) => isObjectType(type));
    const more = new Set([...types, ...members]);
    if (more.size === types.length) return reached;
    types = [...more];
  }
}
