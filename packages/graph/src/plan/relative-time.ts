// Converts conditions that are relative to the time of the operation, such as `{ gte: "now-7d/d" }`. They are computed at
// every execution, so that the plan and the text of an operation can be kept.
import { type Clock, computeTime, utcOfLocal, type ZoneClock, toText } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import { timeKindOf, type TimeKind } from '../schema/aggregate-types.ts';
import { localTime, offsetAt, timeZoneName } from '../store/local-time.ts';
import type { Comparison, Expr, Inputs } from '../sql/sql.ts';
import { at, entriesAt, type ConditionArguments, type Path } from './argument-path.ts';
import { isStorableTime } from './bound-value.ts';
import type { Environment } from './environment.ts';
import type { Filtered } from './column-filter.ts';

/** The operators, and whether `/unit` goes to the end of the unit: what is after a day is after all of it. */
const OPERATORS: Readonly<Record<string, { readonly operator: Comparison; readonly roundUp: boolean }>> = {
  lt: { operator: '<', roundUp: false },
  lte: { operator: '<=', roundUp: true },
  gt: { operator: '>', roundUp: true },
  gte: { operator: '>=', roundUp: false },
};

/** The conditions at `path`. */
export function readRelativeTime(
  env: Environment,
  operand: Expr,
  { storage, typeName }: Filtered,
  args: ConditionArguments,
  path: Path,
): readonly Expr[] {
  const kind = timeKindOf(typeName) ?? 'instant';
  return entriesAt(args.values, path).flatMap(([name, value]): readonly Expr[] => {
    const condition = OPERATORS[name];
    if (condition === undefined || value === null) return [];
    const { operator, roundUp } = condition;
    const here = [...path, name];
    const right = args.timedParameter(here.join('.'), storage, (values, inputs) => {
      const zone = zoneAt(values, [...path, 'timeZone']);
      const text = toText(at(values, here));
      const math = /^now(?=$|[-+/])/.test(text) ? text.slice(3) : '?';
      const time = computeTime(math, nowOf(inputs ?? env, env.clock), { zone, roundUp });
      if (typeof time !== 'number' || Number.isNaN(time))
        throw graphErrors.create('GRAPH_RELATIVE_TIME_INVALID', { place: here.join('.'), value: text.slice(0, SHOWN) });
      return printTime(time, kind, zone, here);
    });
    return [{ kind: 'compare', operator, left: operand, right, storage }];
  });
}

const times = new WeakMap<object, number>();

/** The time of an execution: all conditions of a statement have the same. */
function nowOf(execution: Inputs | Environment, clock: Clock): number {
  let now = times.get(execution);
  if (now === undefined) times.set(execution, (now = clock.now()));
  return now;
}

/** Characters of a wrong text that its error repeats. */
const SHOWN = 100;

/** Well within the times of a Date, beyond which zones have no offsets. */
const FURTHEST = 8e15;

interface NamedZone extends ZoneClock {
  readonly name: string;
}

function zoneAt(values: ConditionArguments['values'], path: Path): NamedZone {
  const asked = at(values, path);
  const given = typeof asked === 'string' ? asked : 'UTC';
  const name = timeZoneName(given);
  if (name === undefined)
    throw graphErrors.create('GRAPH_TIME_ZONE_UNKNOWN', { argument: path.join('.'), value: given });
  const offset = (utc: number): number => (Math.abs(utc) < FURTHEST ? offsetAt(name, utc) : 0);
  return { name, offsetAt: offset, toUtc: (local) => utcOfLocal(local, offset) };
}

/** A time as columns of its kind store it. */
function printTime(time: number, kind: TimeKind, { name }: NamedZone, path: Path): string {
  const date = new Date(time);
  const local = Number.isNaN(date.getTime()) ? null : localTime(date.toISOString(), name);
  if (local === null || !isStorableTime(date)) {
    const reason = 'is no time between the years 1 and 9999';
    throw graphErrors.create('GRAPH_VALUE_INVALID', { place: path.join('.'), reason });
  }
  if (kind === 'instant') return date.toISOString();
  return kind === 'date' ? local.slice(0, 10) : local.replace(/\.?0*$/, '');
}
