// @apollo/server as its documentation starts it, with DataLoader; it keeps parsed and validated documents by itself.
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { announce } from './announce.mjs';
import { createLoaders, resolvers, typeDefs } from './photos.mjs';

const server = new ApolloServer({ typeDefs, resolvers, includeStacktraceInErrorResponses: false });
const { url } = await startStandaloneServer(server, {
  listen: { port: 0, host: '127.0.0.1' },
  context: async () => ({ loaders: createLoaders() }),
});
announce(url.replace(/\/$/, ''));
