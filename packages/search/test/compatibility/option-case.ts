// How the tables beside say what an option does: it shows in an answer, has nothing to say here for a reason, or is refused.
import type { Json } from '../../src/json/json.ts';

/** What one option does. */
export type OptionCase =
  | {
      readonly kind: 'effect';
      readonly value: unknown;
      /** The other options of both requests, where the part's own base would not show the difference. */
      readonly base?: Json;
      /** The whole body of both requests, where the option matters elsewhere than the others. */
      readonly body?: (options: Json) => Json;
    }
  | { readonly kind: 'none'; readonly value: unknown; readonly because: string; readonly base?: Json }
  | { readonly kind: 'refused'; readonly value: unknown; readonly base?: Json };

/** The options of one part of a search body. */
export interface OptionGroup {
  readonly where: string;
  /** The options there are, where a refusal of an unknown one does not list them. */
  readonly known?: readonly string[];
  /** Where it is asked; a search of the sample index by default. */
  readonly path?: string;
  /** Puts the options into a whole body. */
  readonly body: (options: Json) => Json;
  readonly base: Json;
  readonly options: Readonly<Record<string, OptionCase>>;
}

/** The option changes the answer. */
export const shows = (value: unknown, base?: Json): OptionCase => ({ kind: 'effect', value, ...(base && { base }) });
/** It does so in a body of its own. */
export const showsIn = (body: (options: Json) => Json, value: unknown, base: Json): OptionCase => ({
  kind: 'effect',
  value,
  base,
  body,
});
/** It is taken and changes nothing, for a reason. */
export const none = (value: unknown, because: string, base?: Json): OptionCase => ({
  kind: 'none',
  value,
  because,
  ...(base && { base }),
});
/** It is refused by name. */
export const refused = (value: unknown, base?: Json): OptionCase => ({ kind: 'refused', value, ...(base && { base }) });

/** Why options about what a shard hands over change nothing. */
export const ONE_SHARD =
  'one shard counts everything exactly, so that nothing depends on how many buckets or terms a shard hands over';
