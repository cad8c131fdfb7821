// What is read page by page: each page is asked for with what the one before it answered. Cursors have random names, which are left
// out of what is answered here. How a single request is sent is given.

/** A search that is read in pages. */
export interface Paged {
  readonly how: 'scroll' | 'pit' | 'search_after';
  readonly index: string;
  /** The body of the search, with a size. */
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
}

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
  if (how === 'scroll') {
    let page = await next(`POST /${index}/_search?scroll=1m`, body);
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
