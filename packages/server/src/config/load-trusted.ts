// The operations known beforehand, from a JSON file of texts by id. Each must be one that the schema can answer: a client that
// is out of step with the schema is found out when the server starts, not when its user clicks.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import type { Model } from '@lockstitch/graph';
import { parse, validate } from 'graphql';

import type { Problem } from './load-config.ts';

/** Texts of operations by their ids. */
export type Trusted = Readonly<Record<string, string>>;

/** Reads the file, and adds what is wrong with it to `problems`. */
export function loadTrusted(file: string, folder: string, model: Model, problems: Problem[]): Trusted {
  const where = resolve(folder, file);
  const hint = 'Write a JSON object: { "<id>": "query { … }" }.';
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(where, 'utf8'));
  } catch (error) {
    problems.push({ where: file, message: `The trusted operations cannot be read: ${reasonOf(error)}`, hint });
    return {};
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    problems.push({ where: file, message: 'The trusted operations are no JSON object.', hint });
    return {};
  }
  const trusted: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [id, text] of Object.entries(read as Readonly<Record<string, unknown>>)) {
    const fault = typeof text === 'string' ? faultOf(text, model) : 'it is no text';
    if (fault !== undefined) {
      problems.push({
        where: file,
        message: `The trusted operation "${id}" cannot be answered: ${fault}`,
        hint: 'Build the file again from the operations of the client, or mend the schema.',
      });
    } else trusted[id] = text as string;
  }
  return trusted;
}

function faultOf(text: string, model: Model): string | undefined {
  try {
    return validate(model.schema, parse(text))[0]?.message;
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
