// Short texts for values of documents. hit-card.ts chooses which values a card shows.

/** Fields that name an object, the best first. */
export const TITLES: readonly string[] = ['title', 'name', 'githubLogin', 'login', 'label', 'subject', 'text'];

/** Whether a value is neither null nor empty. */
export function hasValue(value: unknown): boolean {
  return value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
}

/** Short text for a value: the name of an object, or else its members. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(describeValue).join(', ');
  if (typeof value === 'object' && value !== null) {
    const entries = value as Readonly<Record<string, unknown>>;
    const named = TITLES.map((key) => entries[key]).find((name) => typeof name === 'string' && name !== '');
    if (typeof named === 'string') return named;
    const held = Object.entries(entries).filter(([, each]) => hasValue(each));
    return held.map(([key, each]) => `${key} ${describeValue(each)}`).join(', ');
  }
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value))
    return new Date(value).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
  return typeof value === 'number' ? value.toLocaleString('en') : String(value);
}
