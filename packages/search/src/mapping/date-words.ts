// The names of months, days and halves of a day in a language, as Java 9 and later take them from Unicode's CLDR.
import { evictOldest } from '@lockstitch/kernel';

/** Names in the form that stands in a date, and in the one that stands alone. */
export interface Names {
  readonly inDate: readonly string[];
  readonly alone: readonly string[];
}

/** Words of one language. */
export interface DateWords {
  /** From January. */
  readonly months: { readonly short: Names; readonly long: Names };
  /** From Sunday. */
  readonly weekdays: { readonly short: Names; readonly long: Names };
  /** Before noon, and after. */
  readonly halves: readonly [string, string];
}

const ENGLISH = 'en';
const known = new Map<string, DateWords>();
const MOST_KNOWN = 100;

/** The words of a locale such as `de`, `de-AT` or `de_AT`; English ones for the root and for a language without any. */
export function dateWords(locale: string): DateWords {
  const language = supported(locale);
  let words = known.get(language);
  if (words === undefined) {
    words = readWords(language);
    known.set(language, words);
    evictOldest(known, MOST_KNOWN);
  }
  return words;
}

function supported(locale: string): string {
  const tag = locale.replaceAll('_', '-');
  // English of other regions differs by dots and single letters, which texts of logs never have.
  if (!/^[a-z]{2,3}(?:-[a-z0-9]+)*$/i.test(tag) || /^en\b/i.test(tag)) return ENGLISH;
  try {
    const [found] = Intl.DateTimeFormat.supportedLocalesOf(tag);
    // A name of three letters of a language that has one of two is none to Java.
    const [language] = tag.toLowerCase().split('-');
    return found !== undefined && found.split('-', 1)[0] === language ? found : ENGLISH;
  } catch {
    return ENGLISH;
  }
}

function readWords(language: string): DateWords {
  const part = (at: Date, type: 'month' | 'weekday' | 'dayPeriod', options: Intl.DateTimeFormatOptions): string => {
    const format = new Intl.DateTimeFormat(language, { calendar: 'gregory', timeZone: 'UTC', ...options });
    const found = format.formatToParts(at).find((each) => each.type === type)?.value ?? '';
    // Where a month is called by its number, the word for "month" is a part of its own.
    return /^\d+$/.test(found) ? new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(at) : found;
  };
  const months = (size: 'short' | 'long'): Names => {
    const dates = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2000, month, 6)));
    const alone = dates.map((at) => part(at, 'month', { month: size }));
    const inDate = dates.map((at) => part(at, 'month', { day: 'numeric', month: size, year: 'numeric' }));
    return { inDate: inDate.map((name, at) => (/\d/.test(name) ? alone[at]! : name)), alone };
  };
  const weekdays = (size: 'short' | 'long'): Names => {
    // A Sunday.
    const dates = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(2000, 0, 2 + day)));
    return {
      inDate: dates.map((at) => part(at, 'weekday', { weekday: size, day: 'numeric', month: size, year: 'numeric' })),
      alone: dates.map((at) => part(at, 'weekday', { weekday: size })),
    };
  };
  const half = (hour: number): string =>
    part(new Date(Date.UTC(2000, 0, 2, hour)), 'dayPeriod', { hour: 'numeric', hour12: true });
  return {
    months: { short: months('short'), long: months('long') },
    weekdays: { short: weekdays('short'), long: weekdays('long') },
    halves: [half(9), half(15)],
  };
}
