// PostGraphile 5 with its Amber preset over the bench's tables, as its documentation starts it on node:http.
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { announce } from './announce.mjs';

const preset = {
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: process.argv[2], schemas: ['public'], poolConfig: { max: 10 } })],
  grafserv: { graphqlPath: '/graphql', watch: false, graphiql: false },
  grafast: { explain: false },
};
const instance = postgraphile(preset);
const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${server.address().port}`));
