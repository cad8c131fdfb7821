// What bench/graph/subscribers.ts measures us against: graphql-ws over a schema of graphql-js, its events from a set of
// callbacks in memory, no database, no security. The same operations as subscriber-server.ts.
import { createServer } from 'node:http';
import { buildSchema, graphql } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { serveBench } from '../lib/serve.ts';

const schema = buildSchema(/* GraphQL */ `
  type Note {
    id: ID!
    title: String!
    likes: Int
    created: String!
  }
  input CreateNoteInput {
    title: String!
    likes: Int
  }
  type Query {
    note(id: ID!): Note
  }
  type Mutation {
    createNote(input: CreateNoteInput!): Note!
  }
  type Subscription {
    noteCreated: Note!
  }
`);

interface Note {
  readonly id: string;
  readonly title: string;
  readonly created: string;
}
const listeners = new Set<(note: Note) => void>();
let last = 0;

async function* notes(): AsyncGenerator<{ readonly noteCreated: Note }> {
  const waiting: Note[] = [];
  let wake = (): void => undefined;
  const listener = (note: Note): void => {
    waiting.push(note);
    wake();
  };
  listeners.add(listener);
  try {
    for (;;) {
      const note = waiting.shift();
      if (note !== undefined) yield { noteCreated: note };
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    listeners.delete(listener);
  }
}

const rootValue = {
  noteCreated: notes,
  createNote({ input }: { readonly input: { readonly title: string } }): Note {
    const note = { ...input, id: String(++last), created: new Date().toISOString() };
    for (const listener of listeners) listener(note);
    return note;
  },
};

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  const answer = async (): Promise<void> => {
    const { query } = JSON.parse(String(Buffer.concat(chunks))) as { query: string };
    const body = JSON.stringify(await graphql({ schema, rootValue, source: query }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  };
  request.on('end', () => void answer());
});
useServer({ schema, roots: { subscription: rootValue } }, new WebSocketServer({ server, path: '/graphql' }));
serveBench(server);
