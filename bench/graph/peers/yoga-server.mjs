// graphql-yoga on node:http with DataLoader; it keeps parsed and validated documents by itself.
import { createServer } from 'node:http';
import { createSchema, createYoga } from 'graphql-yoga';
import { announce } from './announce.mjs';
import { createLoaders, resolvers, typeDefs } from './photos.mjs';

const yoga = createYoga({
  schema: createSchema({ typeDefs, resolvers }),
  context: () => ({ loaders: createLoaders() }),
  logging: false,
});
const server = createServer((request, response) => void yoga(request, response));
server.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${server.address().port}`));
