// Orders the filters of a chain: built-in ones at their positions, custom ones before, after or at a position or
// another custom filter.
import { didYouMean } from '@lockstitch/kernel';
import { securityErrors } from '../errors/chain-errors.ts';
import type { Filter } from './filter.ts';
import { FILTER_ORDER, type FilterPosition } from './order.ts';

/** Position of a custom filter. Refers to a built-in position or an earlier custom filter. */
export type FilterPlacement =
  | { readonly filter: Filter; readonly before: FilterPosition | (string & {}) }
  | { readonly filter: Filter; readonly after: FilterPosition | (string & {}) }
  | { readonly filter: Filter; readonly at: FilterPosition | (string & {}) };

/** A filter with its order, which grows along the chain. */
export interface OrderedFilter {
  readonly filter: Filter;
  readonly order: number;
  /** As configured, for a custom filter: `before basic`. Undefined for built-in filters. */
  readonly placement: string | undefined;
}

/**
 * Orders filters. Filters with equal order keep the given sequence, but that is not guaranteed.
 *
 * @throws ProductError SECURITY_FILTER_UNKNOWN
 */
export function orderFilters(
  known: readonly (readonly [FilterPosition, Filter])[],
  custom: readonly FilterPlacement[] = [],
): readonly OrderedFilter[] {
  const orders = new Map<string, number>(Object.entries(FILTER_ORDER));
  const ordered: OrderedFilter[] = known.map(([position, filter]) => ({
    filter,
    order: FILTER_ORDER[position],
    placement: undefined,
  }));
  for (const placement of custom) {
    const [word, name, offset] =
      'before' in placement
        ? (['before', placement.before, -1] as const)
        : 'after' in placement
          ? (['after', placement.after, 1] as const)
          : (['at', placement.at, 0] as const);
    const anchor = orders.get(name);
    if (anchor === undefined)
      throw securityErrors.create('SECURITY_FILTER_UNKNOWN', {
        filter: name,
        suggestion: didYouMean(name, orders.keys()),
        known: [...orders.keys()].join(', '),
      });
    const order = anchor + offset;
    // Nothing may run before the firewall: such a filter would see an unchecked path.
    if (order < FILTER_ORDER.firewall)
      throw securityErrors.create('SECURITY_CONFIG_INVALID', {
        reason: `the filter "${placement.filter.name}" cannot stand before the firewall`,
      });
    if (!orders.has(placement.filter.name)) orders.set(placement.filter.name, order);
    ordered.push({ filter: placement.filter, order, placement: `${word} ${name}` });
  }
  return ordered.sort((a, b) => a.order - b.order);
}
