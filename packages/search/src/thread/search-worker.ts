// The thread that answers searches which take longer than a turn of the main thread's event loop. It has the same segments, in shared
// memory, and runs the same code over them. Started by search-threads.ts.
import { closeSync, openSync } from 'node:fs';
import { parentPort, type Transferable } from 'node:worker_threads';
import { runExplain } from '../search/explain.ts';
import { runAnalyze } from '../search/analyze.ts';
import { filterSource } from '../search/source-filter.ts';
import { runParseSearch } from '../search/parse-search.ts';
import { runMatches } from '../search/matches.ts';
import { runValidate } from '../search/validate.ts';
import { runCount, runSearch } from '../search/search.ts';
import { indexLimits } from '../index-limits.ts';
import { mappingOf, type SearchTarget } from '../search/target.ts';
import { type AskedVectors, runManyVectors, runVectors } from '../search/term-vectors.ts';
import { IndexSearcher } from '../collect/searcher.ts';
import { readAt } from '../directory/read-at.ts';
import type { Index } from '../engine/engine-api.ts';
import { SegmentCore } from '../index/segment-core.ts';
import type { SegmentData, SourcesFile } from '../index/segment-data.ts';
import { SegmentView } from '../index/segment-view.ts';
import { parseExactly, printExactly } from '../exact-json.ts';
import { filterPath } from '../filter-path.ts';
import { type Json, parseJson } from '../json.ts';
import { mergeDocument } from '../merge-document.ts';
import { printJson } from '../print-json.ts';
import { valuesAt } from '../values-at.ts';
import { maskedText } from '../view/mask-source.ts';
import { indexUnder } from '../view/viewed-engine.ts';
import { searchUnder } from '../view/viewed-searcher.ts';
import {
  type CoreContent,
  type Job,
  lookupKey,
  type ThreadMessage,
  type Outcome,
  type Reply,
  type StateContent,
  type TargetContent,
} from './messages.ts';
import { whole, wholeMembers } from '../large-json.ts';
import { divideJson, toShared } from './read-json.ts';
import { toPlainError } from './plain-error.ts';
import { replicaIndex } from './replica-index.ts';

const cores = new Map<number, SegmentCore>();
const files = new Map<number, number>();
const states = new Map<number, IndexSearcher>();
const indexes = new Map<number, Index>();
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Unwinds a search up to the terms lookup it cannot go on without. */
class LookupNeeded extends Error {
  readonly outcome: Outcome;

  constructor(index: string, id: string) {
    super();
    this.outcome = { kind: 'lookup', index, id };
  }
}

/** A segment's sources are in a file that is no longer there. */
class SourcesGone extends Error {}

parentPort?.on('message', (message: ThreadMessage) => {
  switch (message.kind) {
    case 'core':
      cores.set(message.id, openCore(message.id, message.content));
      break;
    case 'moved':
      cores.get(message.id)?.moveSources(readFrom(message.id, message.sourcesFile), message.sourcesFile);
      break;
    case 'state':
      states.set(message.id, openState(message.content));
      break;
    case 'index':
      indexes.set(message.id, replicaIndex(message.content));
      break;
    case 'forget':
      forget(message.what, message.id);
      break;
    case 'job': {
      const outcome = attempt(message.job);
      const reply: Reply = { id: message.job.id, outcome };
      parentPort?.postMessage(reply, transferables(outcome));
    }
  }
});

parentPort?.postMessage({ id: 0, outcome: { kind: 'ready' } } satisfies Reply);

function openCore(id: number, { meta, sections, sourcesFile, label }: CoreContent): SegmentCore {
  const own = new Map(sections);
  const inMemory = own.get('sources') as Uint8Array | undefined;
  const readSources: SegmentData['readSources'] =
    inMemory !== undefined
      ? (position, length) => inMemory.subarray(position, position + length)
      : readFrom(id, sourcesFile!);
  return new SegmentCore({ meta, sections: own, readSources, sourcesFile }, label);
}

/** Reads sources of a file, which is opened at once: later it may have been merged away. Where no file could be opened then, it is tried again. */
function readFrom(id: number, { path, position: start }: SourcesFile): SegmentData['readSources'] {
  const open = (): number | undefined => {
    try {
      const file = openSync(path, 'r');
      files.set(id, file);
      return file;
    } catch {
      return undefined;
    }
  };
  open();
  return (position, length) => {
    const file = files.get(id) ?? (cores.has(id) ? open() : undefined);
    if (file === undefined) throw new SourcesGone();
    // Cut short where the file is: the block's checksum says so.
    return readAt(file, start + position, length);
  };
}

function openState({ segments, similarity, limits }: StateContent): IndexSearcher {
  const views = segments.map(
    ({ core, live, generation, base }) => new SegmentView(cores.get(core)!, live, generation, base),
  );
  return new IndexSearcher(views, similarity, limits);
}

function forget(what: 'core' | 'state' | 'index', id: number): void {
  if (what === 'state') states.delete(id);
  else if (what === 'index') indexes.delete(id);
  else {
    cores.delete(id);
    const file = files.get(id);
    if (file !== undefined) closeSync(file);
    files.delete(id);
  }
}

