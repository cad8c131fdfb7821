// Pieces of the hand-written statements of the bench `spot`, in the forms that were fastest on each database.

/** What differs between the databases in a statement written by hand. */
export interface Hand {
  readonly name: 'sqlite' | 'postgres';
  /** The placeholder of the next value. */
  value(type: 'text' | 'bigint'): string;
  /** A JSON object; the expressions of `json` print JSON themselves. */
  object(members: Readonly<Record<string, readonly ['id' | 'text' | 'nullable' | 'integer' | 'json', string]>>): string;
  /** A JSON array with one object for each row of `rows`. */
  list(object: string, rows: string): string;
  isTrue(value: string): string;
  contains(column: string, value: string): string;
  /** A time as JSON. */
  time(column: string): string;
  /** A text as upper-case hexadecimal of its UTF-8. */
  hex(text: string): string;
}

type Member = readonly ['id' | 'text' | 'nullable' | 'integer' | 'json', string];

function concatMembers(
  members: Readonly<Record<string, Member>>,
  print: (format: Member[0], column: string) => string,
): string {
  const pieces = Object.entries(members).map(
    ([key, [format, column]], index) => `'${index === 0 ? '{' : ','}"${key}":', ${print(format, column)}`,
  );
  return `concat(${pieces.join(', ')}, '}')`;
}

/** A hand for one statement. */
export function createHand(name: Hand['name']): Hand {
  let position = 0;
  if (name === 'sqlite')
    return {
      name,
      value: () => '?',
      object(members) {
        const flat = Object.values(members).every(([format]) => format !== 'json');
        if (flat)
          return `json_object(${Object.entries(members)
            .map(([key, [format, column]]) => `'${key}', ${format === 'id' ? `CAST(${column} AS TEXT)` : column}`)
            .join(', ')})`;
        return concatMembers(members, (format, column) => {
          if (format === 'json') return column;
          return format === 'id' ? `json_quote(CAST(${column} AS TEXT))` : `json_quote(${column})`;
        });
      },
      list: (object, rows) =>
        object.startsWith('json_object')
          ? `(SELECT json_group_array(${object}) FROM (${rows}) a)`
          : `concat('[', (SELECT group_concat(${object}, ',') FROM (${rows}) a), ']')`,
      isTrue: (value) => value,
      contains: (column, value) => `instr(${column}, ${value}) > 0`,
      time: (column) => `concat('"', ${column}, '"')`,
      hex: (text) => `hex(${text})`,
    };
  return {
    name,
    value: (type) => `$${++position}::${type}`,
    object: (members) =>
      concatMembers(members, (format, column) => {
        if (format === 'json' || format === 'integer') return column;
        if (format === 'id') return `'"', ${column}, '"'`;
        return format === 'text' ? `to_json(${column})` : `coalesce(to_json(${column}), 'null')`;
      }),
    list: (object, rows) => `concat('[', coalesce((SELECT string_agg(${object}, ',') FROM (${rows}) a), ''), ']')`,
    isTrue: (value) => value,
    contains: (column, value) => `strpos(${column}, ${value}) > 0`,
    time: (column) => `to_char(${column} AT TIME ZONE interval '0', '"\\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\\""')`,
    hex: (text) => `upper(encode(convert_to(${text}, 'UTF8'), 'hex'))`,
  };
}
