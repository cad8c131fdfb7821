// Dates by weeks (`2020-W53-5`), as ISO 8601 counts them: weeks begin on Monday, and the first of a year has its first Thursday.

const DAY = 86_400_000;

/** The year and week that a date lies in. */
export function weekOf(local: Date): { readonly year: number; readonly week: number } {
  const thursday = new Date(local);
  thursday.setUTCDate(local.getUTCDate() - ((local.getUTCDay() + 6) % 7) + 3);
  const year = thursday.getUTCFullYear();
  return { year, week: Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY)) + 1 };
}

/** Milliseconds from the start of a year to a day of a week; undefined when there is no such week or day. @param day 1 is Monday */
export function offsetOfWeek(year: number, week: number, day: number): number | undefined {
  const first = new Date(0);
  first.setUTCFullYear(year, 0, 1);
  const weekday = (first.getUTCDay() + 6) % 7;
  const monday = weekday <= 3 ? -weekday : 7 - weekday;
  const last = new Date(0);
  last.setUTCFullYear(year, 11, 28);
  if (week < 1 || week > weekOf(last).week || day < 1 || day > 7) return undefined;
  return (monday + (week - 1) * 7 + day - 1) * DAY;
}
