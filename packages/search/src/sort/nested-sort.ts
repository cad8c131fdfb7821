// Which elements of nested fields a sort reads: `nested`, and `nested_path` with `nested_filter`, which are its old form.
import type { NestedSort } from '../collect/search-request.ts';
import type { QueryContext } from '../dsl/context.ts';
import { parseInnerQuery } from '../dsl/parse-query.ts';
import { queryShardError } from '../errors/request-error.ts';
import { asInteger, isObject, type Json, textOf } from '../json/json.ts';

/** Reads what a key says of nested elements; undefined when it says nothing. @throws RequestError for a path that is not nested */
export function readNestedSort(body: Json, context: QueryContext): NestedSort | undefined {
  const { nested } = body;
  if (isObject(nested)) return readLevel(nested, context);
  if (body['nested_path'] === undefined) return undefined;
  return readLevel({ path: body['nested_path'], filter: body['nested_filter'] }, context);
}

/** One level and those in it; undefined without a path, as then it means nothing. @param within the level around */
function readLevel(
  { path, filter, max_children, nested }: Json,
  context: QueryContext,
  within?: NestedSort,
): NestedSort | undefined {
  if (path === undefined || path === null) return undefined;
  if (within !== undefined && max_children !== undefined)
    throw queryShardError('max_children is only supported on top level of nested sort', context.index);
  const at = textOf(path);
  checkPath(at, context);
  const most = max_children === undefined ? within?.maxElements : asInteger(max_children, 'max_children');
  const level: NestedSort = {
    path: at,
    ...(filter === undefined ? {} : { filter: parseInnerQuery(filter, context) }),
    ...(most === undefined ? {} : { maxElements: most }),
    ...(within === undefined ? {} : { within }),
  };
  return isObject(nested) ? readLevel(nested, context, level) : level;
}

function checkPath(path: string, { mapping, index }: QueryContext): void {
  const object = mapping.object(path);
  if (object?.nested === true) return;
  throw queryShardError(
    object === undefined
      ? `[nested] failed to find nested object under path [${path}]`
      : `[nested] nested object under path [${path}] is not of nested type`,
    index,
  );
}
