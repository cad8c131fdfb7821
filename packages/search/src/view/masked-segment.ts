// A segment as a view shows it: fields that do not exist are not in it, and fields that exist in some documents only have been
// written anew without the others, on first use. What reads the result cannot tell it from a segment that never held more.
// Which documents exist is decided by the searcher; deletions and merges never see a masked segment.
import { rewriteField } from '../index/merge.ts';
import type { NumberLevels } from '../index/number-levels.ts';
import type { GeoColumn, NumberColumn } from '../index/segment.ts';
import { SegmentCore, type TermsField } from '../index/segment-core.ts';
import type { FieldMeta } from '../index/segment-data.ts';
import { SegmentView } from '../index/segment-view.ts';
import { emptyBits, hasBit } from '../index/bits.ts';
import { isWithin } from './index-view.ts';
import { LARGE, maskInThread } from '../thread/read-json.ts';
import { type DocumentRules, maskedText, maskSource, type SourceMask } from './mask-source.ts';

/** What of one segment's fields is withheld. */
export interface SegmentMask {
  readonly hidden: readonly string[];
  /** The documents that a path has no values in. */
  readonly withheld: readonly { readonly path: string; readonly docs: Int32Array }[];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
let made = 0;

/** The content of a segment without what is withheld. */
export class MaskedCore extends SegmentCore {
  readonly #base: SegmentCore;
  readonly #mask: SegmentMask;
  readonly #shown: SourceMask;
  readonly #fields = new Map<string, SegmentCore | null>();

  constructor(base: SegmentCore, mask: SegmentMask) {
    // A name of its own: what is remembered by the names of segments must never be of another view.
    super({ ...base.data, meta: { ...base.data.meta, name: `${base.name}~${++made}` } }, '');
    this.#base = base;
    this.#mask = mask;
    this.#shown = maskSource({
      hidden: mask.hidden,
      withheld: mask.withheld.map(({ path, docs }) => ({ path, has: (doc) => hasBit(docs, doc) })),
    });
  }

  /** Where a field is read; undefined when it does not exist. */
  #of(field: string): SegmentCore | undefined {
    const known = this.#fields.get(field);
    if (known !== undefined) return known ?? undefined;
    // Requests may name any fields: only those of the segment are remembered.
    if (this.#base.meta(field) === undefined) return undefined;
    const found = this.#find(field);
    this.#fields.set(field, found ?? null);
    return found;
  }

  #find(field: string): SegmentCore | undefined {
    if (this.#mask.hidden.some((path) => isWithin(field, path))) return undefined;
    const guards = this.#mask.withheld.filter(({ path }) => isWithin(field, path));
    return guards.length === 0 ? this.#base : this.#rewrite(field, guards);
  }

  #rewrite(field: string, guards: SegmentMask['withheld']): SegmentCore | undefined {
    const base = this.#base;
    const keep = emptyBits(base.docCount);
    let any = 0;
    for (let word = 0; word < keep.length; word++) {
      let withheld = 0;
      for (const { docs } of guards) withheld |= docs[word]!;
      any |= withheld;
      keep[word] = ~withheld;
    }
    if (any === 0) return base;
    const written = rewriteField(base, field, keep);
    if (written === undefined) return undefined;
    const sections = new Map([...base.data.sections].filter(([name]) => !name.includes('/')));
    for (const [part, array] of Object.entries(written.sections)) sections.set(`0/${part}`, array);
    const meta = { ...base.data.meta, fields: [{ ...written.meta, name: field }] };
    return new SegmentCore({ ...base.data, meta, sections }, '');
  }

  override fieldNames(): readonly string[] {
    return this.#base.fieldNames().filter((field) => this.#of(field) !== undefined);
  }

  override meta(field: string): FieldMeta | undefined {
    return this.#of(field)?.meta(field);
  }

  override terms(field: string): TermsField | undefined {
    return this.#of(field)?.terms(field);
  }

  override number(field: string): NumberColumn | undefined {
    return this.#of(field)?.number(field);
  }

  override numberLevels(field: string, descending: boolean): NumberLevels | undefined {
    return this.#of(field)?.numberLevels(field, descending);
  }

  override geo(field: string): GeoColumn | undefined {
    return this.#of(field)?.geo(field);
  }

  override documentsWith(field: string): Int32Array | undefined {
    return this.#of(field)?.documentsWith(field);
  }

  /** The document as it is shown. */
  shownSource(doc: number): string {
    return this.#shown(this.#base.sources, doc);
  }

  /** What is withheld of a document. */
  rulesOf(doc: number): DocumentRules {
    const { hidden, withheld } = this.#mask;
    return { hidden, nulls: withheld.filter(({ docs }) => hasBit(docs, doc)).map(({ path }) => path) };
  }

  override get sources(): SegmentCore['sources'] {
    return this.#base.sources;
  }

  override source(doc: number): Uint8Array {
    return this.#base.source(doc);
  }

  override readSource(doc: number): Uint8Array | (() => Promise<Uint8Array>) {
    return this.#base.readSource(doc);
  }
}

/** A masked segment at one refresh. Counters of writes are withheld, for they count hidden ones, too. */
export class MaskedView extends SegmentView {
  readonly #masked: MaskedCore;

  constructor(core: MaskedCore, base: SegmentView) {
    super(core, base.live, base.generation, base.base);
    this.#masked = core;
  }

  override source(doc: number): Uint8Array {
    return encoder.encode(this.#masked.shownSource(doc));
  }

  /** A large one is masked in a thread. */
  override readSource(doc: number): Uint8Array | (() => Promise<Uint8Array>) {
    const read = this.#masked.readSource(doc);
    if (read instanceof Uint8Array && read.length < LARGE) return this.source(doc);
    return async () => {
      const whole = read instanceof Uint8Array ? read : await read();
      const rules = this.#masked.rulesOf(doc);
      return (await maskInThread(whole, rules)) ?? encoder.encode(maskedText(decoder.decode(whole), rules));
    };
  }

  override sourceText(doc: number): string {
    return this.#masked.shownSource(doc);
  }

  override version(): number {
    return 1;
  }

  override seqNo(): number {
    return 0;
  }

  override primaryTerm(): number {
    return 1;
  }
}
