// Root fields of full-text searches. The index behind the port proposes keys, best first. One statement, with the
// caller's rules and the field's conditions, decides which rows are returned and reads the selected fields. If most
// hits are hidden or filtered out, more are requested, up to a limit. Not here: the index, which the host supplies.
import type { GraphQLField, GraphQLResolveInfo } from 'graphql';
import type { Principal } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import {
  countFound,
  printPlace,
  readSearch,
  searchablePaths,
  SECTION,
  readSearchSelection,
  selectFound,
  type SearchArguments,
  type SearchPlace,
  type SearchSelection,
} from '../plan/search-page.ts';
import type { Environment } from '../plan/environment.ts';
import type { FieldArguments } from '../plan/field-arguments.ts';
import { entityOf, type Entity, type RootBinding } from '../schema/model.ts';
import type { Json } from '../sql/sql.ts';
import type { MaybePromise } from '../store/store.ts';
import { searchDocumentShape } from './load-documents.ts';
import { wrapFetched } from './prefetched.ts';
import { lookUp } from '../present.ts';

/** A full-text query. */
export interface FullTextQuery {
  /** The stored type. */
  readonly entity: string;
  /** The query text of the client. */
  readonly query: string;
  /**
   * Dotted document fields to search: the key and @search fields. Unless the port applies the rules, fields that a rule
   * may hide from the caller are left out. The index decides which fields are text.
   */
  readonly paths: readonly string[];
  readonly principal: Principal;
  /** Aborted when the operation ends before its answer: its caller has left, or its time is over. */
  readonly signal: AbortSignal | undefined;
}

/** One hit. */
export interface FullTextHit {
  readonly key: string;
  readonly score: number;
  /** Its highlights, if requested with the page. */
  readonly highlights?: readonly FullTextHighlight[];
}

/** The page of hits to return. */
export interface FullTextPage {
  readonly after: FullTextHit | undefined;
  readonly limit: number;
  /** Highlights are requested for the whole page; a port that returns them here is not asked again (`highlight`). */
  readonly highlights: boolean;
}

/** Fragments of one field, with matches in `<em>` and everything else HTML-escaped. */
export interface FullTextHighlight {
  readonly field: string;
  readonly fragments: readonly string[];
}

/** The search index as a port. Errors with a code and a status below 500 are shown to the client. */
export interface FullText {
  /**
   * The port applies the read rules: it finds, counts, scores and highlights as if hidden data did not exist. Default:
   * false; then the graph searches only fields without rules and counts itself.
   */
  readonly appliesRules?: boolean;
  /** Maximum number of hits that one request examines. Default 10,000. */
  readonly window?: number;
  /**
   * The best hits after a position, ordered by score and then by key as text, at most `limit`. May return keys of
   * deleted or hidden rows; the graph filters them.
   */
  search(query: FullTextQuery, page: FullTextPage): Promise<readonly FullTextHit[]>;
  /** Number of hits. */
  count(query: FullTextQuery): Promise<number>;
  /** Highlights of objects by key; a key without any may be omitted. */
  highlight(query: FullTextQuery, keys: readonly string[]): Promise<ReadonlyMap<string, readonly FullTextHighlight[]>>;
}

const DEFAULT_WINDOW = 10_000;
/** Maximum number of hits per request to the port. */
const BATCH = 1000;

/** The context of a search field. */
export interface SearchContext {
  readonly env: Environment;
  readonly port: FullText | undefined;
  readonly principal: Principal;
  readonly signal: AbortSignal | undefined;
  readonly fetch: (json: Json) => MaybePromise<unknown>;
}

interface FoundRow extends SearchPlace {
  readonly highlights: readonly FullTextHighlight[] | undefined;
  readonly values: Readonly<Record<string, unknown>>;
}

type SearchBinding = Extract<RootBinding, { kind: 'search' }>;

/** Resolves a search field to an object that graphql-js completes. */
export async function searchPage(
  context: SearchContext,
  binding: SearchBinding,
  definition: GraphQLField<unknown, unknown>,
  typeName: string,
  args: FieldArguments,
  info: GraphQLResolveInfo,
): Promise<Readonly<Record<string, unknown>>> {
  const field = `${info.parentType.name}.${definition.name}`;
  const { port } = context;
  if (port === undefined) throw graphErrors.create('GRAPH_FULL_TEXT_MISSING', { field });
  const search = new Search(
    { ...context, port },
    binding,
    args,
    readSearchSelection(context.env, typeName, info.fieldNodes),
    field,
  );
  return search.page();
}

class Search {
  readonly #context: SearchContext & { readonly port: FullText };
  readonly #binding: SearchBinding;
  readonly #entity: Entity;
  readonly #args: FieldArguments;
  readonly #asked: SearchArguments;
  readonly #selection: SearchSelection;
  readonly #field: string;
  readonly #query: FullTextQuery;
  readonly #window: number;

