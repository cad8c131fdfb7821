// The public names of the search engine: the engine itself, its REST API, and views of an index. Everything else is internal.
// Before all others: it stops a Node that is too old.
import '@lockstitch/kernel';

export { standardAnalysis } from './analysis/analysis-registry.ts';
export { createEngine } from './create-engine.ts';
export type { Directory } from './directory/directory.ts';
export { fileDirectory } from './directory/file.ts';
export { memoryDirectory } from './directory/memory.ts';
export type { Engine, Index, IndexStats, MapperFactory } from './engine/engine-api.ts';
export type { IndexDefinition, IndexSettings } from './settings/index-definition.ts';
export { openEngine, type EngineOptions } from './engine/engine.ts';
export { readDefinitions } from './engine/read-definitions.ts';
export { requestErrors, searchErrors } from './errors.ts';
export { parseExactly } from './json/exact-json.ts';
export type { Operation, OperationResult, StoredDocument, Update, Write } from './index/operation.ts';
export type { Hit, Searcher, SearchRequest, SearchResult } from './collect/search-request.ts';
export { Mapping } from './mapping/mapping.ts';
export type { Query } from './query/query.ts';
export { createRestApi, type RestApi, type RestOptions } from './rest/create-rest-api.ts';
export { createMapper } from './mapping/create-mapper.ts';
export type { RestRequest, RestResponse } from './rest/request/request.ts';
export { type RunningSearch, startSearch, type StartOptions } from './rest/start-search.ts';
export type { IndexView } from './view/index-view.ts';
export { indexUnder, type ViewOf } from './view/viewed-engine.ts';
