// A mapper for engine tests: strings under `text` are cut by the standard analyzer, those under `title` at spaces, other fields go by the
// type of their value.
import type {
  DocumentMapper,
  IndexedDocument,
  IndexedField,
  NestedDocument,
} from '../../src/index/indexed-document.ts';

function fieldsOf(object: Readonly<Record<string, unknown>>, prefix: string): IndexedField[] {
  const fields: IndexedField[] = [];
  for (const [name, value] of Object.entries(object)) {
    const field = `${prefix}${name}`;
    const values = Array.isArray(value) ? (value as unknown[]) : [value];
    const numbers = values.filter((item) => typeof item === 'number');
    const strings = values.filter((item) => typeof item === 'string');
    if (numbers.length > 0) fields.push({ kind: 'number', field, values: numbers });
    if (strings.length > 0 && name === 'text') {
      const values = strings;
      fields.push({ kind: 'plain_text', field, norms: true, positions: true, values, gap: 100, maxLength: 255 });
    } else if (strings.length > 0 && name === 'title') {
      fields.push({
        kind: 'text',
        field,
        norms: true,
        positions: true,
        analyze(sink) {
          let position = 0;
          for (const text of strings) {
            for (const term of text.split(' ')) if (term !== '') sink.add(term, position++);
            position += 100;
          }
        },
      });
    } else if (strings.length > 0) {
      fields.push({ kind: 'keyword', field, values: strings, docValues: true });
    }
    if (field === 'place' && value !== null && typeof value === 'object') {
      fields.push({ kind: 'geo', field, points: [value as { lat: number; lon: number }] });
    }
  }
  return fields;
}

/** Makes the mapper; objects in arrays under `comments` become nested documents. */
export function plainMapper(): DocumentMapper {
  return {
    version: 1,
    toJSON: () => ({}),
    parse(id, source, routing): IndexedDocument {
      const object = JSON.parse(Buffer.from(source).toString()) as Record<string, unknown>;
      const nested: NestedDocument[] = [];
      const { comments, ...rest } = object;
      if (Array.isArray(comments)) {
        comments.forEach((comment: Record<string, unknown>, offset) =>
          nested.push({ path: 'comments', offset, fields: fieldsOf(comment, 'comments.') }),
        );
      }
      return { id, source, routing, fields: fieldsOf(rest, ''), nested };
    },
  };
}
