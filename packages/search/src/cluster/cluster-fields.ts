// What a query on a cluster may read of a field: which field it is, where its length is, and where the view shows it.
import { searchError } from '../errors/search-errors.ts';
import type { MappedField } from '../mapping/field-type.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { Query } from '../query/query.ts';
import { type IndexView, isWithin } from '../view/index-view.ts';
import { visibleMapping } from '../view/visible-mapping.ts';
import { lengthPath } from './cluster-index.ts';

/** The types that mean the same on all engines. */
const TYPES: ReadonlySet<string> = new Set(
  (
    'text keyword ip boolean date geo_point rank_feature long integer short byte double float half_float scaled_float ' +
    'integer_range long_range float_range double_range date_range ip_range'
  ).split(' '),
);

export class ClusterFields {
  readonly #fields: Mapping;
  readonly #view: IndexView;

  constructor(fields: Mapping, view: IndexView) {
    this.#fields = fields;
    this.#view = view;
  }

  /** @throws ProductError SEARCH_NOT_ON_CLUSTER for a type that the engines keep in different ways */
  field(path: string): MappedField | undefined {
    const found = this.#fields.field(path);
    if (found === undefined || this.guard(path) === 'hidden') return undefined;
    if (TYPES.has(found.type)) return found;
    const reason = 'the engines keep its values in different ways';
    throw searchError('SEARCH_NOT_ON_CLUSTER', { what: `the field [${path}] of the type [${found.type}]`, reason });
  }

  /** Whether there is an object that holds fields which the view shows. */
  object(path: string): unknown {
    return visibleMapping(this.#fields, this.#view.hidden ?? []).object(path);
  }

  /** The field of the length of a text; undefined: the field is no text. */
  length(path: string): string | undefined {
    const found = this.#fields.field(path);
    if (found?.family !== 'text') return undefined;
    const above = found.path.slice(0, Math.max(0, found.path.lastIndexOf('.')));
    return lengthPath(found.path, this.#fields.field(above) !== undefined);
  }

  /** Where the view shows a field, and the field that it is an alias of; undefined: in all documents that it shows. */
  guard(path: string): Query | 'hidden' | undefined {
    const { guarded = [], hidden = [] } = this.#view;
    const paths = [path, this.#fields.field(path)?.path ?? path];
    const isPart = (whole: string): boolean => paths.some((each) => isWithin(each, whole));
    if (hidden.some(isPart)) return 'hidden';
    const found = guarded.filter((each) => isPart(each.path)).map(({ when }) => when);
    return found.length < 2 ? found[0] : { kind: 'boolean', filter: found };
  }
}
