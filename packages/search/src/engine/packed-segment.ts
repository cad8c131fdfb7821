// How a segment goes from the thread that made it to the main thread. One of thousands of fields has tens of thousands of arrays, and a
// message with as many takes 0.1 s to read, at once; it goes as few pieces of memory and a list of what lies where, and is taken apart
// with turns of the event loop in between. What the arrays are is not known here.
import { TimeSlices } from '../tasks/scheduler.ts';
import type { FieldMeta, SegmentMeta } from '../index/segment-data.ts';
import { elementTypeOf, elementTypes, type ElementType, type SectionArray } from '../index/shared.ts';

/** Arrays from which on a segment is packed: fewer take less than two milliseconds to read. */
const MANY = 1000;
/** Fields or arrays whose description is read at once. */
const TOGETHER = 500;
const TYPES = Object.keys(elementTypes) as ElementType[];
/** Numbers that say where an array lies: its piece, its type, its first byte, its length. */
const NUMBERS = 4;

/** A segment in a message. */
export type SentSegment =
  | { readonly kind: 'plain'; readonly meta: SegmentMeta; readonly sections: Map<string, SectionArray> }
  | {
      readonly kind: 'packed';
      readonly meta: Omit<SegmentMeta, 'fields'>;
      /** JSON of lists of fields. */
      readonly fields: readonly string[];
      readonly pieces: readonly ArrayBufferLike[];
      /** Names of sections, in lines. */
      readonly names: readonly string[];
      readonly places: Float64Array;
    };

/** What a message is made of. */
export function toSent({
  meta,
  sections,
}: {
  readonly meta: SegmentMeta;
  readonly sections: Map<string, SectionArray>;
}): SentSegment {
  if (sections.size < MANY) return { kind: 'plain', meta, sections };
  const { fields, ...rest } = meta;
  const pieces = new Map<ArrayBufferLike, number>();
  const places = new Float64Array(sections.size * NUMBERS);
  let at = 0;
  for (const array of sections.values()) {
    const { buffer } = array;
    let piece = pieces.get(buffer);
    if (piece === undefined) pieces.set(buffer, (piece = pieces.size));
    places.set([piece, TYPES.indexOf(elementTypeOf(array)), array.byteOffset, array.length], at);
    at += NUMBERS;
  }
  return {
    kind: 'packed',
    meta: rest,
    fields: divided(fields).map((some) => JSON.stringify(some)),
    pieces: [...pieces.keys()],
    names: divided([...sections.keys()]).map((some) => some.join('\n')),
    places,
  };
}

function divided<T>(items: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < items.length; at += TOGETHER) parts.push(items.slice(at, at + TOGETHER));
  return parts;
}

/** What a message held. */
export async function fromSent(
  sent: SentSegment,
): Promise<{ readonly meta: SegmentMeta; readonly sections: Map<string, SectionArray> }> {
  if (sent.kind === 'plain') return sent;
  // The message itself was most of a turn.
  const slices = new TimeSlices(true);
  const fields: FieldMeta[] = [];
  for (const some of sent.fields) {
    await slices.yield();
    fields.push(...(JSON.parse(some) as FieldMeta[]));
  }
  const { pieces, places } = sent;
  const sections = new Map<string, SectionArray>();
  let at = 0;
  for (const some of sent.names) {
    await slices.yield();
    for (const name of some.split('\n')) {
      const type = elementTypes[TYPES[places[at + 1]!]!];
      sections.set(name, new type(pieces[places[at]!]! as ArrayBuffer, places[at + 2], places[at + 3]));
      at += NUMBERS;
    }
  }
  return { meta: { ...sent.meta, fields }, sections };
}