  constructor(
    context: SearchContext & { readonly port: FullText },
    binding: SearchBinding,
    args: FieldArguments,
    selection: SearchSelection,
    field: string,
  ) {
    const { env, principal, signal } = context;
    const { model, view } = env;
    this.#context = context;
    this.#binding = binding;
    this.#entity = entityOf(model, binding.entity);
    this.#args = args;
    this.#asked = readSearch(env, binding.arguments, args);
    this.#selection = selection;
    this.#field = field;
    this.#window = context.port.window ?? DEFAULT_WINDOW;
    const all = searchDocumentShape(model, this.#entity).map(({ path }) => path);
    const paths = context.port.appliesRules === true ? all : searchablePaths(model, view, this.#entity, all);
    this.#query = {
      entity: binding.entity,
      query: this.#asked.query,
      paths,
      principal,
      signal,
    };
  }

  async page(): Promise<Readonly<Record<string, unknown>>> {
    const { first, after } = this.#asked;
    const found = await this.#rows(first + 1);
    const rows = found.slice(0, first);
    let highlights: Promise<ReadonlyMap<string, readonly FullTextHighlight[]>> | undefined;
    const highlight = (row: FoundRow): MaybePromise<readonly FullTextHighlight[]> => {
      if (row.highlights !== undefined) return row.highlights;
      highlights ??= this.#context.port.highlight(
        this.#query,
        rows.filter((each) => each.highlights === undefined).map(({ key }) => key),
      );
      return highlights.then((found) => found.get(row.key) ?? []);
    };
    const section = (row: FoundRow, info: GraphQLResolveInfo): unknown => {
      const { fieldNodes } = info;
      const place = this.#selection.sections.findIndex(
        (nodes) => nodes.length === fieldNodes.length && nodes.every((node, index) => node === fieldNodes[index]),
      );
      return wrapFetched(row.values[`${SECTION}${place}`]);
    };
    type Inner = (args: unknown, context: unknown, info: GraphQLResolveInfo) => unknown;
    const node =
      (row: FoundRow): Inner =>
      (_args, _context, info) =>
        section(row, info);
    const nodes: Inner = (_args, _context, info) => rows.map((row) => section(row, info));
    const [start, end] = [rows[0], rows.at(-1)];
    return {
      edges: rows.map((row) => ({
        cursor: printPlace(row),
        score: row.score,
        node: node(row),
        highlights: () => highlight(row),
      })),
      nodes,
      pageInfo: {
        hasNextPage: found.length > first,
        // The row of the cursor, if there is one.
        hasPreviousPage: after !== undefined,
        startCursor: start === undefined ? null : printPlace(start),
        endCursor: end === undefined ? null : printPlace(end),
      },
      totalCount: () => this.#total(),
    };
  }

  /** Up to `limit` rows of the page. */
  async #rows(wanted: number): Promise<readonly FoundRow[]> {
    const { port } = this.#context;
    const rows: FoundRow[] = [];
    let { after } = this.#asked;
    let limit = Math.min(wanted, BATCH);
    for (let seen = 0; rows.length < wanted;) {
      if (seen >= this.#window) throw this.#tooBroad();
      // Most of the first hits are usually shown; of later ones, few.
      const hits = await port.search(this.#query, {
        after,
        limit,
        highlights: this.#selection.highlights && seen === 0,
      });
      if (hits.length > 0) rows.push(...(await this.#read(hits, wanted - rows.length)));
      if (hits.length < limit) break;
      seen += hits.length;
      after = hits.at(-1);
      limit = BATCH;
    }
    return rows;
  }

  async #read(hits: readonly FullTextHit[], limit: number): Promise<readonly FoundRow[]> {
    const { env, fetch } = this.#context;
    const keys = hits.map(({ key }) => key);
    const json = selectFound(
      env,
      this.#entity,
      this.#binding.arguments,
      this.#args,
      this.#selection.sections,
      keys,
      limit,
    );
    const found = (await fetch(json)) as readonly (Readonly<Record<string, unknown>> & { readonly key: string })[];
    const byKey = new Map(hits.map((hit) => [hit.key, hit]));
    return found.map((values) => {
      const { key, score, highlights } = lookUp(byKey, values.key);
      return { key, score, highlights, values };
    });
  }

  /**
   * Counts the readable hits. Hidden and deleted rows are never counted, except deletions that the index has not
   * applied yet.
   */
  async #total(): Promise<number> {
    const { env, port, fetch } = this.#context;
    const { narrowed } = this.#asked;
    const total = await port.count(this.#query);
    if (!narrowed && (port.appliesRules === true || !env.view.restricts(this.#entity.name))) return total;
    if (total > this.#window) throw this.#tooBroad();
    const hits = await port.search(this.#query, { after: undefined, limit: this.#window, highlights: false });
    const keys = hits.map(({ key }) => key);
    return (await fetch(countFound(env, this.#entity, this.#binding.arguments, this.#args, keys))) as number;
  }

  #tooBroad(): Error {
    return graphErrors.create('GRAPH_SEARCH_TOO_BROAD', { field: this.#field, limit: this.#window });
  }
}
