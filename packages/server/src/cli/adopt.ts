// `lockstitch adopt`: writes an application over the tables of an existing database, or lists what has changed in the
// database since. The address is never written: the configuration names the variable that holds it.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

import {
  type Adoption,
  compareDescriptions,
  type DatabaseChange,
  type DatabaseDescription,
  describePostgres,
  describeSqlite,
  printAdoptedSchema,
  openPostgresStore,
  openTablesOf,
  printReport,
  settleAdoption,
} from '@lockstitch/graph';

import { printable, reasonOf } from '@lockstitch/kernel';

import { checkApp, printProblem } from '../app/load-app.ts';
import { isPostgresUrl, sqliteFile } from '../config/database-address.ts';
import { shownPath } from '../config/load-config.ts';
import { serverErrors } from '../errors.ts';
import { packageFiles, shellWord, writeNewFolder } from './new-folder.ts';
import type { Command } from './parse-arguments.ts';
import type { Terminal } from './terminal.ts';

/** A database to adopt. */
interface Source {
  readonly kind: 'postgres' | 'sqlite';
  /** Address, or absolute path. */
  readonly url: string;
  /** For messages: without a password. */
  readonly shown: string;
  /** The variable that holds the address, as far as the command line says. */
  readonly variable: string;
}

export async function adopt({ arguments: words, switches }: Command, terminal: Terminal): Promise<number> {
  const [address = '', folder = ''] = words;
  const source = readSource(address, terminal.environment);
  const former = formerDescription(folder);
  const description = await describe(source);
  if (former !== undefined) return await compare(former, description, folder, source, switches.has('json'), terminal);
  const adoption = await settle(description, source);
  if (adoption.types.length === 0) throw nothingToAdopt(adoption, source);
  const files = filesOf(adoption, description, source, resolve(folder));
  writeNewFolder(folder, files);
  const reading = await checkApp(folder, terminal.environment);
  if (switches.has('json')) {
    const { leftOut, notes } = adoption;
    const types = adoption.types.map(({ name }) => name);
    const report = { files: Object.keys(files), types, leftOut: leftOut.map(named), notes: notes.map(named) };
    terminal.out.write(`${JSON.stringify(report, undefined, 2)}\n`);
  } else terminal.out.write(printResult(adoption, folder, source));
  if (reading.kind === 'good') return 0;
  terminal.err.write(
    `"lockstitch check" finds mistakes in what was written:\n${reading.problems.map(printProblem).join('\n')}\n`,
  );
  return 1;
}

/** An entry for JSON: its table by name. */
function named({ table: { schema, name }, ...rest }: Adoption['leftOut'][number] | Adoption['notes'][number]): object {
  return { table: schema === undefined ? name : `${schema}.${name}`, ...rest };
}

/** Reads the first argument. Its text may hold a password, so no message quotes it. */
function readSource(address: string, environment: Terminal['environment']): Source {
  const held = /^[A-Za-z_]\w*$/.test(address) ? environment[address] : undefined;
  const url = held ?? address;
  const variable = held === undefined ? 'DATABASE_URL' : address;
  const refuse = (reason: string): Error => serverErrors.create('SERVER_ADOPT_ADDRESS', { reason });
  if (isPostgresUrl(url)) {
    if (!URL.canParse(url)) throw refuse('it starts with postgres:// and is no valid URL');
    const parsed = new URL(url);
    parsed.password = '';
    parsed.search = '';
    return { kind: 'postgres', url, shown: parsed.href, variable };
  }
  const file = sqliteFile(url) ?? url;
  const scheme = /^([a-z][a-z+]+):\/\//.exec(file)?.[1];
  if (scheme !== undefined && scheme !== 'file') throw refuse(`"${scheme}" is not PostgreSQL or SQLite`);
  const path = resolve(file.replace(/^file:(?:\/\/)?/, ''));
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw refuse('there is no such file, and no variable of that name');
  if (!found.isFile()) throw refuse('it is a folder');
  return { kind: 'sqlite', url: path, shown: shownPath(path), variable };
}

async function describe({ kind, url, shown }: Source): Promise<DatabaseDescription> {
  try {
    return kind === 'postgres' ? await describePostgres(url) : describeSqlite(url);
  } catch (error) {
    const hint =
      kind === 'postgres'
        ? 'Check that it runs, and the user, the password and the name in its address.'
        : 'Check that it is an SQLite database, and that this user may read it.';
    throw serverErrors.create(
      'SERVER_DATABASE_UNREACHABLE',
      { database: shown, reason: reasonOf(error) },
      { cause: error, hint },
    );
  }
}

async function settle(description: DatabaseDescription, { kind, url }: Source): Promise<Adoption> {
  const store =
    kind === 'postgres' ? await openPostgresStore({ url, connections: 1 }) : await openTablesOf(description);
  try {
    return await settleAdoption(description, store);
  } finally {
    await store.close();
  }
}

/** Description of the last adoption into the folder; undefined if there was none. */
function formerDescription(folder: string): DatabaseDescription | undefined {
  const file = lastOf(folder);
  return file === undefined ? undefined : JSON.parse(readFileSync(file, 'utf8'));
}

/** Path of the newest description in a folder: adopted.json, adopted-2.json, … */
function lastOf(folder: string): string | undefined {
  let last: string | undefined;
  for (let count = 1; existsSync(descriptionFile(folder, count)); count++) last = descriptionFile(folder, count);
  return last;
}

function descriptionFile(folder: string, count: number): string {
  return join(resolve(folder), count === 1 ? 'adopted.json' : `adopted-${count}.json`);
}

