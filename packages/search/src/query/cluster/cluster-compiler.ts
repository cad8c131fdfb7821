// What the kinds of queries know of the compiler for search clusters (`cluster/compile-query.ts`), at one place of a query tree.
import type { Json } from '../../json/json.ts';
import type { MappedField } from '../../mapping/field-type.ts';
import type { Frequencies } from '../blended.ts';
import type { Query } from '../query.ts';

/** The fields that the view shows. */
interface VisibleFields {
  /** @throws ProductError SEARCH_NOT_ON_CLUSTER for a type that the engines keep in different ways */
  field(path: string): MappedField | undefined;
  /** undefined: there is no such object, or the view shows nothing of it. */
  object(path: string): unknown;
  /** Where the view shows a field; undefined: in all documents that it shows. */
  guard(path: string): Query | 'hidden' | undefined;
}

export interface ClusterCompiler {
  readonly fields: VisibleFields;
  /** The product of the boosts from the root to here. */
  readonly boost: number;
  /** Whether nothing here is scored. */
  readonly isFilter: boolean;
  /** Whether scores are those of the embedded engine, and not the fast ones. */
  readonly isExact: boolean;
  /** The numbers of visible documents that scores are made of. @throws TypeError in a filter */
  readonly statistics: Frequencies;
  /** Compiles what only filters. */
  filter(query: Query): Json;
  /** Compiles a part that is scored where the whole is. */
  scored(query: Query): Json;
  /** A leaf over one field, found only where the view shows the field. */
  shown(path: string, leaf: Json): Json;
  /** A leaf scored by the frequencies of its terms. @param terms how often the similarity of the cluster is called for it */
  scoredBy(field: MappedField, docFreqs: readonly number[], terms: number, leaf: (boost: number) => Json): Json;
  /** @throws ProductError SEARCH_NOT_ON_CLUSTER: the kind, or this form of it, is not sent */
  refuse(query: Query): never;
}
