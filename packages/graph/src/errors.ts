// Every error code of the graph package, with its text and remedy. Codes are never renamed and never reused.
import { defineErrors } from '@lockstitch/kernel';

export const graphErrors = defineErrors('GRAPH', {
  GRAPH_SCHEMA_INVALID: {
    status: 500,
    message: 'The schema has {count}:\n{list}',
    hint: 'Mend the schema at the places named and start again.',
  },
  GRAPH_RESOLVER_MISSING: {
    status: 500,
    message: 'No resolver function was given for {fields}.',
    hint: 'Pass the same resolvers to createGraph as to readSchema.',
  },
  GRAPH_MIGRATION_REFUSED: {
    status: 500,
    message: 'The database {store} does not fit the schema, and mending it would lose data:\n{list}',
    hint: 'Change the data or the schema so that nothing is lost, and start again.',
  },
  GRAPH_FEED_TRIMMED: {
    status: 410,
    message: 'The feed no longer holds what followed position {after}; it begins after {trimmed}.',
    hint: 'Read the data itself, then follow the feed from its present head.',
  },
  GRAPH_SYNTAX: {
    status: 400,
    message: '{message}',
    hint: 'Mend the document at the place named.',
  },
  GRAPH_VALIDATION: {
    status: 400,
    message: '{message}',
    hint: 'Ask only for what the schema offers; introspection lists it.',
  },
  GRAPH_REQUEST_INVALID: {
    status: 400,
    message: '{message}',
  },
  GRAPH_DOCUMENT_TOO_LARGE: {
    status: 400,
    message: 'The document has {size} characters; at most {limit} are taken.',
    hint: 'Send a shorter document, and values as variables.',
  },
  GRAPH_TOO_MANY_TOKENS: {
    status: 400,
    message: 'The document has more than {limit} tokens.',
    hint: 'Send a shorter document, and values as variables.',
  },
  GRAPH_TOO_DEEP: {
    status: 400,
    message: 'The operation nests fields {depth} levels deep; at most {limit} are allowed.',
    hint: 'Ask for the inner levels in an operation of their own.',
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
    message: 'The operation may return {cost} objects by estimate; at most {limit} are allowed.',
    hint: 'Ask for smaller pages with "first", or for fewer nested lists.',
  },
  GRAPH_TOO_SLOW: {
    status: 503,
    message: 'The operation took longer than {limit} ms and was stopped.',
    hint: 'Ask for less at once.',
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
    hint: 'The schema promises a value that is missing or hidden from you; the field should be nullable.',
  },
  GRAPH_INTERNAL: {
    status: 500,
    message: 'Something went wrong inside; the log has it under id {id}.',
    hint: 'Tell the operator the id.',
  },
  GRAPH_INTROSPECTION_OFF: {
    status: 403,
    message: 'Introspection is switched off for you.',
    hint: 'Ask the operator for the schema.',
  },
  GRAPH_SUBSCRIPTION_BY_REQUEST: {
    status: 400,
    message: 'A subscription cannot be answered by one response.',
    hint: 'Open it over WebSocket (graphql-transport-ws) or as server-sent events.',
  },
  GRAPH_INPUT_INVALID: {
    status: 400,
    message: '{field} was not carried out: {list}',
    hint: 'Mend every value named; nothing was written.',
  },
  GRAPH_NOT_FOUND: {
    status: 404,
    message: '{field} was not carried out: {list}',
    hint: 'Check the key; it may have been deleted, or you may not be allowed to see it.',
  },
  GRAPH_NOT_UNIQUE: {
    status: 409,
    message: '{field} was not carried out: another {type} has the same {names}.',
    hint: 'Choose another value, or update the one that exists.',
  },
  GRAPH_RESTRICTED: {
    status: 409,
    message: '{field} was not carried out: {type} "{key}" is still referred to by {count} {holder} in "{relation}".',
    hint: 'Delete those or let them refer to something else first.',
  },
  GRAPH_CONFLICT: {
    status: 409,
    message:
      '{field} was not carried out: {type} "{key}" has {version} {actual}, not {expected}; somebody changed it meanwhile.',
    hint: 'Read it again, apply your change to what it is now, and send the new {version}.',
  },
  GRAPH_FORBIDDEN: {
    status: 403,
    message: '{field} was not carried out: you may not {action} this {what}.',
    hint: 'Ask whoever maintains the rules of {what} (@auth in the schema).',
  },
  GRAPH_CONSTRAINT: {
    status: 409,
    message: '{field} was not carried out: the data would contradict itself.',
    hint: 'Check the values that refer to other objects; one of them may just have been deleted.',
  },
  GRAPH_POLICY_UNSUPPORTED: {
    status: 500,
    message: 'The rule "{text}" ({place}) cannot be answered by the database: "{part}".',
    hint: 'Compare columns with values, ask related rows with any, all and none, and use startsWith, endsWith, contains, isEmpty or in.',
  },
  GRAPH_VARIABLES_INVALID: {
    status: 400,
    message: '{message}',
    hint: 'Send the variables as the operation declares them.',
  },
});
