// Processors that control the flow: fail, drop, run a step for each element, run another pipeline.
import { illegalArgument, RequestError } from '../errors/request-error.ts';
import { copyOf, sizeOf } from './ingest-values.ts';
import { runNested, runSteps } from './pipeline.ts';
import type { CreateProcessor, Processors } from './processor.ts';
import { UnhandledFailure } from './unhandled-failure.ts';

const fail: CreateProcessor = (config) => {
  const message = config.template('message');
  return (document) => {
    throw new RequestError('SEARCH_ILLEGAL_ARGUMENT', 'fail_processor_exception', message(document));
  };
};

const foreach: CreateProcessor = (config, readSteps) => {
  const field = config.text('field');
  const ignores = config.flag('ignore_missing');
  const inner = config.map('processor');
  const types = Object.keys(inner);
  if (types.length !== 1) throw config.refuse('processor', 'Must specify exactly one processor type');
  const steps = readSteps([inner]);
  return (document, context) => {
    let list: unknown[] | null;
    try {
      const value = ignores ? (document.find(field) ?? null) : document.get(field);
      list = value === null ? null : document.asList(field, value);
      const size = sizeOf(list);
      document.read(size);
      document.grow(size);
    } catch (error) {
      throw error instanceof UnhandledFailure ? error : new UnhandledFailure(error);
    }
    if (list === null) {
      if (ignores) return;
      throw illegalArgument(`field [${field}] is null, cannot loop over its elements.`);
    }
    const before = document.ingest['_value'] ?? null;
    const made: unknown[] = [];
    // The steps for the elements are not traced: they are part of this one.
    const silent = { ...context, trace: undefined };
    try {
      for (const element of list.slice()) {
        // A copy, so that no step can put the element into itself.
        document.ingest['_value'] = copyOf(element);
        if (runSteps(steps, document, silent) === 'dropped') return 'dropped';
        made.push(document.ingest['_value']);
      }
    } finally {
      document.ingest['_value'] = before;
    }
    document.set(field, made);
    return 'kept';
  };
};

const pipeline: CreateProcessor = (config) => {
  const name = config.template('name');
  return (document, context) => {
    const id = name(document);
    const found = context.pipelineOf(id);
    if (found === undefined) {
      const reason = `Pipeline processor configured for non-existent pipeline [${id}]`;
      // A simulation that shows each step looks the pipeline up beforehand: nothing handles that.
      if (context.trace !== undefined) throw new UnhandledFailure(illegalArgument(reason));
      throw new RequestError('SEARCH_ILLEGAL_ARGUMENT', 'illegal_state_exception', reason);
    }
    return runNested(found, document, context);
  };
};

/** By type. */
export const FLOW_PROCESSORS: Processors = {
  drop: () => () => 'dropped',
  fail,
  foreach,
  pipeline,
};
