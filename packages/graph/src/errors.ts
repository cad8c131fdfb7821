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
});
