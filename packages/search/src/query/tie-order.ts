// Breaks ties by document keys, for views, where the order of the index would tell of hidden writes. Compares two doc ids by the order that each
// segment has of its own keys (index/key-order.ts), and by the keys themselves where the places are in different segments.
import { compareKeys, type KeyOrder, placeOf, placesBefore } from '../index/key-order.ts';
import type { SegmentCore } from '../index/segment-core.ts';
import type { SegmentView } from '../index/segment-view.ts';

export class TieOrder {
  readonly #segments: readonly SegmentView[];
  readonly #cores: readonly SegmentCore[];
  readonly #orders: readonly KeyOrder[];

  /** @param cores,orders by segment, what holds its keys, and their order */
  constructor(segments: readonly SegmentView[], cores: readonly SegmentCore[], orders: readonly KeyOrder[]) {
    this.#segments = segments;
    this.#cores = cores;
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
    const { base } = this.#segments[at]!;
    if (at === other) return placeOf(this.#orders[at]!, left - base) - placeOf(this.#orders[at]!, right - base);
    const { base: otherBase } = this.#segments[other]!;
    return compareKeys(this.#cores[at]!.ids.bytes, left - base, this.#cores[other]!.ids.bytes, right - otherBase);
  }

  /** By the order of a segment's keys, the place of the first that does not come before a document of the index. */
  boundIn(segment: SegmentView, position: number): number {
    const own = this.#segments.indexOf(segment);
    const at = this.#segmentAt(position);
    const order = this.#orders[own]!;
    const { base } = this.#segments[at]!;
    return at === own
      ? placeOf(order, position - base)
      : placesBefore(this.#cores[own]!, order, this.#cores[at]!, position - base);
  }

  #segmentAt(position: number): number {
    let at = this.#segments.length - 1;
    while (this.#segments[at]!.base > position) at--;
    return at;
  }
}
