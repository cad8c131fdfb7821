// What random options are chosen of.
import type { Random, Surface } from '@lockstitch/search/requests';

/** What a choice is made of. */
export interface Choice {
  readonly random: Random;
  readonly surface: Surface;
}

/** Values as JSON, which is shorter than one a line. */
export const list = <T = unknown>(text: string): readonly T[] => JSON.parse(`[${text}]`);

/** A field of any kind, mostly one of a family. */
export const fieldOf =
  (...fields: readonly string[]) =>
  ({ random }: Choice): string =>
    random.once(8) ? random.pick(ANY_FIELDS) : random.pick(fields);

/** Fields with columns, one of each family. */
export const COLUMN_FIELDS = [
  'tag',
  'n',
  'scaled',
  'when',
  'fine',
  'flag',
  'address',
  'text.keyword',
  'poster.login',
  'label',
] as const;

const ANY_FIELDS = [
  'text',
  'text.keyword',
  'body',
  'tag',
  'n',
  'scaled',
  'when',
  'fine',
  'flag',
  'span',
  'rank',
  'place',
  'address',
  'typed',
  'start',
  'label',
  'parts',
  'parts.kind',
  'parts.v',
  'parts.note',
  'poster',
  'poster.login',
  'absent',
  '_id',
  '_index',
  '_seq_no',
  '_version',
  '_routing',
  '_type',
  '_source',
  '_field_names',
  '_score',
  '*',
] as const;
