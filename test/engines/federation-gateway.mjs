// A gateway of Apollo Federation over the subgraphs that its first argument names: composes their SDL and answers the
// operations. It runs in the folder where the gateway is installed, whose graphql-js is not ours.
import { ApolloGateway, IntrospectAndCompose, RemoteGraphQLDataSource } from '@apollo/gateway';
import { parse } from 'graphql';

const { subgraphs, operations } = JSON.parse(process.argv[2]);
const user = { name: undefined };
const gateway = new ApolloGateway({
  supergraphSdl: new IntrospectAndCompose({ subgraphs }),
  buildService: ({ url }) =>
    new RemoteGraphQLDataSource({
      url,
      willSendRequest: ({ request }) => user.name && request.http.headers.set('x-user', user.name),
    }),
});
const { executor } = await gateway.load();
const answers = [];
for (const { query, as } of operations) {
  user.name = as;
  const document = parse(query);
  const answer = await executor({
    request: { query, variables: {} },
    operationName: undefined,
    document,
    queryHash: query,
    context: {},
    metrics: {},
    overallCachePolicy: {},
    schema: gateway.schema,
    logger: console,
    cache: new Map(),
  });
  answers.push({ data: answer.data, codes: answer.errors?.map(({ extensions }) => extensions?.code) });
}
await gateway.stop();
process.stdout.write(`ANSWERS ${JSON.stringify(answers)}\n`);
process.exit(0);
