// The names of months, days and halves of a day in a language, as Java 9 and later take them from Unicode's CLDR.
import { evictOldest } from '@lockstitch/kernel';

/** Names in the form that stands in a date, and in the one that stands alone. */
export interface Names {
  readonly inDate: readonly string[];
  readonly alone: readonly string[];
}

/** Words of one language. Each kind is read when it is first asked for: a formatter takes 14 KB that no collector of V8 sees. */
export interface DateWords {
  /** From January. */
  readonly months: Sizes;
  /** From Sunday. */
  readonly weekdays: Sizes;
  /** Before noon, and after. */
  readonly halves: readonly [string, string];
}

interface Sizes {
  readonly short: Names;
  readonly long: Names;
}

const ENGLISH = 'en';
/** By tag, the locale whose words it has: regions without words of their own share those of their language. */
const locales = new Map<string, string>();
const MOST_LOCALES = 1000;
/** By locale. Bounded by the locales that the JavaScript engine knows, several hundred. */
const known = new Map<string, DateWords>();

/** The words of a locale such as `de`, `de-AT` or `de_AT`; English ones for the root and for a language without any. */
export function dateWords(locale: string): DateWords {
  let language = locales.get(locale);
  if (language === undefined) {
    language = supported(locale);
    locales.set(locale, language);
    evictOldest(locales, MOST_LOCALES);
  }
  let words = known.get(language);
  if (words === undefined) {
    words = new LazyWords(language);
    known.set(language, words);
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
    if (found === undefined || found.split('-', 1)[0] !== language) return ENGLISH;
    return new Intl.DateTimeFormat(new Intl.Locale(found).baseName).resolvedOptions().locale;
  } catch {
    return ENGLISH;
  }
}

/** From January. */
const MONTHS = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2000, month, 6)));
/** From a Sunday. */
const DAYS = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(2000, 0, 2 + day)));
const HALVES = [9, 15].map((hour) => new Date(Date.UTC(2000, 0, 2, hour)));

class LazyWords implements DateWords {
  readonly #language: string;
  readonly #read = new Map<string, readonly string[]>();
  readonly months: Sizes;
  readonly weekdays: Sizes;

  constructor(language: string) {
    this.#language = language;
    const months = (size: 'short' | 'long'): Names => this.#months(size);
    const weekdays = (size: 'short' | 'long'): Names => this.#weekdays(size);
    this.months = sizes(months);
    this.weekdays = sizes(weekdays);
  }

  get halves(): readonly [string, string] {
    const [before, after] = this.#words(HALVES, 'dayPeriod', { hour: 'numeric', hour12: true });
    return [before!, after!];
  }

  #months(size: 'short' | 'long'): Names {
    const alone = this.#words(MONTHS, 'month', { month: size });
    const inDate = this.#words(MONTHS, 'month', { day: 'numeric', month: size, year: 'numeric' });
    return { inDate: inDate.map((name, at) => (/\d/.test(name) ? alone[at]! : name)), alone };
  }

  #weekdays(size: 'short' | 'long'): Names {
    return {
      inDate: this.#words(DAYS, 'weekday', { weekday: size, day: 'numeric', month: size, year: 'numeric' }),
      alone: this.#words(DAYS, 'weekday', { weekday: size }),
    };
  }

  /** Reads a part of each date by one formatter, once. */
  #words(
    dates: readonly Date[],
    type: 'month' | 'weekday' | 'dayPeriod',
    options: Intl.DateTimeFormatOptions,
  ): readonly string[] {
    const key = JSON.stringify(options);
    let words = this.#read.get(key);
    if (words === undefined) {
      const format = new Intl.DateTimeFormat(this.#language, { calendar: 'gregory', timeZone: 'UTC', ...options });
      words = dates.map((at) => format.formatToParts(at).find((each) => each.type === type)?.value ?? '');
      // Where a month is called by its number, the word for "month" is a part of its own.
      if (words.some((word) => /^\d+$/.test(word))) {
        const whole = new Intl.DateTimeFormat(this.#language, { ...options, timeZone: 'UTC' });
        words = words.map((word, at) => (/^\d+$/.test(word) ? whole.format(dates[at]) : word));
      }
      this.#read.set(key, words);
    }
    return words;
  }
}

function sizes(read: (size: 'short' | 'long') => Names): Sizes {
  return {
    get short() {
      return read('short');
    },
    get long() {
      return read('long');
    },
  };
}
