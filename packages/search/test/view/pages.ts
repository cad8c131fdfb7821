// Requests that follow from each other's answers: what a caller reads page by page, or copies into an index of his own.
import fc from 'fast-check';
import type { RestRequest } from '@lockstitch/search';
import type { Ask, Reply } from '../rest/harness.ts';
import { arbitraryColumn, arbitraryQuery, arbitrarySort } from './requests.ts';

/** What is read in pages. */
export type Pages =
  | { readonly kind: 'scroll' | 'pit'; readonly query: object; readonly sort: readonly unknown[] }
  | { readonly kind: 'composite'; readonly field: string }
  | { readonly kind: 'copy'; readonly query: object };

export const arbitraryPages: fc.Arbitrary<Pages> = fc.oneof(
  fc.record({ kind: fc.constantFrom('scroll', 'pit'), query: arbitraryQuery, sort: arbitrarySort }),
  fc.record({ kind: fc.constant('composite'), field: arbitraryColumn }),
  fc.record({ kind: fc.constant('copy'), query: arbitraryQuery }),
);

const MOST_PAGES = 6;

/** Asks for one page after the other. @returns every answer */
export async function askPages(ask: Ask, pages: Pages, more: Partial<RestRequest>): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  const next = async (target: string, body?: unknown): Promise<Reply> => {
    const reply = await ask(target, body, more);
    replies.push(reply);
    return reply;
  };
  switch (pages.kind) {
    case 'scroll': {
      const { kind: _, ...body } = pages;
      let page = await next('POST /t/_search?scroll=1m', { ...body, size: 2 });
      while (page.status === 200 && page.json.hits.hits.length > 0 && replies.length < MOST_PAGES)
        page = await next('POST /_search/scroll', { scroll_id: page.json._scroll_id });
      break;
    }
    case 'pit': {
      const { kind: _, ...body } = pages;
      const { id } = (await next('POST /t/_pit?keep_alive=1m')).json as { readonly id: string };
      let after: unknown;
      do {
        const page = await next('POST /_search', {
          ...body,
          size: 2,
          pit: { id },
          ...(after === undefined ? {} : { search_after: after }),
        });
        after = page.json.hits?.hits.at(-1)?.sort;
      } while (after !== undefined && replies.length < MOST_PAGES);
      break;
    }
    case 'composite': {
      let after: unknown;
      do {
        const sources = [{ k: { terms: { field: pages.field, missing_bucket: true } } }];
        const page = await next('POST /t/_search', {
          size: 0,
          aggs: { c: { composite: { size: 1, sources, ...(after === undefined ? {} : { after }) } } },
        });
        after = page.json.aggregations?.c.after_key;
      } while (after !== undefined && replies.length < MOST_PAGES);
      break;
    }
    case 'copy':
      await next('POST /_reindex?refresh=true', { source: { index: 't', query: pages.query }, dest: { index: 'own' } });
      // The copy stands under no view: it must not hold more than was shown.
      for (const [target, body] of [
        ['POST /own/_search', { sort: '_id', size: 100, version: true }],
        ['GET /own/_mapping'],
      ] as const)
        replies.push(await ask(target, body));
      await ask('DELETE /own');
  }
  return replies;
}
