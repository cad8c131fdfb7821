// Sloppy phrase frequency: Lucene 8's SloppyPhraseMatcher step by step, as its greedy choice of occurrences decides scores.

/** The position of one slot of a phrase. */
export class PhrasePosition {
  /** Position in the document minus the offset in the phrase; equal for all slots of an exact match. */
  position = 0;
  readonly offset: number;
  readonly key: string;
  private readonly positions: Int32Array | Uint16Array | Uint32Array;
  private readonly end: number;
  private index: number;

  constructor(source: {
    readonly offset: number;
    readonly key: string;
    readonly positions: Int32Array | Uint16Array | Uint32Array;
    readonly start: number;
    readonly count: number;
  }) {
    this.offset = source.offset;
    this.key = source.key;
    this.positions = source.positions;
    this.index = source.start;
    this.end = source.start + source.count;
  }

  next(): boolean {
    if (this.index >= this.end) return false;
    this.position = this.positions[this.index++]! - this.offset;
    return true;
  }
}

/** Sum over occurrences of 1 / (1 + moved positions). */
export function sloppyFrequency(slots: readonly PhrasePosition[], slop: number): number {
  const groups = new Map<string, PhrasePosition[]>();
  for (const slot of slots) {
    const group = groups.get(slot.key);
    if (group === undefined) groups.set(slot.key, [slot]);
    else group.push(slot);
  }
  for (const slot of slots) if (!slot.next()) return 0;
  // Slots of the same term must have different positions: the second starts one further, the third two.
  for (const group of groups.values()) {
    for (let i = 1; i < group.length; i++) for (let k = 0; k < i; k++) if (!group[i]!.next()) return 0;
  }
  const queue = [...slots];
  let end = Math.max(...slots.map((slot) => slot.position));
  const before = (a: PhrasePosition, b: PhrasePosition): boolean =>
    a.position !== b.position ? a.position < b.position : a.offset < b.offset;
  const pop = (): PhrasePosition => {
    let least = 0;
    for (let i = 1; i < queue.length; i++) if (before(queue[i]!, queue[least]!)) least = i;
    return queue.splice(least, 1)[0]!;
  };
  const peek = (): number => queue.reduce((least, slot) => (before(slot, least) ? slot : least)).position;
  const advance = (slot: PhrasePosition): boolean => {
    if (!slot.next()) return false;
    if (slot.position > end) end = slot.position;
    return true;
  };
  /** Separates slots of the same term. */
  const separate = (moved: PhrasePosition): boolean => {
    const group = groups.get(moved.key)!;
    if (group.length === 1) return true;
    let slot = moved;
    for (;;) {
      const place = slot.position + slot.offset;
      const other = group.find((candidate) => candidate !== slot && candidate.position + candidate.offset === place);
      if (other === undefined) return true;
      slot = before(slot, other) ? slot : other;
      if (!advance(slot)) return false;
    }
  };

  let frequency = 0;
  let slot = pop();
  let length = end - slot.position;
  let next = peek();
  while (advance(slot)) {
    if (!separate(slot)) break;
    if (slot.position > next) {
      queue.push(slot);
      if (length <= slop) frequency = Math.fround(frequency + Math.fround(1 / (1 + length)));
      slot = pop();
      next = peek();
      length = end - slot.position;
    } else {
      length = Math.min(length, end - slot.position);
    }
  }
  if (length <= slop) frequency = Math.fround(frequency + Math.fround(1 / (1 + length)));
  return frequency;
}