/** Lists what has changed; writes a new description beside the former ones if anything has. */
async function compare(
  former: DatabaseDescription,
  now: DatabaseDescription,
  folder: string,
  source: Source,
  asJson: boolean,
  { out }: Terminal,
): Promise<number> {
  if (former.dialect !== now.dialect) {
    const nameOf = (each: DatabaseDescription): string =>
      each.dialect === 'sqlite' ? 'an SQLite file' : 'a PostgreSQL database';
    throw serverErrors.create('SERVER_ADOPT_OTHER', { folder, former: nameOf(former), now: nameOf(now) });
  }
  const changes = compareDescriptions(former, now);
  if (changes.length > 0) await writeComparison(changes, now, folder, source);
  if (asJson) out.write(`${JSON.stringify({ changes }, undefined, 2)}\n`);
  else if (changes.length === 0) out.write(`Nothing has changed in ${source.shown} since it was adopted.\n`);
  else {
    const lines = changes.map((change) => `  ${printable(printChange(change))}`).join('\n');
    out.write(
      `Changed in ${source.shown} since it was adopted:\n${lines}\nschema.graphql is as it was: ADOPTED-*.md says what an adoption would write now.\n`,
    );
  }
  return 0;
}

async function writeComparison(
  changes: readonly DatabaseChange[],
  now: DatabaseDescription,
  folder: string,
  source: Source,
): Promise<void> {
  let count = 2;
  while (existsSync(descriptionFile(folder, count))) count += 1;
  const adoption = await settle(now, source);
  const places = new Set(changes.map(({ place }) => place));
  const touched = adoption.types.filter(({ table }) => {
    const name = table.schema === undefined ? table.name : `${table.schema}.${table.name}`;
    return [...places].some((place) => place === name || place.startsWith(`${name}.`));
  });
  const schema =
    touched.length === 0
      ? []
      : [
          '',
          '## What an adoption would write now',
          '',
          '```graphql',
          printAdoptedSchema({ ...adoption, types: touched, views: [] }).trimEnd(),
          '```',
        ];
  const lines = changes.map((change) => `- ${printable(printChange(change))}`);
  const text = [
    '# What has changed',
    '',
    `In \`${source.shown}\` since the last adoption. Nothing was written but this file and its description.`,
    '',
    ...lines,
    ...schema,
    '',
  ].join('\n');
  writeFileSync(join(resolve(folder), `ADOPTED-${count}.md`), text, { flag: 'wx' });
  writeFileSync(descriptionFile(folder, count), printDescription(now), { flag: 'wx' });
}

function printChange({ kind, place, text }: DatabaseChange): string {
  return kind === 'changed' ? `changed: ${place}, ${text}` : `${kind}: ${place}, ${text}`;
}

function nothingToAdopt({ leftOut }: Adoption, { shown }: Source): Error {
  const lines = leftOut
    .filter(({ column }) => column === undefined)
    .map(
      ({ table: { schema, name }, reason }) =>
        `\n  ${printable(`${schema === undefined ? '' : `${schema}.`}${name}: ${reason}`)}`,
    );
  const reason = lines.length === 0 ? 'this user sees no table in it.' : `no table can be a type.${lines.join('')}`;
  return serverErrors.create('SERVER_ADOPT_NOTHING', { database: shown, reason });
}

function filesOf(
  adoption: Adoption,
  description: DatabaseDescription,
  source: Source,
  path: string,
): Readonly<Record<string, string>> {
  return {
    'schema.graphql': printAdoptedSchema(adoption),
    'lockstitch.config.ts': configOf(source, path),
    'ADOPTED.md': printReport(adoption, source.shown),
    'adopted.json': printDescription(description),
    ...packageFiles(path),
  };
}

function printDescription(description: DatabaseDescription): string {
  return `${JSON.stringify(description, undefined, 1)}\n`;
}

function configOf({ kind, url, variable }: Source, path: string): string {
  const [comment, address] =
    kind === 'postgres'
      ? [`The variable ${variable} holds the address, with the password.`, `env:${variable}`]
      : ['The adopted file, relative to this folder.', `sqlite:${relative(path, url)}`];
  return `import { type Config, JSON_PATHS } from 'lockstitch';

// Every key with its default: docs/reference/configuration.md.
export default {
  port: 4000,
  // ${comment}
  database: { url: ${quote(address)} },
  // The schema is for the role ADMIN only. Without "users" there is one user, whose new password each start prints.
  generatedUser: { roles: ['ADMIN'] },
  // No token for GraphQL and for what reads in search: bodies must be application/json there, which no other origin's page can send
  // without asking first. Take this line out where \`cors\` allows an origin that you do not trust.
  csrf: { ignore: JSON_PATHS },
} satisfies Config;
`;
}

function quote(text: string): string {
  return `'${printable(text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`))}'`;
}

function printResult({ types, leftOut }: Adoption, folder: string, { kind, shown, variable }: Source): string {
  const tables = leftOut.filter(({ column }) => column === undefined).length;
  const secrets = leftOut.filter((each) => each.kind === 'secret').length;
  const others = leftOut.length - tables - secrets;
  const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
  const left = `Left out: ${count(tables, 'table')}, ${count(secrets, 'column')} that look${secrets === 1 ? 's' : ''} like a secret, ${count(others, 'other column')}; ADOPTED.md says which and why.\n`;
  const start = kind === 'postgres' ? `${variable}=… npm start` : 'npm start';
  return `Adopted ${count(types.length, 'type')} from ${shown} into ${shownPath(resolve(folder))}.
${leftOut.length === 0 ? '' : left}Only the role ADMIN may read or write them, and nothing is searched, until schema.graphql says otherwise.
Start it: cd ${shellWord(folder)} && npm install && ${start}
`;
}
