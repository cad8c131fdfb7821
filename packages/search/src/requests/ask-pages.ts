// What takes several requests: reading page by page, where each page is asked for with what the one before it answered, and copying
// what can be read elsewhere and reading it there. Cursors have random names, which are left out of what is answered here. How a
// single request is sent is given.
import { textOf } from '../json/json.ts';

/** A search that takes several requests. */
export interface Paged {
  readonly how: 'scroll' | 'slice' | 'pit' | 'search_after' | 'composite' | 'copy';
  readonly index: string;
  /** The body of the search: with a size; with a composite aggregation `c`; of a copy, with what to copy. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a request; answers its status and text. */
export type Send = (target: string, body?: unknown) => Promise<string>;

/** As many pages as are read at most. */
const MOST = 5;

interface Page {
  readonly _scroll_id?: string;
  readonly id?: string;
  readonly hits?: { readonly hits: readonly { readonly sort?: unknown }[] };
  readonly aggregations?: { readonly c?: { readonly after_key?: unknown } };
}

/** Where copies are made. */
const COPY = 'copied';

/** Reads it. @returns all answers, one a line */
export async function askPages({ body, how, index }: Paged, send: Send): Promise<string> {
  const answers: string[] = [];
  let id: string | undefined;
  const next = async (target: string, sent?: unknown): Promise<Page> => {
    const answer = await send(target, sent);
    const page = answer.startsWith('200 ') ? (JSON.parse(answer.slice(4)) as Page) : {};
    const name = page._scroll_id ?? page.id ?? id;
    answers.push(name === undefined ? answer : answer.replaceAll(name, ''));
    return page;
  };
  if (how === 'copy') {
    const { slices = 1, ...source } = body;
    await next(`POST /_reindex?refresh=true&slices=${textOf(slices)}`, {
      source: { index, ...source },
      dest: { index: COPY },
    });
    await next(`POST /${COPY}/_search`, { sort: ['_id'], version: true, seq_no_primary_term: true, explain: true });
    await next(`GET /${COPY}/_mapping`);
    await next(`GET /_cat/count/${COPY}?h=count`);
    await next(`DELETE /${COPY}`);
    return answers.join('\n');
  }
  if (how === 'composite') {
    const { composite } = (body['aggs'] as { readonly c: { readonly composite: object } }).c;
    let after: unknown;
    do {
      const aggs = { c: { composite: after === undefined ? composite : { ...composite, after } } };
      after = (await next(`POST /${index}/_search`, { ...body, size: 0, aggs })).aggregations?.c?.after_key;
    } while (after !== undefined && answers.length < MOST);
    return answers.join('\n');
  }
  if (how === 'scroll' || how === 'slice') {
    const slice = how === 'slice' ? { slice: { id: 0, max: 2 } } : {};
    let page = await next(`POST /${index}/_search?scroll=1m`, { ...body, ...slice });
    while (answers.length < MOST && page._scroll_id !== undefined && page.hits!.hits.length > 0)
      page = await next('POST /_search/scroll', { scroll_id: page._scroll_id });
    return answers.join('\n');
  }
  if (how === 'pit') ({ id } = await next(`POST /${index}/_pit?keep_alive=1m`));
  let after: unknown;
  do {
    const page = await next(id === undefined ? `POST /${index}/_search` : 'POST /_search', {
      ...body,
      ...(id === undefined ? {} : { pit: { id } }),
      ...(after === undefined ? {} : { search_after: after }),
    });
    after = page.hits?.hits.at(-1)?.sort;
  } while (after !== undefined && answers.length < MOST);
  return answers.join('\n');
}
