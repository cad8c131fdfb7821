// `lockstitch init`: writes a small application that runs at once, into a new or empty folder.
import { basename, resolve } from 'node:path';

import { shownPath } from '../config/load-config.ts';
import { findClone, packageFiles, shellWord, writeNewFolder } from './new-folder.ts';
import type { Command } from './parse-arguments.ts';
import type { Terminal } from './terminal.ts';

const SCHEMA = `"A note that somebody wrote down."
type Note @entity {
  id: ID!
  title: String! @search
  text: String @search
  created: DateTime! @default(value: "now") @search
  author: Author!
}

type Author @entity {
  login: ID! @id @search
  name: String @search
  notes: [Note!]!
}

scalar DateTime

enum SortDirection {
  ASCENDING
  DESCENDING
}

enum SortableNoteField {
  title
  created
}

type Query {
  note(id: ID!): Note
  notes(
    first: Int = 25
    start: Int = 0
    sort: SortDirection = DESCENDING
    sortBy: SortableNoteField = created
  ): [Note!]!
  author(login: ID!): Author
  authors(first: Int = 25, start: Int = 0): [Author!]!
}

input CreateNoteInput {
  title: String!
  text: String
  author: ID!
}

input CreateAuthorInput {
  login: ID!
  name: String
}

type Mutation {
  createAuthor(input: CreateAuthorInput!): Author!
  createNote(input: CreateNoteInput!): Note!
  deleteNote(id: ID!): Note
}
`;

const CONFIG = `import { type Config, JSON_PATHS } from 'lockstitch';

// Every key with its default: docs/reference/configuration.md. Without "rules" every path needs a valid user by HTTP Basic;
// without "users" there is one, and a new random password is printed at each start.
export default {
  port: 4000,
  // No token for GraphQL and for what reads in search: bodies must be application/json there, which no other origin's page can send
  // without asking first. Take this line out where \`cors\` allows an origin that you do not trust.
  csrf: { ignore: JSON_PATHS },
} satisfies Config;
`;

const readme = (name: string, help: string): string => `# ${name}

    npm install
    npm start

prints where it listens and the user with its password. Then, with them in place of \`user:password\`:

    curl -u user:password localhost:4000/graphql -H 'Content-Type: application/json' \\
      -d '{"query":"mutation { createAuthor(input: {login: \\"ada\\", name: \\"Ada\\"}) { login } }"}'
    curl -u user:password localhost:4000/graphql -H 'Content-Type: application/json' -H 'Lockstitch-Wait: 2000' \\
      -d '{"query":"mutation { createNote(input: {title: \\"A first note\\", author: \\"ada\\"}) { id } }"}'
    curl -u user:password 'localhost:4000/notes/_search?q=title:note&pretty'

\`Lockstitch-Wait\` holds the answer back until a search finds the note; without it that takes some milliseconds more. \`npm run check\`
names every mistake in the files below, with its line and what to write instead; ${help} lists the other commands.

| File | Holds |
|---|---|
| \`schema.graphql\` | the types: what is stored, what can be asked, what is searchable |
| \`lockstitch.config.ts\` | port, users, rules |
| \`package.json\` | how to start; ask for another port or address with \`PORT\` and \`HOST\` |
| \`.lockstitch/\` | the data; made at the first start, not for version control |

A copy of this folder is a second application. Before you start it beside the first one, give it a port (\`PORT\`), and if the first has them, a
database (\`DATABASE_URL\`) and a prefix on the search cluster (\`SEARCH_PREFIX\`) of its own. The command \`backup\` saves an application while it
runs, and \`restore\` brings it back into a new folder.
`;

export function init({ arguments: [folder = '.'] }: Command, { out }: Terminal): number {
  const path = resolve(folder);
  const files = filesOf(path);
  writeNewFolder(folder, files);
  out.write(
    `Wrote ${Object.keys(files).join(', ')} into ${shownPath(path)}.\nStart it: cd ${shellWord(folder)} && npm install && npm start\n`,
  );
  return 0;
}

function filesOf(path: string): Readonly<Record<string, string>> {
  return {
    'schema.graphql': SCHEMA,
    'lockstitch.config.ts': CONFIG,
    'README.md': readme(
      basename(path),
      findClone() === undefined ? '`npx lockstitch help`' : '`npm run lockstitch -- help`, in the clone of Lockstitch,',
    ),
    ...packageFiles(path),
  };
}
