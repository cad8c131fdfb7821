// The pipelines that are stored, in the metadata of the engine, and which of them a document that is written passes.
import type { Engine, Index } from '../../engine/engine-api.ts';
import { illegalArgument } from '../../errors/request-error.ts';
import type { Pipeline } from '../../ingest/pipeline.ts';
import { readPipeline } from '../../ingest/read-pipeline.ts';
import { isObject, type Json } from '../../json/json.ts';
import { settingsOf } from '../../settings/client-settings.ts';
import { composableTemplateOf, composed, readKind } from '../indices/composable-templates.ts';
import { checkMetadata, templateFor } from '../indices/templates.ts';
import { writeIndex } from '../request/index-names.ts';

/** Definitions by name; undefined where there has never been one. */
export function readPipelines(engine: Engine): Readonly<Record<string, Json>> | undefined {
  checkMetadata(engine);
  const { metadata } = engine;
  return isObject(metadata) && isObject(metadata['pipelines'])
    ? (metadata['pipelines'] as Record<string, Json>)
    : undefined;
}

export async function storePipelines(engine: Engine, pipelines: Readonly<Record<string, Json>>): Promise<void> {
  const { metadata } = engine;
  await engine.updateMetadata({ ...(isObject(metadata) ? metadata : {}), pipelines });
}

const read = new WeakMap<Json, Pipeline>();

/** A stored pipeline, read once. */
export function pipelineOf(engine: Engine, id: string): Pipeline | undefined {
  const all = readPipelines(engine);
  if (all === undefined || !Object.hasOwn(all, id)) return undefined;
  const definition = all[id]!;
  const known = read.get(definition);
  if (known !== undefined) return known;
  const made = readPipeline(id, definition);
  read.set(definition, made);
  return made;
}

/** The pipeline of a name. @throws RequestError where there is none */
export function existingPipeline(engine: Engine, id: string): Pipeline {
  const found = pipelineOf(engine, id);
  if (found === undefined) throw illegalArgument(`pipeline with id [${id}] does not exist`);
  return found;
}

/** The pipelines of a document in their order, by name. */
export interface PipelinesOf {
  readonly first: string | undefined;
  readonly final: string | undefined;
}

/** Which pipelines a document passes. @param asked by its request @returns undefined: none */
export function pipelinesOf(engine: Engine, name: string, asked: unknown): PipelinesOf | undefined {
  const { default_pipeline: own, final_pipeline: last } = settingsOfName(engine, name);
  const first = named(asked ?? own);
  const final = named(last);
  return first === undefined && final === undefined ? undefined : { first, final };
}

const named = (name: unknown): string | undefined => (typeof name === 'string' && name !== '_none' ? name : undefined);

const NO_SETTINGS: Json = {};

/** The settings of an index, or those that it would be made with. */
function settingsOfName(engine: Engine, name: string): Json {
  const index = engine.has(name) ? engine.index(name) : behindAlias(engine, name);
  if (index !== undefined) return settingsOf(index.definition);
  const { metadata } = engine;
  if (!isObject(metadata)) return NO_SETTINGS;
  const composable = composableTemplateOf(engine, name);
  return composable === undefined
    ? templateFor(engine, name).settings
    : composed(composable[1], readKind(engine, 'componentTemplates'), name).settings;
}

/** The index that is written to by an alias; one that has none is refused later. */
function behindAlias(engine: Engine, name: string): Index | undefined {
  try {
    return writeIndex(engine, name);
  } catch {
    return undefined;
  }
}
