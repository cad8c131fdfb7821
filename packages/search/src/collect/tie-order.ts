// What breaks ties where the order of the index may not: the keys of documents. Compares two places of an index by the order that each
// segment has of its own keys (index/key-order.ts), and by the keys themselves where the places are in different segments.
import { compareKeys, type KeyOrder, placeOf, placesBefore } from '../index/key-order.ts';
import type { SegmentView } from '../index/segment-view.ts';

export class TieOrder {
  readonly #segments: readonly SegmentView[];
  readonly #orders: readonly KeyOrder[];

  /** @param orders by segment */
  constructor(segments: readonly SegmentView[], orders: readonly KeyOrder[]) {
    this.#segments = segments;
    this.#orders = orders;
  }

  /** The order of a segment's own keys. */
  within(segment: SegmentView): KeyOrder {
    return this.#orders[this.#segments.indexOf(segment)]!;
  }

  /** Negative when the document at the first place in the index comes before the one at the second. */
  compare(left: number, right: number): number {
    const at = this.#segmentAt(left);
    const other = this.#segmentAt(right);
    const { base, core } = this.#segments[at]!;
    if (at === other) return placeOf(this.#orders[at]!, left - base) - placeOf(this.#orders[at]!, right - base);
    const { base: otherBase, core: otherCore } = this.#segments[other]!;
    return compareKeys(core.ids.bytes, left - base, otherCore.ids.bytes, right - otherBase);
  }

  /** By the order of a segment's keys, the place of the first that does not come before a document of the index. */
  boundIn(segment: SegmentView, position: number): number {
    const order = this.within(segment);
    const { base, core } = this.#segments[this.#segmentAt(position)]!;
    return core === segment.core
      ? placeOf(order, position - base)
      : placesBefore(segment.core, order, core, position - base);
  }

  #segmentAt(position: number): number {
    let at = this.#segments.length - 1;
    while (this.#segments[at]!.base > position) at--;
    return at;
  }
}
