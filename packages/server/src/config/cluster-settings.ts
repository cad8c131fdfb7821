// The keys of `search` about a cluster: what they hold, what they refuse, and where their values come from.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import type { ConfigProblem } from './check-config.ts';
import type { ResolvedConfig } from './config.ts';
import { variableOf } from './database-address.ts';
import { choice, group, integer, list, milliseconds, text, textLike } from './setting.ts';

/** Whether a text is the address of a node: one with credentials would show them wherever addresses are shown. */
function isNode(node: string): boolean {
  if (!URL.canParse(node)) return false;
  const { password, protocol, username } = new URL(node);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** Whether what is sent to a node may be read on its way. */
function isOpenNode(node: string): boolean {
  const { hostname, protocol } = new URL(node);
  return protocol === 'http:' && !/^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

const PREFIX = 'a name of lower-case letters, digits and hyphens that starts with a letter';

function isPrefix(prefix: string): boolean {
  return /^[a-z][\da-z-]{0,60}$/.test(prefix);
}

export const CLUSTER_SETTINGS = {
  nodes: {
    shape: list(
      textLike('https://search.example.com:9200', 'an address as https://host:9200, without a password', isNode),
    ),
    doc: 'Addresses of the cluster; a node that fails is left out for a while. In the variable they are separated by commas.',
    default: undefined,
    environment: 'SEARCH_URL',
  },
  auth: {
    shape: group({
      username: { shape: text('lockstitch'), doc: 'User for basic authentication.', default: undefined },
      password: {
        shape: text('env:SEARCH_PASSWORD'),
        doc: 'Its password; `env:SEARCH_PASSWORD` names the variable that holds it.',
        default: undefined,
        secret: true,
      },
      apiKey: {
        shape: text('env:SEARCH_API_KEY'),
        doc: 'An API key instead, encoded as the cluster shows it; `env:SEARCH_API_KEY` names the variable that holds it.',
        default: undefined,
        secret: true,
      },
    }),
    doc: 'What the cluster asks for.',
    default: undefined,
    defaultText: 'nothing',
  },
  ca: {
    shape: text('./search-ca.pem'),
    doc: 'File of the certificates that may sign those of the cluster, PEM, relative to the folder.',
    default: undefined,
    defaultText: 'those of Node',
  },
  prefix: {
    shape: textLike('photos', PREFIX, isPrefix),
    doc: 'What the names of all indexes and aliases on the cluster start with. Each application, and each copy of one, needs one of its own.',
    environment: 'SEARCH_PREFIX',
    default: 'lockstitch',
  },
  shards: { shape: integer(1, 1024), doc: 'Shards of an index on the cluster.', default: 1 },
  replicas: {
    shape: integer(0, 20),
    doc: 'Copies of each shard; 0 loses an index with its disk, and builds it again.',
    default: 1,
  },
  scores: {
    shape: choice('exact', 'fast'),
    doc: 'On a cluster: `exact` are the scores of the embedded engine; `fast` takes a constant for the average length of texts, and skips what cannot be among the best.',
    default: 'exact',
  },
} as const;

/** What means nothing on a cluster. */
export const EMBEDDED_SETTINGS = {
  maxBulkOperations: {
    shape: integer(1),
    doc: 'Operations of one bulk request; a larger one is refused before anything is written.',
    default: 300_000,
  },
  memoryBudget: {
    shape: integer(16 * 2 ** 20),
    doc: 'What all indexes and their buffers may take in memory; beyond, writes to indexes of clients are refused with 429, and the indexes of the schema stand still.',
    unit: 'bytes',
    default: 4 * 2 ** 30,
  },
  maxTurn: {
    shape: milliseconds(0),
    doc: 'How long one search may hold the event loop; one that takes longer starts again in a thread. 0 runs all in threads.',
    unit: 'ms',
    default: 5,
  },
} as const;

/** What does not go together. */
export function findSearchProblems({ search }: ResolvedConfig): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const refuse = (key: string, message: string, hint: string): void =>
    void problems.push({ keys: ['search', key], message, hint });
  if (search.engine === 'embedded') {
    for (const [key, { default: usual, ...setting }] of Object.entries(CLUSTER_SETTINGS)) {
      const variable = 'environment' in setting ? ` Without a cluster ${setting.environment} must not be set.` : '';
      if (search[key as keyof typeof CLUSTER_SETTINGS] !== usual)
        refuse(
          key,
          `"search.${key}" is about a cluster, and the engine is embedded.`,
          `Write engine: 'opensearch' or engine: 'elasticsearch', or leave it out.${variable}`,
        );
    }
    return problems;
  }
  if (search.nodes === undefined || search.nodes.length === 0)
    refuse(
      'nodes',
      `No address of the cluster is given for search.engine: '${search.engine}'.`,
      "Write nodes: ['https://search.example.com:9200'], or set SEARCH_URL.",
    );
  for (const [key, { default: usual }] of Object.entries(EMBEDDED_SETTINGS))
    if (search[key as keyof typeof EMBEDDED_SETTINGS] !== usual)
      refuse(
        key,
        `"search.${key}" is about the embedded engine.`,
        'Leave it out: the cluster has settings of its own.',
      );
  if (search.ownIndexes === true)
    refuse(
      'ownIndexes',
      'Indexes of clients cannot lie on the cluster.',
      'Leave ownIndexes out; clients that may reach the cluster keep their indexes there.',
    );
  const { apiKey, password, username } = search.auth ?? {};
  const isBasic = username !== undefined && password !== undefined;
  if (search.auth !== undefined && (apiKey === undefined ? !isBasic : username !== undefined || password !== undefined))
    refuse(
      'auth',
      '"search.auth" needs either username and password, or apiKey.',
      "Write auth: { apiKey: 'env:SEARCH_API_KEY' }.",
    );
  const open = search.nodes?.find(isOpenNode);
  if (search.auth !== undefined && open !== undefined)
    refuse(
      'nodes',
      `"search.auth" would be sent to ${open} without TLS, for everybody on the way to read.`,
      'Write https:// in "search.nodes" or SEARCH_URL; http:// is for a node of this machine, or for a cluster that asks for nothing.',
    );
  if (search.ca !== undefined && search.nodes?.every((node) => node.startsWith('http:')) === true)
    refuse(
      'ca',
      'No node of the cluster has TLS, so "search.ca" checks nothing.',
      'Write https:// in "search.nodes" or SEARCH_URL.',
    );
  if (search.ca !== undefined && !existsSync(search.ca))
    refuse('ca', 'The file of "search.ca" is not there.', 'The path is relative to the folder of the application.');
  return problems;
}

/**
 * Follows the variables of `auth`, and makes the file of `ca` absolute. A value whose variable is not set stays as it is: without the
 * cluster, an application can still be checked.
 */
export function locateCluster(
  search: ResolvedConfig['search'],
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): ResolvedConfig['search'] {
  const valueOf = (given: string | undefined): string | undefined => {
    const variable = given === undefined ? undefined : variableOf(given);
    return variable === undefined ? given : (environment[variable] ?? given);
  };
  const { auth, ca } = search;
  return {
    ...search,
    ca: ca === undefined ? undefined : resolve(folder, ca),
    auth: auth && {
      username: valueOf(auth.username),
      password: valueOf(auth.password),
      apiKey: valueOf(auth.apiKey),
    },
  };
}

/** The addresses in a variable. @throws Error */
export function readNodes(text: string | undefined): readonly string[] | undefined {
  if (text === undefined || text === '') return undefined;
  const nodes = text.split(',').map((node) => node.trim());
  if (nodes.every(isNode)) return nodes;
  throw new Error('SEARCH_URL must be addresses as https://host:9200, separated by commas and without a password.');
}

/** The prefix in a variable. @throws Error */
export function readPrefix(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (isPrefix(text)) return text;
  throw new Error(`SEARCH_PREFIX must be ${PREFIX}, not "${text}".`);
}
