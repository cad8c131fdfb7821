// The fields of a segment under a view: hidden fields are missing, and guarded fields are rewritten
// without the documents that withhold them, on first use. Visible documents are not known here, so views of the same fields share them.
import { rewriteField } from '../index/merge.ts';
import { emptyBits } from '../index/bits.ts';
import type { CutField } from '../index/cut-segment.ts';
import { SegmentCore } from '../index/segment-core.ts';
import { isWithin } from './index-view.ts';

/** What of one segment's fields is withheld. */
export interface SegmentMask {
  readonly hidden: readonly string[];
  /** The documents that a path has no values in. */
  readonly withheld: readonly { readonly path: string; readonly docs: Int32Array }[];
}

let made = 0;

/** Finds for each field of a segment where it is read. */
export class MaskedFields {
  /** Not the segment's: what is remembered by the names of segments must never be of another view. */
  readonly name: string;
  readonly mask: SegmentMask;
  readonly base: SegmentCore;
  readonly #fields = new Map<string, SegmentCore | null>();

  constructor(base: SegmentCore, mask: SegmentMask) {
    this.base = base;
    this.mask = mask;
    this.name = `${base.name}~${++made}`;
  }

  /** Where a field is read; undefined when it does not exist. */
  of(field: string): SegmentCore | undefined {
    const known = this.#fields.get(field);
    if (known !== undefined) return known ?? undefined;
    // Requests may name any fields: only those of the segment are remembered.
    if (this.base.meta(field) === undefined) return undefined;
    const found = this.#find(field);
    this.#fields.set(field, found ?? null);
    return found;
  }

  /** The fields that exist, with the documents that each is withheld from; nothing is written again for it. */
  shown(): readonly CutField[] {
    const names = this.base.fieldNames().filter((field) => !this.#isHidden(field));
    return names.map((name) => ({ name, withheld: this.#withheld(name) }));
  }

  #isHidden(field: string): boolean {
    return this.mask.hidden.some((path) => isWithin(field, path));
  }

  /** The documents that a field is withheld from; undefined: none. */
  #withheld(field: string): Int32Array | undefined {
    const guards = this.mask.withheld.filter(({ path }) => isWithin(field, path));
    if (guards.length === 0) return undefined;
    const withheld = emptyBits(this.base.docCount);
    let any = 0;
    for (let word = 0; word < withheld.length; word++) {
      for (const { docs } of guards) withheld[word]! |= docs[word]!;
      any |= withheld[word]!;
    }
    return any === 0 ? undefined : withheld;
  }

  names(): readonly string[] {
    return this.base.fieldNames().filter((field) => this.of(field) !== undefined);
  }

  #find(field: string): SegmentCore | undefined {
    if (this.#isHidden(field)) return undefined;
    const { base } = this;
    const withheld = this.#withheld(field);
    if (withheld === undefined) return base;
    const written = rewriteField(
      base,
      field,
      withheld.map((word) => ~word),
    );
    if (written === undefined) return undefined;
    const sections = new Map([...base.data.sections].filter(([name]) => !name.includes('/')));
    for (const [part, array] of Object.entries(written.sections)) sections.set(`0/${part}`, array);
    const meta = { ...base.data.meta, fields: [{ ...written.meta, name: field }] };
    return new SegmentCore({ ...base.data, meta, sections }, '', base.engine);
  }
}
