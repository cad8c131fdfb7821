// The values of a document in few words. Which of them a card shows is in hit-card.ts.

/** Fields that name an object, the best first. */
export const TITLES: readonly string[] = ['title', 'name', 'githubLogin', 'login', 'label', 'subject', 'text'];

/** Whether there is anything to show. */
export function hasValue(value: unknown): boolean {
  return value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
}

/** One value in few words: an object by its name, or by what it holds. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(describeValue).join(', ');
  if (typeof value === 'object' && value !== null) {
    const entries = value as Readonly<Record<string, unknown>>;
    const named = TITLES.map((key) => entries[key]).find((name) => typeof name === 'string' && name !== '');
    if (typeof named === 'string') return named;
    const held = Object.entries(entries).filter(([, each]) => hasValue(each));
    return held.map(([key, each]) => `${key} ${describeValue(each)}`).join(', ');
  }
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value)) {
    return new Date(value).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
  }
  return typeof value === 'number' ? value.toLocaleString('en') : String(value);
}
