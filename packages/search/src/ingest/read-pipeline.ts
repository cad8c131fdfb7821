// Reads the definition of a pipeline: its steps, and those for failures. Errors have the words of Elasticsearch.
import { parseException, RequestError, unsupported } from '../errors/request-error.ts';
import { causeOf } from '../json/error-shape.ts';
import type { Json } from '../json/json.ts';
import { DATE_PROCESSORS } from './date-processors.ts';
import { FIELD_PROCESSORS } from './field-processors.ts';
import { FLOW_PROCESSORS } from './flow-processors.ts';
import { classOf, isMembers } from './ingest-values.ts';
import { PARSING_PROCESSORS } from './parsing-processors.ts';
import type { Pipeline } from './pipeline.ts';
import type { Processors, Step } from './processor.ts';
import { configError, ConfigReader } from './read-config.ts';
import { TEXT_PROCESSORS } from './text-processors.ts';

/** Processors by type. */
const PROCESSORS: Processors = {
  ...DATE_PROCESSORS,
  ...FIELD_PROCESSORS,
  ...FLOW_PROCESSORS,
  ...PARSING_PROCESSORS,
  ...TEXT_PROCESSORS,
};

/** Their types in order. */
export const PROCESSOR_TYPES: readonly string[] = Object.keys(PROCESSORS).sort();

/** Processors of Elasticsearch that are not supported. */
const NOT_OFFERED = ['grok', 'script', 'user_agent', 'geoip', 'enrich', 'inference', 'circle', 'set_security_user'];

/** Maximum steps of one pipeline, nested ones included. */
const MOST_STEPS = 1000;
/** Maximum depth of nested steps. */
const MOST_LEVELS = 20;

/** Reads a pipeline. @throws RequestError for the first mistake; `suppressed` has those of other steps */
export function readPipeline(id: string, given: Json): Pipeline {
  const config = new ConfigReader(given);
  config.optionalText('description');
  config.optionalInteger('version');
  const processors = config.list('processors');
  const reader = new StepsReader();
  const steps = reader.read(processors);
  const failing = config.optionalList('on_failure');
  const onFailure = failing === undefined ? [] : reader.read(failing);
  const { left } = config;
  if (left.length > 0)
    throw parseException(
      `pipeline [${id}] doesn't support one or more provided configuration parameters [${left.join(', ')}]`,
    );
  if (failing !== undefined && onFailure.length === 0)
    throw parseException(`pipeline [${id}] cannot have an empty on_failure option defined`);
  return { id, steps, onFailure };
}

class StepsReader {
  #count = 0;
  #level = 0;

  /** Reads a list of steps. @throws RequestError for the first invalid one; `suppressed` has the others */
  read(configs: readonly unknown[]): readonly Step[] {
    if (++this.#level > MOST_LEVELS)
      throw parseException(`processors stand in each other more than [${MOST_LEVELS}] levels deep`);
    const steps: Step[] = [];
    const failures: RequestError[] = [];
    for (const config of configs) {
      if (!isMembers(config))
        throw new RequestError(
          'SEARCH_PARSING',
          'class_cast_exception',
          `a processor is an object with its type as its member, and not [${classOf(config)}]`,
        );
      for (const [type, body] of Object.entries(config)) {
        try {
          steps.push(this.#step(type, body));
        } catch (error) {
          if (!(error instanceof RequestError)) throw error;
          failures.push(error);
        }
      }
    }
    this.#level--;
    const [first, ...more] = failures;
    if (first === undefined) return steps;
    if (more.length === 0) throw first;
    const fields = { ...first.details.fields, suppressed: more.map((each) => causeOf(each).error) };
    throw new RequestError(first.code, first.type, first.message, { ...first.details, fields });
  }

  #step(type: string, body: unknown): Step {
    if (++this.#count > MOST_STEPS) throw parseException(`a pipeline has at most [${MOST_STEPS}] processors`);
    if (body === null)
      throw new RequestError('SEARCH_PARSING', 'null_pointer_exception', `processor [${type}] cannot be null`);
    if (!isMembers(body))
      throw configError({ type }, undefined, `property isn't a map, but of type [${classOf(body)}]`);
    const { tag } = body;
    const about = { type, tag: typeof tag === 'string' ? tag : undefined };
    // Errors in the members that every processor has do not name the processor.
    const config = new ConfigReader(body);
    config.optionalText('tag');
    const description = config.optionalText('description');
    const isOffered = Object.hasOwn(PROCESSORS, type);
    if (NOT_OFFERED.includes(type)) throw unsupported(`the processor [${type}] of pipelines`);
    if (!isOffered) throw configError(about, undefined, `No processor type exists with name [${type}]`);
    if (config.take('if') !== undefined) throw unsupported('[if] of a processor');
    const ignoresFailure = config.flag('ignore_failure');
    const failing = config.optionalList('on_failure');
    const onFailure = failing === undefined ? [] : this.read(failing);
    config.about = about;
    if (failing !== undefined && onFailure.length === 0)
      throw config.refuse('on_failure', 'processors list cannot be empty');
    const run = this.#create(type, config);
    const { left } = config;
    if (left.length > 0)
      throw config.refuse(
        undefined,
        `processor [${type}] doesn't support one or more provided configuration parameters [${left.join(', ')}]`,
      );
    return { ...about, description, run, ignoresFailure, onFailure };
  }

  /** An error in a nested processor names the outer one. */
  #create(type: string, config: ConfigReader): Step['run'] {
    try {
      return PROCESSORS[type]!(config, (configs) => this.read(configs));
    } catch (error) {
      if (!(error instanceof RequestError) || error.code === 'SEARCH_UNSUPPORTED') throw error;
      const { tag } = config.about;
      const fields = {
        ...error.details.fields,
        processor_type: type,
        ...(tag === undefined ? {} : { processor_tag: tag }),
      };
      throw new RequestError(error.code, error.type, error.message, { ...error.details, fields });
    }
  }
}
