// Error catalogue of the graph package: codes, messages and hints. Codes are never renamed or reused.
import { defineErrors, isProductError, type ProductError } from '@lockstitch/kernel';

export const graphErrors = defineErrors('GRAPH', {
  GRAPH_SCHEMA_INVALID: {
    status: 500,
    message: 'The schema has {count}:\n{list}',
    hint: 'Fix the schema at these places and start again.',
  },
  GRAPH_RESOLVER_MISSING: {
    status: 500,
    message: 'No resolver function was given for {fields}.',
    hint: 'Pass the same resolvers to createGraph as to readSchema.',
  },
  GRAPH_MIGRATION_REFUSED: {
    status: 500,
    message: 'The database {store} does not match the schema and was not changed:\n{list}',
    hint: 'Change the data or the schema as each line says; lockstitch plan <dir> shows all steps. If the data is not needed, start with an empty database (another --data or DATABASE_URL).',
  },
  GRAPH_FEED_TRIMMED: {
    status: 410,
    message: 'The feed no longer holds what followed position {after}; it begins after {trimmed}.',
    hint: 'Read the data itself, then follow the feed from its current head.',
  },
  GRAPH_SYNTAX: {
    status: 400,
    message: '{message}',
    hint: 'Fix the document at this place.',
  },
  GRAPH_VALIDATION: {
    status: 400,
    message: '{message}',
    hint: 'Request only fields of the schema; introspection lists them.',
  },
  GRAPH_REQUEST_INVALID: {
    status: 400,
    message: '{message}',
  },
  GRAPH_DOCUMENT_TOO_LARGE: {
    status: 400,
    message: 'The document has {size} characters; at most {limit} are allowed.',
    hint: 'Send a shorter document, and values as variables.',
  },
  GRAPH_TOO_MANY_TOKENS: {
    status: 400,
    message: 'The document has more than {limit} tokens.',
    hint: 'Send a shorter document, and values as variables.',
  },
  GRAPH_TOO_NESTED: {
    status: 400,
    message: 'Brackets nest more than {limit} levels deep in the {what}.',
    hint: 'Send lists, objects and selections that nest less.',
  },
  GRAPH_TOO_INVOLVED: {
    status: 400,
    message:
      'The operation has more conditions, sort terms or group keys, or more deeply nested lists and conditions, than the database supports.',
    hint: 'Use fewer related objects in filters and selections, send many values as one list (in), and sort by fewer.',
  },
  GRAPH_TOO_REPETITIVE: {
    status: 400,
    message: 'The document repeats too many fields or fragments to be validated.',
    hint: 'Select each field once, and spread each fragment where it is needed only.',
  },
  GRAPH_TOO_DEEP: {
    status: 400,
    message: 'The operation nests fields {depth} levels deep; at most {limit} are allowed.',
    hint: 'Request the inner levels in a separate operation.',
  },
  GRAPH_TOO_MANY_ALIASES: {
    status: 400,
    message: 'The document has {count} aliases; at most {limit} are allowed.',
    hint: 'Split the document.',
  },
  GRAPH_TOO_MANY_DIRECTIVES: {
    status: 400,
    message: 'The document has {count} directives; at most {limit} are allowed.',
    hint: 'Split the document.',
  },
  GRAPH_TOO_MANY_FIELDS: {
    status: 400,
    message: 'The operation selects {count} fields; at most {limit} are allowed.',
    hint: 'Split the operation.',
  },
  GRAPH_TOO_COSTLY: {
    status: 400,
    message: 'The operation may return {cost} objects and fields by estimate; at most {limit} are allowed.',
    hint: 'Request smaller pages ("first"), fewer nested lists, or fewer fields.',
  },
  GRAPH_ANSWER_TOO_LARGE: {
    status: 400,
    message: 'The response would be larger than {limit} bytes.',
    hint: 'Request smaller pages ("first"), or fewer fields.',
  },
  GRAPH_TOO_SLOW: {
    status: 503,
    message: 'The operation took longer than {limit} ms and was stopped.',
    hint: 'Request less at once.',
  },
  GRAPH_CANCELLED: {
    status: 400,
    message: 'The operation was cancelled because the client disconnected.',
  },
  GRAPH_PAGE_NEGATIVE: {
    status: 400,
    message: 'Argument "{argument}" is {value}; it cannot be negative.',
    hint: 'Send 0 or more.',
  },
  GRAPH_PAGE_TOO_LARGE: {
    status: 400,
    message: 'Argument "{argument}" asks for {value} rows; at most {limit} are allowed at once.',
    hint: 'Ask for several pages.',
  },
  GRAPH_CURSOR_INVALID: {
    status: 400,
    message: 'Argument "{argument}" is not a cursor of this list.',
    hint: 'Send a cursor exactly as pageInfo or an edge returned it, with the same order.',
  },
  GRAPH_GROUP_KEY_MISSING: {
    status: 400,
    message: '"{key}" is no key of these groups: groupBy does not name it.',
    hint: 'Name it in groupBy, or take it out of keys and orderBy.',
  },
  GRAPH_GROUP_KEY_AMBIGUOUS: {
    status: 400,
    message: 'groupBy names several parts of "{key}": {parts}.',
    hint: 'Select each by its name: {name}(part: {part}).',
  },
  GRAPH_REPRESENTATION_INVALID: {
    status: 400,
    message: '"{place}" {reason}.',
    hint: 'Send objects with __typename and all fields of one key of the type, as the SDL of the subgraph declares them.',
  },
  GRAPH_RELATIVE_TIME_INVALID: {
    status: 400,
    message: '"{place}" is no time relative to now: {value}.',
    hint: 'Send "now", followed by steps such as "-7d", "+1M" and "/d"; units are y, M, w, d, h, m and s.',
  },
  GRAPH_TIME_ZONE_UNKNOWN: {
    status: 400,
    message: 'Argument "{argument}" names no time zone: {value}.',
    hint: 'Send a name of the IANA database, such as "Europe/Berlin", or "UTC".',
  },
  GRAPH_PATTERN_TOO_LONG: {
    status: 400,
    message: '"{place}" has {length} characters; a case-insensitive filter allows at most {limit}.',
    hint: 'Use a shorter text, or a case-sensitive filter ("contains", "eq").',
  },
  GRAPH_VALUE_INVALID: {
    status: 400,
    message: '"{place}" {reason}; stored values cannot be compared with it.',
    hint: 'Compare with a value that can be stored.',
  },
  GRAPH_FULL_TEXT_MISSING: {
    status: 503,
    message: '{field} needs a search index, and this process has none.',
    hint: 'Pass "fullText" to createGraph, or start the server, which has one.',
  },
  GRAPH_SEARCH_TOO_BROAD: {
    status: 400,
    message: '{field} failed: more than {limit} hits would have to be examined to find those that you may see.',
    hint: 'Search for more words, or for rarer ones.',
  },
  GRAPH_PAGE_DIRECTIONS: {
    status: 400,
    message: '{message}',
    hint: 'Page forwards with "first" and "after", or backwards with "last" and "before".',
  },
  GRAPH_FIELD_FORBIDDEN: {
    status: 403,
    message: 'You may not read {field}.',
    hint: 'Leave the field out, or ask as a user who may read it.',
  },
  GRAPH_NULL_VALUE: {
    status: 500,
    message: '{message}',
    hint: 'The schema promises a value that is missing or hidden from you; the field should be nullable. Changes of a mutation are kept.',
  },
  GRAPH_INTERNAL: {
    status: 500,
    message: 'Internal error; the log has the details under id {id}.',
    hint: 'Tell the operator the id.',
  },
  GRAPH_INTROSPECTION_OFF: {
    status: 403,
    message: 'You may not use introspection.',
    hint: 'Ask the operator for the schema.',
  },
  GRAPH_EXPLAIN_FORBIDDEN: {
    status: 403,
    message: 'You may not request explanations.',
    hint: 'Leave extensions.explain out, or ask the operator (graph.explain in the configuration).',
  },
  GRAPH_SUBSCRIPTION_BY_REQUEST: {
    status: 400,
    message: 'A subscription needs an event stream; one response is not enough.',
    hint: 'Open it over WebSocket (graphql-transport-ws) or as server-sent events.',
  },
  GRAPH_TRANSACTION_IMPOSSIBLE: {
    status: 400,
    message: 'The mutation cannot be one transaction: {reason}. Nothing was written.',
    hint: 'Send these fields in a mutation without @transaction.',
  },
  GRAPH_INPUT_INVALID: {
    status: 400,
    message: '{field} failed: {list}',
    hint: 'Fix every value named; nothing was written.',
  },
  GRAPH_WRITE_TOO_LARGE: {
    status: 400,
    message: '{field} failed: more than {limit} {type} objects satisfy "where".',
    hint: 'Narrow the condition and send the mutation several times.',
  },
  GRAPH_NOT_FOUND: {
    status: 404,
    message: '{field} failed: {list}',
    hint: 'Check the key; it may have been deleted, or you may not be allowed to see it.',
  },
  GRAPH_NOT_DELETED: {
    status: 409,
    message: '{field} failed: {type} "{key}" is not deleted.',
    hint: 'There is nothing to restore.',
  },
  GRAPH_NOT_UNIQUE: {
    status: 409,
    message: '{field} failed: another {type} has the same {names}.',
    hint: 'Choose another value, or update the one that exists.',
  },
  GRAPH_RESTRICTED: {
    status: 409,
    message: '{field} failed: {what} is still referred to by {holder} objects in "{relation}".',
    hint: 'Delete those or let them refer to something else first.',
  },
  GRAPH_RESTORE_ORPHAN: {
    status: 409,
    message: '{field} failed: "{relation}" of {type} cannot be null, and its object is deleted.',
    hint: 'Restore that object first.',
  },
  GRAPH_CONFLICT: {
    status: 409,
    message: '{field} failed: {type} "{key}" has {version} {actual}, not {expected}; it was changed in the meantime.',
    hint: 'Read it again, apply your change to what it is now, and send the new {version}.',
  },
  GRAPH_FORBIDDEN: {
    status: 403,
    message: '{field} failed: you may not {action} this {what}.',
    hint: 'Ask the maintainers of the rules of {what} (@auth in the schema).',
  },
  GRAPH_HOLDERS_FORBIDDEN: {
    status: 403,
    message:
      '{field} failed: the {holder} objects with the {type} in "{relation}" would be {changed}, and you may not see all {holder} objects.',
    hint: 'Ask the maintainer of the schema, which says so with @relation(onDeleteRules: CALLER) on {holder}.{relation}.',
  },
  GRAPH_CONSTRAINT: {
    status: 409,
    message: '{field} failed: {reason}.',
    hint: 'Check the values that refer to other objects; one of them may just have been deleted.',
  },
  GRAPH_WRITE_DENIED: {
    status: 403,
    message: '{field} failed: the database does not let its user write this.',
    hint: 'Ask the operator: the user of the database lacks a privilege, or row-level security rejects the row. What nobody may write here is @readOnly in the schema.',
  },
  GRAPH_CHECK_FAILED: {
    status: 400,
    message: '{field} failed: {what} does not satisfy {rule} of the database.',
    hint: 'Send a value that satisfies it; ask the maintainers of the database for the rule.',
  },
  GRAPH_VALUE_REQUIRED: {
    status: 400,
    message: '{field} failed: the database needs a value of {what}.',
    hint: 'Send one, not null.',
  },
  GRAPH_VALUE_UNFIT: {
    status: 400,
    message: '{field} failed: {what} does not fit its column in the database.',
    hint: 'Send a number in the range of the column, or one of the values that it takes.',
  },
  GRAPH_POLICY_UNSUPPORTED: {
    status: 500,
    message: 'The rule "{text}" ({place}) cannot be evaluated by the database: "{part}".',
    hint: 'Compare columns with values, ask related rows with any, all and none, and use startsWith, endsWith, contains, isEmpty or in.',
  },
  GRAPH_RULE_UNSPLIT: {
    status: 500,
    message:
      'The rule "{text}" cannot be decided by a search index: "{part}" compares the row and the caller in a way that has no exact form there.',
    hint: 'Compare a column, or a column of related rows with any, with a value of the caller by ==, !=, <, <=, >, >=, in, startsWith, endsWith or contains; write "column in list" for "list.contains(column)".',
  },
  GRAPH_VARIABLES_INVALID: {
    status: 400,
    message: '{message}',
    hint: 'Send the variables as the operation declares them.',
  },
  GRAPH_HTTP_METHOD: {
    status: 405,
    message: 'The graph accepts POST and GET, not {method}.',
    hint: 'Send POST with a JSON body, or GET with ?query= for a query.',
  },
  GRAPH_HTTP_READ_ONLY: {
    status: 405,
    message: 'A {kind} cannot be sent by GET.',
    hint: 'Send it by POST with a JSON body; a subscription over WebSocket or server-sent events.',
  },
  GRAPH_HTTP_CONTENT_TYPE: {
    status: 415,
    message: 'The request has {said}.',
    hint: 'Send "Content-Type: application/json" in UTF-8.',
  },
  GRAPH_HTTP_ACCEPT: {
    status: 406,
    message: 'The graph has no media type that the request accepts: "{accept}".',
    hint: 'Accept application/graphql-response+json or application/json.{streams}',
  },
  GRAPH_HTTP_BODY: {
    status: 400,
    message: 'The request body {reason}.',
    hint: 'Send a JSON object with the member "query", and "variables" and "operationName" as needed.',
  },
  GRAPH_HTTP_PARAMETER: {
    status: 400,
    message: 'The parameter "{name}" {reason}.',
    hint: 'query and operationName are strings, variables and extensions are objects.',
  },
  GRAPH_HTTP_BATCH: {
    status: 400,
    message: 'The request body is a list; several operations in one request are not supported.',
    hint: 'Send one operation a request, or put several fields into one operation.',
  },
  GRAPH_PERSISTED_MISMATCH: {
    status: 400,
    message: 'The hash in extensions.persistedQuery is not that of the query.',
    hint: 'Send the SHA-256 of the query text in hexadecimal.',
  },
  GRAPH_TRUSTED_ONLY: {
    status: 403,
    message: 'Only trusted operations are allowed here.',
    hint: 'Send the documentId of an operation of the manifest, or add the operation to it.',
  },
  GRAPH_DOCUMENT_UNKNOWN: {
    status: 404,
    message: 'No operation is known as "{id}".',
    hint: 'Check the documentId against the manifest the server was started with.',
  },
  GRAPH_SUBSCRIPTION_LAGGING: {
    status: 410,
    message: 'The subscription is {behind} changes behind; at most {limit} are allowed.',
    hint: 'Read the current data, subscribe again, and read events faster.',
  },
  GRAPH_SUBSCRIPTION_POSITION: {
    status: 400,
    message: 'The feed ends at position {head}, so nothing can be resumed after {after}.',
    hint: 'Send the position of the last event from this server; if its database was replaced, read the data again and subscribe without a position.',
  },
  GRAPH_SUBSCRIPTION_FIELD: {
    status: 400,
    message: '"{field}" cannot be subscribed to: {reason}.',
    hint: 'Subscribe to a field that returns a stored type, with arguments named like its fields.',
  },
  GRAPH_UPSERT_KEY: {
    status: 400,
    message: '{by} is no unique key of {type}: several objects may have the same values.',
    hint: 'Name the fields of a unique key: {known}.',
  },
  GRAPH_TYPE_UNKNOWN: {
    status: 404,
    message: 'The schema stores no type called "{type}".{suggestion}',
    hint: 'Name a type that has a table (@entity).',
  },
  GRAPH_VALUE_DAMAGED: {
    status: 502,
    message: 'The value of {field} in the database is not a valid {type}.',
    hint: 'Tell the operator: another program wrote it, or the database is damaged. "lockstitch check <dir> --integrity" names what is wrong.',
  },
  GRAPH_VALUE_TOO_LONG: {
    status: 400,
    message: 'A text that is a key, unique or indexed is longer than the database can keep in an index.',
    hint: 'Send a shorter text: 2,600 bytes fit, of all that stand in one index together.',
  },
  GRAPH_TEXT_TOO_LONG: {
    status: 400,
    message: 'A text is longer than its column in the database takes.',
    hint: 'Send a shorter text.',
  },
  GRAPH_STORE_UNAVAILABLE: {
    status: 503,
    message: 'The database could not be used: {reason}.',
    hint: 'Try again in a moment; if it goes on, tell the operator.',
  },
  GRAPH_STORE_ENCODING: {
    status: 500,
    message: 'The database {store} keeps texts in {encoding}, which lacks characters that clients may send.',
    hint: "Create the database with ENCODING 'UTF8'.",
  },
  GRAPH_STORE_BUSY: {
    status: 503,
    message: 'Another process has been writing to the database for {seconds} s; this write was given up.',
    hint: 'Try again; if an import is running, wait until it has ended.',
  },
});

/** Whether the database is unavailable, which may be temporary. */
export function isOutage(error: unknown): error is ProductError {
  return isProductError(error) && error.code === 'GRAPH_STORE_UNAVAILABLE';
}
