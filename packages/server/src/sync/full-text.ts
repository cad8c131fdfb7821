// Answers the graph's full-text fields (`searchPhotos(query:)`) from the search index. It uses the same REST API and
// the same view of the caller as clients do. The graph decides which hits are shown.
import { lookUp, required } from '@lockstitch/kernel';
import {
  type FullText,
  type FullTextHighlight,
  type FullTextHit,
  type FullTextQuery,
  type Model,
  searchDocumentShape,
} from '@lockstitch/graph';
import { serverErrors } from '../errors.ts';
import { fieldType } from '../mapping/mapping.ts';
import type { OpenedSearch } from './opened-search.ts';

export interface FullTextParts {
  readonly model: Model;
  /** The REST API, once it is open. */
  readonly search: () => Pick<OpenedSearch, 'handle'>;
  /** See `FullText.window`. */
  readonly window?: number | undefined;
}

/** Field types that hold words. */
const WORDS: ReadonlySet<string> = new Set(['text', 'keyword']);
/** Fragments per highlighted field; Elasticsearch's default. */
const FRAGMENTS = 5;

/**
 * Creates the full-text port. `query` is a simple query string: words, "phrases", prefix*, +must and -not. It never
 * fails on syntax.
 */
export function createFullText({ model, search, window }: FullTextParts): FullText {
  const ask = async (
    query: FullTextQuery,
    action: string,
    body: Readonly<Record<string, unknown>>,
  ): Promise<Answer> => {
    const { signal } = query;
    const index = required(lookUp(model.entities, query.entity).searchIndex, query.entity).index;
    const { status, body: text } = await search().handle(
      {
        method: 'POST',
        path: `/${encodeURIComponent(index)}/${action}`,
        query: new URLSearchParams(),
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(body)),
        ...(signal === undefined ? {} : { signal: () => signal }),
      },
      query.principal,
    );
    signal?.throwIfAborted();
    const answer: Answer = JSON.parse(text);
    if (status < 400) return answer;
    const reason = answer.error?.root_cause?.[0]?.reason ?? answer.error?.reason ?? 'unknown';
    if (status < 500) throw serverErrors.create('SERVER_SEARCH_REFUSED', { reason });
    // A cluster that is away, or an index that is being built: the reason says which.
    if (status === 503) throw serverErrors.create('SERVER_SEARCH_AWAY', { reason });
    throw new Error(`The search index answered ${status}: ${reason}`);
  };
  const wordsOf = (query: FullTextQuery): unknown => {
    const shape = searchDocumentShape(model, lookUp(model.entities, query.entity));
    const wordy = new Set(shape.filter((field) => WORDS.has(fieldType(field))).map(({ path }) => path));
    const fields = query.paths.filter((path) => wordy.has(path));
    if (fields.length === 0) return { match_none: {} };
    return { simple_query_string: { query: query.query, fields, lenient: true } };
  };
  return {
    appliesRules: true,
    ...(window === undefined ? {} : { window }),
    async search(query, { after, limit, highlights }) {
      const { hits } = await ask(query, '_search', {
        query: wordsOf(query),
        size: limit,
        sort: [{ _score: 'desc' }, { _id: 'asc' }],
        track_total_hits: false,
        _source: false,
        ...(highlights ? { highlight: highlightOf(query) } : {}),
        ...(after === undefined ? {} : { search_after: [after.score, after.key] }),
      });
      return (hits?.hits ?? []).map(({ _id, sort, highlight }): FullTextHit => {
        const hit = { key: _id, score: sort?.[0] as number };
        return highlights ? { ...hit, highlights: listOf(highlight) } : hit;
      });
    },
    async count(query) {
      return (await ask(query, '_count', { query: wordsOf(query) })).count ?? 0;
    },
    async highlight(query, keys) {
      if (keys.length === 0) return new Map();
      const { hits } = await ask(query, '_search', {
        query: { bool: { must: wordsOf(query), filter: { ids: { values: keys } } } },
        size: keys.length,
        _source: false,
        highlight: highlightOf(query),
      });
      return new Map((hits?.hits ?? []).map(({ _id, highlight }) => [_id, listOf(highlight)]));
    },
  };
}

function highlightOf({ paths }: FullTextQuery): unknown {
  const fields = Object.fromEntries(paths.map((path) => [path, {}]));
  return { encoder: 'html', number_of_fragments: FRAGMENTS, fields };
}

function listOf(highlight: Found['highlight'] = {}): readonly FullTextHighlight[] {
  return Object.entries(highlight).map(([field, fragments]) => ({ field, fragments }));
}

interface Answer {
  readonly hits?: { readonly hits: readonly Found[] };
  readonly count?: number;
  readonly error?: { readonly reason?: string; readonly root_cause?: readonly { readonly reason?: string }[] };
}

interface Found {
  readonly _id: string;
  readonly sort?: readonly unknown[];
  readonly highlight?: Readonly<Record<string, readonly string[]>>;
}
