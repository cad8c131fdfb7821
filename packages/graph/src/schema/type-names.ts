// Names the TypeScript types of a schema. A type keeps its name unless it is a reserved word or used by the generated
// code (Record). Auxiliary types must not clash with types of the schema (ExamResult). A name that is taken gets "_"
// appended.

/** Reserved words of TypeScript. */
const RESERVED =
  'any as async await bigint boolean break case catch class const continue debugger default delete do else enum export extends ' +
  'false finally for function if implements import in instanceof interface let never new null number object of package private ' +
  'protected public return static string super switch symbol this throw true try typeof undefined unknown var void while with yield';
/** Names that the generated code uses. */
const USED =
  'Date GraphQLScalarType Pick Promise Readonly Record Resolver ResolverContext ResolverFunction ResolversOfSchema URL';

/** Names of the TypeScript types. */
export interface TypeNames {
  /** The type itself. */
  of(type: string): string;
  /** What a resolver may return for it. */
  resultOf(type: string): string;
  /** Its stored columns. */
  columnsOf(type: string): string;
  /** The arguments of one of its fields. */
  argumentsOf(type: string, field: string): string;
}

/** Names the types of a schema, in the given order. */
export function createTypeNames(types: readonly string[]): TypeNames {
  const taken = new Set(`${RESERVED} ${USED}`.split(' '));
  const known = new Map<string, string>();
  const take = (id: string, wanted: string): string => {
    let name = known.get(id);
    if (name !== undefined) return name;
    for (name = wanted; taken.has(name);) name += '_';
    taken.add(name);
    known.set(id, name);
    return name;
  };
  // Schema types first, so that they keep their names.
  for (const type of types) take(type, type);
  const upper = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
  return {
    of: (type) => take(type, type),
    resultOf: (type) => take(`${type} result`, `${type}Result`),
    columnsOf: (type) => take(`${type} columns`, `${type}Columns`),
    argumentsOf: (type, field) => take(`${type}.${field}`, `${type}${upper(field)}Args`),
  };
}
