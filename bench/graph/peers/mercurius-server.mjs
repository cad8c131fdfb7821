// mercurius on fastify with its own loaders and graphql-jit.
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { announce } from './announce.mjs';
import { batches, Query, typeDefs } from './photos.mjs';

/** A loader of mercurius; several objects may ask for one key. */
const loader = (batch, key) => ({
  loader: async (queries) => {
    const keys = [...new Set(queries.map(({ obj }) => obj[key]))];
    const found = batch(keys);
    const byKey = new Map(keys.map((each, index) => [each, found[index]]));
    return queries.map(({ obj }) => byKey.get(obj[key]));
  },
  opts: { cache: false },
});

const app = Fastify();
app.register(mercurius, {
  schema: typeDefs,
  resolvers: { Query },
  loaders: {
    Photo: { postedBy: loader(batches.userByLogin, 'posted_by'), taggedUsers: loader(batches.taggedUsers, 'id') },
    User: {
      postedPhotos: loader(batches.postedPhotos, 'githubLogin'),
      inPhotos: loader(batches.inPhotos, 'githubLogin'),
    },
  },
  jit: 1,
});
announce(await app.listen({ port: 0, host: '127.0.0.1' }));
