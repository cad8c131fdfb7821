// Binds root fields that return full-text search results (`PhotoSearchConnection`). Not here: the search itself
// (execute/full-text.ts).
import { getNamedType, isListType, isNonNullType, type GraphQLField } from 'graphql';
import type { ArgumentBinding, RootBinding } from './model.ts';
import { bindArguments, type ArgumentContext } from './bind-arguments.ts';

/**
 * Results are ordered by score, and pages continue from the last hit of the previous page; no other order or page
 * argument fits.
 */
const ALLOWED: ReadonlySet<ArgumentBinding['kind']> = new Set(['query', 'first', 'after', 'where', 'equals']);

/** Binds a root field to the search of an entity. */
export function bindSearch(
  context: ArgumentContext,
  coordinate: string,
  field: GraphQLField<unknown, unknown>,
  entity: string,
): RootBinding | undefined {
  const { problems } = context;
  const known = problems.count;
  if (context.entities.get(entity)?.searchIndex === undefined)
    problems.add(
      field.astNode,
      `${coordinate} searches ${entity}, which has no searched field.`,
      `Put @search on fields of ${entity}.`,
    );
  const query = field.args.find((argument) => argument.name === 'query');
  if (
    query === undefined ||
    !isNonNullType(query.type) ||
    isListType(query.type.ofType) ||
    getNamedType(query.type).name !== 'String'
  )
    problems.add(
      query?.astNode ?? field.astNode,
      `${coordinate} has no argument for the query text.`,
      'Give it the argument "query: String!".',
    );
  const others = { astNode: field.astNode, args: field.args.filter((argument) => argument !== query) };
  const bindings = bindArguments(context, coordinate, others, entity);
  for (const [name, { kind }] of bindings) {
    if (ALLOWED.has(kind)) continue;
    problems.add(
      field.args.find((argument) => argument.name === name)?.astNode ?? field.astNode,
      `Argument "${name}" of ${coordinate} has no meaning here: search results are ordered by score and paged by cursor.`,
      'Take query, first, after, where, and arguments named like fields.',
    );
  }
  if (![...bindings.values()].some(({ kind }) => kind === 'first'))
    problems.add(
      field.astNode,
      `${coordinate} does not say how many objects a page has.`,
      'Give it the argument "first: Int = 10".',
    );
  if (problems.count > known) return undefined;
  return { kind: 'search', entity, arguments: new Map([['query', { kind: 'query' }], ...bindings]) };
}
