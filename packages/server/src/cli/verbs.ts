// Table of all verbs with their arguments and options, shared by the parser, help and suggestions. A verb's code is in
// the file of its name.

export interface OptionSpec {
  /** Name of the value in the usage line; undefined for a switch. */
  readonly value?: string;
  readonly doc: string;
}

export interface VerbSpec {
  /** Names of the arguments; `[x]` is optional, `x…` may repeat. */
  readonly arguments: readonly string[];
  readonly summary: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly examples: readonly string[];
}

const json: OptionSpec = { doc: 'Print the result as JSON.' };
const data: OptionSpec = { value: 'folder', doc: 'Folder for database and index (default: the configuration says).' };

/** In the order in which help lists them. */
export const VERBS = {
  start: {
    arguments: ['dir'],
    summary: 'Serve the application in a folder.',
    options: {
      port: { value: 'number', doc: 'Port to listen on; 0 takes a free one. Also the variable PORT.' },
      host: {
        value: 'address',
        doc: 'Address to listen on; 0.0.0.0 is every network, as a container needs it. Also the variable HOST.',
      },
      data,
    },
    examples: ['lockstitch start examples/photo-share --port 8080'],
  },
  search: {
    arguments: [],
    summary: "Serve search alone, as Elasticsearch's clients know it, without an application.",
    options: {
      port: { value: 'number', doc: 'Port to listen on; 0 takes a free one (default: the variable PORT, else 9200).' },
      host: { value: 'address', doc: 'Address to listen on (default: the variable HOST, else 127.0.0.1).' },
      data: {
        value: 'folder',
        doc: 'Folder that keeps the indexes (default: the variable LOCKSTITCH_DATA, else in memory).',
      },
      open: { doc: 'Require no credentials; on this machine only. For tests.' },
    },
    examples: ['lockstitch search --data ./indexes', 'lockstitch search --open --port 0'],
  },
  check: {
    arguments: ['dir'],
    summary:
      'List every mistake in schema, configuration and resolvers, without starting. The exit code is 1 when there is any.',
    options: {
      integrity: {
        doc: "Read the whole database, too: SQLite's own check, and each value against the type of its field. The exit code is 1 when anything is damaged.",
      },
      data,
      json,
    },
    examples: ['lockstitch check .', 'lockstitch check . --integrity'],
  },
  init: {
    arguments: ['dir'],
    summary: 'Write a small application into a new or empty folder.',
    options: {},
    examples: ['lockstitch init my-app && lockstitch start my-app'],
  },
  adopt: {
    arguments: ['database', 'dir'],
    summary:
      'Write an application over the tables of an existing PostgreSQL or SQLite database into a new folder. Reads the database and changes nothing in it; for a folder that was adopted before, lists what has changed since.',
    options: { json },
    examples: [
      'lockstitch adopt DATABASE_URL shop',
      'lockstitch adopt postgres://reader@db.example.com/shop shop',
      'lockstitch adopt ./shop.db shop',
    ],
  },
  import: {
    arguments: ['dir', 'Type', 'file…'],
    summary:
      'Load rows of a type from NDJSON, JSON, CSV or TSV files, packed as .gz or not. Nothing is written when a row is wrong.',
    options: {
      data,
      format: { value: 'name', doc: 'ndjson, json, csv or tsv (default: by the name of the file).' },
      upsert: { doc: 'Update the objects that exist, with what their rows name, and create the others.' },
      by: { value: 'fields', doc: 'With --upsert: the unique key that finds an object, as email or owner,slug.' },
      'skip-bad': { doc: 'Write the good rows although others are wrong.' },
      'dry-run': { doc: 'Check every row and write nothing.' },
      json,
    },
    examples: [
      'lockstitch import . Photo photos.ndjson.gz',
      'lockstitch import . User users.csv --skip-bad',
      'lockstitch import . User users.csv --upsert --by email',
    ],
  },
  plan: {
    arguments: ['dir'],
    summary: 'Show what the database must change to hold the schema, as steps and SQL. Changes nothing.',
    options: { data, json },
    examples: ['lockstitch plan .'],
  },
  migrate: {
    arguments: ['dir', '[step…]'],
    summary: 'Change the database so that it holds the schema, in one transaction. Steps that lose data must be named.',
    options: {
      'allow-loss': { doc: 'The steps named after it may lose what "lockstitch plan" says they lose.' },
      data,
      json,
    },
    examples: ['lockstitch migrate .', 'lockstitch migrate . --allow-loss "drop photos.description"'],
  },
  index: {
    arguments: ['status|verify|rebuild|copy', 'dir', '[index…]'],
    summary:
      'Show the status of the search indexes, compare them with the data and repair what differs, rebuild them, or copy them for one more server. Works with and without a running server.',
    options: {
      to: { value: 'folder', doc: 'With copy: the new data folder, of a server on the same database.' },
      'dry-run': { doc: 'With verify: name what differs and leave it; the exit code is 1 when anything does.' },
      data,
      json,
    },
    examples: [
      'lockstitch index status .',
      'lockstitch index verify . --dry-run',
      'lockstitch index rebuild . photos',
      'lockstitch index copy . --to /srv/second',
    ],
  },
  backup: {
    arguments: ['dir'],
    summary:
      'Write application, database and the search indexes of clients to one file, also of a running server. Never overwrites.',
    options: {
      to: { value: 'file', doc: 'The new archive: a .tar.gz that only its owner can read.' },
      'with-indexes': { doc: 'Copy the search indexes of the schema, too; they are built after a restore otherwise.' },
      data,
      json,
    },
    examples: ['lockstitch backup . --to ../app-2026-11-23.tar.gz'],
  },
  restore: {
    arguments: ['file', 'dir'],
    summary: 'Make a new folder of a backup, after every checksum was compared. Never overwrites.',
    options: {
      database: {
        value: 'url',
        doc: 'Empty database to fill, or the new place of an SQLite file that was outside the folder. Also the variable DATABASE_URL.',
      },
      data: { value: 'folder', doc: 'New place of a data folder that was outside the folder.' },
      json,
    },
    examples: ['lockstitch restore app-2026-11-23.tar.gz ./restored'],
  },
  export: {
    arguments: ['dir', '[Type…]'],
    summary: 'Write the rows of types, or of all, to files as "lockstitch import" takes them. Reads without rules.',
    options: {
      to: { value: 'folder', doc: 'Folder of the files, one for each type. Nothing in it is overwritten.' },
      format: { value: 'name', doc: 'ndjson (default) or csv.' },
      data,
      json,
    },
    examples: ['lockstitch export . --to ../exported', 'lockstitch export . Photo --to ../exported --format csv'],
  },
  types: {
    arguments: ['dir'],
    summary: 'Print the TypeScript types of the schema: objects, inputs, arguments and resolvers.',
    options: { out: { value: 'file', doc: 'Write them to this file.' } },
    examples: ['lockstitch types . --out schema-types.ts'],
  },
  policy: {
    arguments: ['list|explain|test', '[argument…]'],
    summary:
      'Show the security chain and its rules in order; which rule decides a request, or who reads an object, and why; or test that no answer tells of hidden data.',
    options: {
      as: { value: 'user', doc: 'Explain or test for this user (default: an anonymous caller; test: every account).' },
      cases: { value: 'number', doc: 'Requests that test asks (default: 2000).' },
      seed: { value: 'number', doc: 'Repeats a test.' },
      engine: { doc: 'Test on the search cluster of the configuration, with indexes that are deleted at the end.' },
      data,
      json,
    },
    examples: [
      'lockstitch policy list .',
      'lockstitch policy explain POST /graphql . --as ada',
      'lockstitch policy explain Photo 17 . --as ada',
      'lockstitch policy test .',
    ],
  },
  user: {
    arguments: ['add|list|passwd|lock|unlock|delete', 'dir', '[name]'],
    summary:
      "Keep the accounts of an application with userStore: 'sql'. Passwords are asked for, or read as one line from standard input.",
    options: {
      authorities: { value: 'names', doc: 'What a new user may do: read,write.' },
      roles: { value: 'names', doc: 'Roles of a new user, without ROLE_: ADMIN,EDITOR.' },
      data,
      json,
    },
    examples: [
      'lockstitch user add . ada --roles ADMIN',
      'lockstitch user list . --json',
      'lockstitch user lock . ada',
    ],
  },
  help: {
    arguments: ['[verb]'],
    summary: 'Explain the verbs, or one of them.',
    options: {},
    examples: ['lockstitch help import'],
  },
} as const satisfies Readonly<Record<string, VerbSpec>>;

export type VerbName = keyof typeof VERBS;
