// Rows of area A that the photo-share example has no field for, on a small schema of their own.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createGraphCaller, describeTransports, spec, startApp } from './suite.ts';

const SCHEMA = `
scalar DateTime

"A thing that is measured."
type Sample @entity {
  id: ID!
  weight: Float!
  sealed: Boolean!
  count: Int!
  taken: DateTime!
  notes: [String]
  tags: [String!]
  marks: [Int]!
  colours: [String!]!
}

input NewSample {
  weight: Float!
  sealed: Boolean!
  count: Int!
  taken: DateTime!
  notes: [String]
  tags: [String!]
  marks: [Int]!
  colours: [String!]!
}

type Query {
  sample(id: ID!): Sample
  samples(first: Int = 10, start: Int = 0): [Sample!]!
}

type Mutation {
  createSample(input: NewSample!): Sample!
}
`;
const VALUES = {
  weight: 2.5,
  sealed: true,
  count: 3,
  taken: '2026-01-02T03:04:05.000Z',
  marks: [1, null],
  colours: ['red'],
};
const CREATE = `mutation ($input: NewSample!) {
  createSample(input: $input) { id weight sealed count taken notes tags marks colours }
}`;

describeTransports('A. Types beyond the example', (transport) => {
  const withApp = async (work: (graph: ReturnType<typeof createGraphCaller>) => Promise<void>): Promise<void> => {
    const app = await startApp(
      { schemaText: SCHEMA, csrf: { enabled: false }, rules: [{ any: true, access: 'permitAll' }] },
      transport,
    );
    try {
      await work(createGraphCaller(app));
    } finally {
      await app.close();
    }
  };

  spec('A.scalar.2', 'Float goes in and comes out as a number', () =>
    withApp(async (graph) => {
      const { createSample } = await graph.data<{ createSample: { weight: unknown } }>(CREATE, { input: VALUES });
      equal(createSample.weight, 2.5);
    }),
  );

  spec('A.scalar.5', 'Boolean goes in and comes out as a boolean', () =>
    withApp(async (graph) => {
      const { createSample } = await graph.data<{ createSample: { sealed: unknown } }>(CREATE, {
        input: { ...VALUES, sealed: false },
      });
      equal(createSample.sealed, false);
    }),
  );

  spec('A.scalar.1', 'Int is 32 bits wide', () =>
    withApp(async (graph) => {
      const { body } = await graph.post({ query: CREATE, variables: { input: { ...VALUES, count: 2 ** 31 } } });
      match(body.errors![0]!.message, /Int cannot represent non 32-bit signed integer value/);
    }),
  );

  spec('A.rule.2', 'a malformed DateTime is refused, a zone is normalised', () =>
    withApp(async (graph) => {
      const { body } = await graph.post({ query: CREATE, variables: { input: { ...VALUES, taken: 'yesterday' } } });
      ok(body.errors!.length > 0);
      const { createSample } = await graph.data<{ createSample: { taken: string } }>(CREATE, {
        input: { ...VALUES, taken: '2026-01-02T04:04:05+01:00' },
      });
      equal(createSample.taken, '2026-01-02T03:04:05.000Z');
    }),
  );

  spec('A.rule.5', 'the four list forms, with and without nulls', () =>
    withApp(async (graph) => {
      const { createSample } = await graph.data<{ createSample: Record<string, unknown> }>(CREATE, {
        input: { ...VALUES, notes: ['a', null], tags: null },
      });
      deepEqual(
        [createSample['notes'], createSample['tags'], createSample['marks'], createSample['colours']],
        [['a', null], null, [1, null], ['red']],
      );
      for (const wrong of [{ marks: null }, { colours: [null] }, { tags: ['x', null] }]) {
        const { body } = await graph.post({ query: CREATE, variables: { input: { ...VALUES, ...wrong } } });
        ok(body.errors!.length > 0, JSON.stringify(wrong));
      }
    }),
  );
});
