// The searcher that new searches of one index get. Each searcher sees the segments of one moment, and keeps their files open until the last
// search releases it.
import { IndexSearcher } from '../collect/searcher.ts';
import { unused } from '../index/segment-use.ts';
import type { IndexSettings } from '../settings/index-definition.ts';
import type { IndexHost } from './index-host.ts';
import type { LiveSegment } from './segment-set.ts';

/** What searchers are made of. */
interface SearcherSource {
  readonly segments: () => readonly LiveSegment[];
  readonly settings: () => Required<IndexSettings>;
  readonly host: Pick<IndexHost, 'maxClauses' | 'maxQueryDepth'>;
}

export class SearcherManager {
  readonly #source: SearcherSource;
  #current: IndexSearcher;

  constructor(source: SearcherSource) {
    this.#source = source;
    this.#current = this.#open();
  }

  get current(): IndexSearcher {
    return this.#current;
  }

  /** Lets new searches see the segments and settings as they are now; running searches keep theirs. */
  refresh(): void {
    const before = this.#current;
    this.#current = this.#open();
    before.release();
  }

  /** Releases the current searcher; none is opened after it. */
  release(): void {
    this.#current.release();
  }

  #open(): IndexSearcher {
    const { segments, settings, host } = this.#source;
    let base = 0;
    const open = segments();
    const views = open.map((segment) => {
      const view = segment.viewAt(base);
      base += view.docCount;
      return view;
    });
    const uses = open.map(({ use }) => use.retain());
    const { k1, b, scaleByK1, maxResultWindow, maxTermsCount } = settings();
    const limits = {
      maxResultWindow,
      maxTerms: maxTermsCount,
      maxClauses: host.maxClauses,
      maxDepth: host.maxQueryDepth,
    };
    const searcher: IndexSearcher = new IndexSearcher(views, { k1, b, scaleByK1 }, limits, () => {
      unused(searcher);
      for (const use of uses) use.release();
    });
    return searcher;
  }
}
