// How sorts show, read and compare dates with nanoseconds.
import type { QueryContext } from '../dsl/context.ts';
import { illegalArgument } from '../errors/request-error.ts';
import { asChoice, asString } from '../json/json.ts';
import type { DateFormat } from '../mapping/date-format.ts';
import { parseFineDateMath } from '../mapping/date-math.ts';
import { hasNanos, type MappedField } from '../mapping/field-type.ts';
import { type FineInstant, fromPlace, nearestPlace, shownNanos, toFine } from '../mapping/nanos.ts';
import { UTC } from '../mapping/time-zone.ts';
import type { AcrossValue } from './resolved-sort.ts';
import type { SortValue } from '../collect/search-request.ts';

/** What a sort by a field compares: the values as they are, milliseconds that are told as nanoseconds, or the places of nanoseconds. */
export function scaleOf(field: MappedField, value: unknown): 'values' | 'nanos' | 'ordinals' {
  const own = hasNanos(field) ? 'ordinals' : 'values';
  if (value === undefined) return own;
  const asked = asChoice(value, 'numeric_type', ['long', 'double', 'date', 'date_nanos']);
  if (asked === 'date') return 'values';
  return asked === 'date_nanos' && field.type === 'date' ? 'nanos' : own;
}

/** How nanoseconds are shown, read and compared. @param scale what the column has: milliseconds, or places */
export function nanosSort(
  field: MappedField,
  scale: 'nanos' | 'ordinals',
  format: DateFormat | undefined,
  context: QueryContext,
): {
  show(value: number): unknown;
  read(value: unknown): number;
  readonly across: (value: SortValue) => AcrossValue;
} {
  const since = (value: number): bigint => {
    if (scale === 'ordinals') return fromPlace(value);
    const millis = Math.floor(value);
    return BigInt(millis) * 1_000_000n + BigInt(Math.round((value - millis) * 1_000_000));
  };
  return {
    show(value) {
      if (format === undefined) return shownNanos(since(value));
      const { millis, nanos } = toFine(since(value));
      return format.print(millis, UTC, nanos);
    },
    read(value) {
      let instant: FineInstant;
      if (typeof value === 'number' && !Number.isInteger(value))
        throw illegalArgument(`[${value}] is no whole number of nanoseconds, by which [${field.path}] is sorted`);
      if (typeof value === 'number' || (typeof value === 'string' && /^\d{16,19}$/.test(value)))
        instant = toFine(BigInt(value));
      else instant = parseFineDateMath(asString(value, field.path), format ?? field.format, { now: context.now });
      // Between two milliseconds a column of them has nothing.
      return scale === 'ordinals' ? nearestPlace(instant) : instant.millis + instant.nanos / 1_000_000;
    },
    across: (value) => (typeof value === 'number' ? since(value) : value),
  };
}