function attempt(job: Job): Outcome {
  try {
    return run(job);
  } catch (error) {
    if (error instanceof LookupNeeded) return error.outcome;
    if (error instanceof SourcesGone) return { kind: 'gone' };
    const refused = toPlainError(error);
    if (refused !== undefined) return { kind: 'refused', error: refused };
    return { kind: 'failed', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function run(job: Job): Outcome {
  const { work, now } = job;
  switch (work.kind) {
    case 'search': {
      const targets = job.targets.map((target) => openTarget(target, job));
      const { response, hits, positions } = runSearch(wholeMembers(work.body), targets, { ...work.options, now });
      return { kind: 'search', response: encoder.encode(printJson(response, false)), hits, positions };
    }
    case 'count': {
      const targets = job.targets.map((target) => openTarget(target, job));
      return { kind: 'count', count: runCount(whole(work.query), targets, work.options.allowance) };
    }
    case 'matches': {
      const targets = job.targets.map((target) => openTarget(target, job));
      return {
        kind: 'matches',
        matches: runMatches(whole(work.query) as Json | undefined, targets, work.options.allowance),
      };
    }
    case 'explain': {
      const explained = runExplain(
        work.id,
        wholeMembers(work.json),
        openTarget(job.targets[0]!, job),
        work.options.allowance,
      );
      const response = explained === undefined ? undefined : encoder.encode(printJson(explained, false));
      return { kind: 'explain', response };
    }
    case 'vectors': {
      const { asked, options } = work;
      const targets = job.targets.map((target) => openTarget(target, job));
      const answer = Array.isArray(asked)
        ? runManyVectors(asked as readonly AskedVectors[], targets, options.allowance)
        : runVectors(asked as AskedVectors, targets, options.allowance);
      return { kind: 'vectors', response: encoder.encode(printJson(answer, false)) };
    }
    case 'validate': {
      const targets = job.targets.map((target) => openTarget(target, job));
      return { kind: 'validate', explanations: runValidate(whole(work.query), targets, work.options) };
    }
    case 'parse':
      runParseSearch(work.json, { ...work.options, now });
      return { kind: 'parse' };
    case 'analyze': {
      const [target] = job.targets.map((each) => openTarget(each, job));
      const answer = runAnalyze(parseJson(work.text), target?.target.mapping, work.most);
      return { kind: 'analyze', response: encoder.encode(JSON.stringify(answer)) };
    }
    case 'merge': {
      const { merged, changed } = mergeDocument(parsed(work.source), whole(work.change) as Json);
      return { kind: 'merge', text: changed ? toShared(printExactly(merged)) : undefined };
    }
    case 'show': {
      const source = parsed(work.source);
      const text = encoder.encode(JSON.stringify(work.filters.reduce(filterSource, source)));
      return { kind: 'show', text, values: work.paths.map((path) => valuesAt(source, path.split('.'))) };
    }
    case 'mask':
      return { kind: 'mask', text: toShared(maskedText(decoder.decode(work.source), work.rules)) };
    case 'read':
      return { kind: 'read', ...divideJson(work.text, work.apart) };
    case 'print': {
      const json = parseExactly(decoder.decode(work.text));
      const shown = work.filter === undefined ? json : (filterPath(json, work.filter) ?? {});
      return { kind: 'print', text: encoder.encode(printJson(shown, work.pretty)) };
    }
  }
}

function parsed(source: Uint8Array): Json {
  return JSON.parse(decoder.decode(source)) as Json;
}

function openTarget(content: TargetContent, { now, found }: Job): SearchTarget {
  const { view, typeName, filters, part, defaultField, aliases, allowsExpensive } = content;
  const whole = indexes.get(content.index)!;
  const state = states.get(content.state)!;
  const index = view === undefined ? whole : indexUnder(whole, view);
  const mapping = mappingOf(index);
  let searcher = view === undefined ? state : undefined;
  return {
    target: {
      index,
      mapping,
      typeName,
      filters,
      part,
      context: {
        index: index.name,
        mapping,
        now,
        defaultField,
        aliases,
        maxClauses: index.maxClauses,
        maxRegexLength: indexLimits(index.definition).regexLength,
        queryStringLenient: indexLimits(index.definition).queryStringLenient,
        allowsExpensive,
        lookup(name, id) {
          const key = lookupKey(name, id);
          if (!found.has(key)) throw new LookupNeeded(name, id);
          return found.get(key);
        },
      },
    },
    state,
    get searcher() {
      return (searcher ??= searchUnder(state, view!));
    },
  };
}

function transferables(outcome: Outcome): Transferable[] {
  if (outcome.kind === 'search' || outcome.kind === 'vectors' || outcome.kind === 'analyze')
    return [outcome.response.buffer as ArrayBuffer];
  return outcome.kind === 'print' || outcome.kind === 'show' ? [outcome.text.buffer as ArrayBuffer] : [];
}
