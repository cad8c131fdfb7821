// The conditions on a JSON value that only JSON has; what they mean is in plan/json-filter.ts.

/** Fields of the filter, as SDL. */
export const JSON_FILTER_FIELDS = [
  '"The way to the value: names of members, and places in lists, such as [\\"lenses\\", \\"0\\", \\"name\\"]; -1 is the last place. Default: the JSON itself." path: [String!]',
  '"The same JSON; numbers by their value, objects with members in any order. null: there is no value, or null." eq: JSON',
  'ne: JSON',
  'in: [JSON!]',
  'notIn: [JSON!]',
  ...['lt', 'lte', 'gt', 'gte'].map((name) => `"With a number or a text; other values do not match." ${name}: JSON`),
  '"It is a list with this element." has: JSON',
  '"It is a list with one of these elements at least." hasSome: [JSON!]',
  '"It is a list with all of these elements." hasEvery: [JSON!]',
  '"true: there is a value, which may be null." exists: Boolean',
];
