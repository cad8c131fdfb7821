// The documents of one answer as an index of the embedded engine, in memory: what it shows of them (sources, fields, highlights, sort
// values) is what the embedded engine shows, under the same view. A document that the view does not show is an error: the cluster was
// asked for those alone that it does.
import { createEngine } from '../create-engine.ts';
import type { IndexSearcher } from '../collect/searcher.ts';
import type { Engine } from '../engine/engine-api.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { FoundDocument } from '../cluster/raw-sources.ts';
import { type IndexView } from '../view/index-view.ts';
import { searchUnder } from '../view/viewed-searcher.ts';
import type { ClusterIndexInfo } from './cluster-parts.ts';

const encoder = new TextEncoder();

/** Documents of an index. */
interface Documents {
  readonly info: Pick<ClusterIndexInfo, 'definition' | 'name'>;
  readonly documents: readonly FoundDocument[];
}

/** Opens an engine whose indices have these documents. */
export async function openDocuments(all: readonly Documents[]): Promise<Engine> {
  const engine = await createEngine();
  for (const {
    documents,
    info: { definition, name },
  } of all) {
    const settings = { ...definition.settings, refreshInterval: -1, takesAll: true };
    const index = await engine.createIndex(name, { ...definition, settings });
    await index.apply(documents.map(({ key, source }) => ({ kind: 'index', id: key, source: encoder.encode(source) })));
    await index.refresh();
  }
  return engine;
}

/** A document of a page. */
export interface PagePlace {
  readonly segment: SegmentView;
  readonly doc: number;
}

export class Page {
  readonly searcher: IndexSearcher;
  readonly #engine: Engine;
  readonly #state: IndexSearcher;

  private constructor(engine: Engine, name: string, view: IndexView) {
    this.#engine = engine;
    this.#state = engine.index(name).searcher() as IndexSearcher;
    this.searcher = searchUnder(this.#state, view);
  }

  static async open(info: ClusterIndexInfo, documents: readonly FoundDocument[], view: IndexView): Promise<Page> {
    return new Page(await openDocuments([{ info, documents }]), info.name, view);
  }

  /** @throws TypeError for a document that the view does not show */
  place(key: string): PagePlace {
    const found = this.searcher.find(key);
    if (found === undefined) throw new TypeError('the cluster answered with a document that the view does not show');
    return found as PagePlace;
  }

  async close(): Promise<void> {
    this.#state.release();
    await this.#engine.close();
  }
}
