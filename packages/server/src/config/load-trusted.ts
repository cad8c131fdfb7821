// Trusted operations from a JSON file: texts by id, or Apollo's manifest. Each is validated against the schema, so an
// outdated client is found when the server starts, not when its users click.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { reasonOf } from '@lockstitch/kernel';

import type { Model } from '@lockstitch/graph';
import { parse, validate, type DocumentNode, type OperationDefinitionNode } from 'graphql';

import type { Problem } from './load-config.ts';

/** Operation texts by id. */
export type Trusted = Readonly<Record<string, string>>;

/** Reads the file and adds its problems to `problems`. */
export function loadTrusted(file: string, folder: string, model: Model, problems: Problem[]): Trusted {
  const where = resolve(folder, file);
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(where, 'utf8'));
  } catch (error) {
    problems.push({
      where: file,
      message: `The trusted operations cannot be read: ${reasonOf(error)}`,
      hint: FILE_HINT,
    });
    return {};
  }
  if (!isMembers(read)) {
    problems.push({ where: file, message: 'The trusted operations are no JSON object.', hint: FILE_HINT });
    return {};
  }
  const listed = isManifest(read)
    ? readManifest(read)
    : { entries: Object.entries(read).map(toEntry), fault: undefined };
  if (listed.fault !== undefined) problems.push({ where: file, ...listed.fault });
  const trusted: Record<string, string> = Object.create(null);
  for (const { id, text, name, type } of listed.entries) {
    const known = trusted[id];
    const fault =
      typeof text !== 'string'
        ? 'it is no text'
        : known !== undefined && known !== text
          ? 'the file has another operation with this id'
          : faultOf(text, model, { name, type });
    if (fault !== undefined)
      problems.push({
        where: file,
        message: `The trusted operation "${id}" cannot be answered: ${fault}`,
        hint: 'Build the file again from the operations of the client, or correct the schema.',
      });
    else trusted[id] = text as string;
  }
  return trusted;
}

const FILE_HINT =
  'Write a JSON object of texts by id, { "<id>": "query { … }" }, or an Apollo manifest, { "format": "apollo-persisted-query-manifest", "version": 1, "operations": […] }.';

/** One operation of a file. A manifest also gives `name` and `type`. */
interface Entry {
  readonly id: string;
  readonly text: unknown;
  readonly name?: unknown;
  readonly type?: unknown;
}

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toEntry([id, text]: [string, unknown]): Entry {
  return { id, text };
}

const APOLLO = 'apollo-persisted-query-manifest';

/** In a manifest `operations` is a list; in a file of texts by id it could only be an id. */
function isManifest(read: Members): boolean {
  return read['format'] === APOLLO || (typeof read['operations'] === 'object' && read['operations'] !== null);
}

/** Apollo's manifest: format, version and a list of operations with id, name, type and body. */
function readManifest(read: Members): {
  readonly entries: readonly Entry[];
  readonly fault: Omit<Problem, 'where'> | undefined;
} {
  const { format, version, operations } = read;
  const wrong = (message: string): { readonly entries: readonly Entry[]; readonly fault: Omit<Problem, 'where'> } => ({
    entries: [],
    fault: { message, hint: FILE_HINT },
  });
  if (format !== APOLLO)
    return wrong(`The manifest of trusted operations has the format ${shown(format)}, which is not "${APOLLO}".`);
  if (version !== 1)
    return wrong(`The manifest of trusted operations has the version ${shown(version)}, which is not 1.`);
  if (!Array.isArray(operations)) return wrong('The manifest of trusted operations has no list "operations".');
  const entries: Entry[] = [];
  const faults: string[] = [];
  for (const [index, each] of operations.entries()) {
    const { id, name, type, body } = isMembers(each) ? each : {};
    if (!isMembers(each)) faults.push(`operations[${index}] is no object`);
    else if (typeof id !== 'string' || id === '') faults.push(`operations[${index}] has no text as its "id"`);
    else if (typeof body !== 'string') faults.push(`operations[${index}] ("${id}") has no text as its "body"`);
    else entries.push({ id, text: body, name, type });
  }
  if (faults.length === 0) return { entries, fault: undefined };
  return {
    entries,
    fault: {
      message: `The manifest of trusted operations is damaged: ${faults.join('; ')}.`,
      hint: 'Each operation is { "id": "…", "name": "…", "type": "query", "body": "query … { … }" }.',
    },
  };
}

function shown(value: unknown): string {
  return value === undefined ? '(none)' : JSON.stringify(value);
}

function faultOf(text: string, model: Model, said: Pick<Entry, 'name' | 'type'>): string | undefined {
  let document: DocumentNode;
  try {
    document = parse(text);
    const [wrong] = validate(model.schema, document);
    if (wrong !== undefined) return wrong.message;
  } catch (error) {
    return reasonOf(error);
  }
  const { name, type } = said;
  if (name === undefined && type === undefined) return undefined;
  const fits = document.definitions.some(
    (each): each is OperationDefinitionNode =>
      each.kind === 'OperationDefinition' &&
      (type === undefined || each.operation === type) &&
      (name === undefined || each.name?.value === name),
  );
  return fits ? undefined : `its body holds no ${shown(type ?? 'operation').slice(1, -1)} called ${shown(name)}`;
}
