// Known scalars whose values are texts in one canonical form, the one in which PostgreSQL prints them: times without a
// zone, durations, bytes.
import { reasonOf } from '@lockstitch/kernel';
import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

/** Microseconds of a second, minute and hour. */
const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const CLOCK = String.raw`(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?`;
const LOCAL_TIME = new RegExp(`^${CLOCK}$`);
const LOCAL_DATE_TIME = new RegExp(String.raw`^(\d{4}-\d\d-\d\d)[T ]${CLOCK}$`);
const PART = String.raw`([-+]?\d{1,9})`;
const DURATION = new RegExp(
  String.raw`^([-+])?P(?=.)(?:${PART}Y)?(?:${PART}M)?(?:${PART}W)?(?:${PART}D)?(?:T(?=.)(?:${PART}H)?(?:${PART}M)?(?:([-+]?)(\d{1,9})(?:\.(\d{1,6}))?S)?)?$`,
);

/** `10:00` → `10:00:00`, `10:00:00.500` → `10:00:00.5`. */
function toLocalTime(text: string): string | undefined {
  return clockOf(LOCAL_TIME.exec(text)?.slice(1), '24:00:00');
}

/** The canonical clock of hour, minute, second and fraction; `last`: the time at which the day ends, if it is allowed. */
function clockOf(parts: readonly (string | undefined)[] | undefined, last?: string): string | undefined {
  if (parts === undefined) return undefined;
  const [hour = '', minute = '', second = '00', fraction = ''] = parts;
  const digits = fraction.replace(/0+$/, '');
  const clock = `${hour}:${minute}:${second}${digits === '' ? '' : `.${digits}`}`;
  const isClock = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  return isClock || clock === last ? clock : undefined;
}

/** `2020-02-29 10:00` → `2020-02-29T10:00:00`. */
function toLocalDateTime(text: string): string | undefined {
  const [, day = '', ...parts] = LOCAL_DATE_TIME.exec(text) ?? [];
  const date = new Date(`${day}T00:00:00Z`);
  const isDay = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) && !day.startsWith('0000');
  const clock = isDay ? clockOf(parts) : undefined;
  return clock === undefined ? undefined : `${day}T${clock}`;
}

/** ISO 8601 as PostgreSQL prints it: months below 12, no weeks, minutes and seconds below 60. */
function toDuration(text: string): string | undefined {
  const parts = DURATION.exec(text);
  if (parts === null) return undefined;
  const [, sign, years, months, weeks, days, hours, minutes, minus, seconds, fraction] = parts;
  const factor = sign === '-' ? -1 : 1;
  const number = (part: string | undefined): number => factor * Number(part ?? 0);
  const allMonths = number(years) * 12 + number(months);
  const allDays = number(weeks) * 7 + number(days);
  const second = Number(`${seconds ?? 0}${(fraction ?? '').padEnd(6, '0')}`);
  const time = number(hours) * HOUR + number(minutes) * MINUTE + factor * (minus === '-' ? -second : second);
  if (!Number.isSafeInteger(time)) return undefined;
  const rest = time % MINUTE;
  const behind = String(Math.abs(rest) % SECOND)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const whole = `${rest < 0 ? '-' : ''}${Math.floor(Math.abs(rest) / SECOND)}`;
  const unit = (value: number, letter: string): string => (value === 0 ? '' : `${value}${letter}`);
  const date = unit(Math.trunc(allMonths / 12), 'Y') + unit(allMonths % 12, 'M') + unit(allDays, 'D');
  const clock =
    unit(Math.trunc(time / HOUR), 'H') +
    unit(Math.trunc((time % HOUR) / MINUTE), 'M') +
    (rest === 0 ? '' : `${whole}${behind === '' ? '' : `.${behind}`}S`);
  if (date === '' && clock === '') return 'PT0S';
  return `P${date}${clock === '' ? '' : `T${clock}`}`;
}

function toBytes(text: string): string | undefined {
  return Buffer.from(text, 'base64').toString('base64') === text ? text : undefined;
}

function createScalar(
  name: string,
  description: string,
  example: string,
  canonical: (text: string) => string | undefined,
): GraphQLScalarType<string, string> {
  const read = (value: unknown): string => {
    const text = typeof value === 'string' ? canonical(value) : undefined;
    if (text !== undefined) return text;
    const given = typeof value === 'string' ? JSON.stringify(value.slice(0, 120)) : `a value of type ${typeof value}`;
    throw new GraphQLError(`${name} cannot represent ${given}; write a text such as "${example}".`);
  };
  return new GraphQLScalarType({
    name,
    description,
    coerceOutputValue: read,
    coerceInputValue: read,
    coerceInputLiteral(node) {
      try {
        return read(node.kind === Kind.STRING ? node.value : undefined);
      } catch (error) {
        throw new GraphQLError(reasonOf(error), { nodes: node });
      }
    },
  });
}

/** The scalars, by name. */
export const TEXT_SCALARS: Readonly<Record<string, GraphQLScalarType>> = {
  LocalDateTime: createScalar(
    'LocalDateTime',
    'A day and time without a zone, to the microsecond: "2020-02-29T10:00:00.5".',
    '2020-02-29T10:00:00',
    toLocalDateTime,
  ),
  LocalTime: createScalar(
    'LocalTime',
    'A time of day without a zone, to the microsecond: "10:00:00.5".',
    '10:00:00',
    toLocalTime,
  ),
  Duration: createScalar(
    'Duration',
    'A duration of ISO 8601, to the microsecond: "P1Y2M3DT4H5M6.5S". Months, days and time are kept apart, since a month has no fixed number of days.',
    'P1DT2H',
    toDuration,
  ),
  Bytes: createScalar('Bytes', 'Bytes in base64: "AAEC".', 'AAEC', toBytes),
};
