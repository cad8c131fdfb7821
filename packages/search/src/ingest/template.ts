// Templates of pipelines: texts with variables such as `{{a.b}}`, which are replaced by values of the document. Other tags of Mustache
// are refused by name.
import { unsupported } from '../errors/request-error.ts';
import { setMember } from '../json/json.ts';
import { type IngestDocument, shownInTemplate } from './ingest-document.ts';
import { isMembers, type Members, sizeOf } from './ingest-values.ts';

/** Makes a value for a document. */
export type ValueSource = (document: IngestDocument) => unknown;
/** Makes a text for a document. */
export type Template = (document: IngestDocument) => string;

/** Reads a template. @throws RequestError for tags other than variables */
export function readTemplate(text: string): Template {
  if (!text.includes('{{'))
    return (document) => {
      document.grow(text.length);
      return text;
    };
  const parts = text.split(/\{\{\{([^{}]*)\}\}\}|\{\{([^{}]*)\}\}/);
  const made: Template[] = [];
  for (let at = 0; at < parts.length; at += 3) {
    const plain = parts[at]!;
    if (plain.includes('{{')) throw unsupported(`[${text}] as a template`);
    made.push(() => plain);
    const name = (parts[at + 1] ?? parts[at + 2])?.trim();
    if (name === undefined) continue;
    if (/^[#^/>=!]/.test(name)) throw unsupported(`[{{${name}}}] in a template of a pipeline`);
    const path = name.replace(/^&\s*/, '');
    made.push((document) => shownInTemplate(lookUp(document, path)));
  }
  return (document) => {
    let text = '';
    for (const each of made) {
      const piece = each(document);
      // Counted piece by piece: the whole text could exceed the memory.
      document.grow(piece.length);
      text += piece;
    }
    return text;
  };
}

/** The value of a variable; undefined if there is none. */
function lookUp(document: IngestDocument, path: string): unknown {
  if (path === '') return undefined;
  const value = path === '_source' ? document.source : path === '_ingest' ? document.ingest : document.find(path);
  document.read(sizeOf(value));
  return value;
}

/** Reads a value whose texts may be templates. */
export function readValue(value: unknown): ValueSource {
  if (typeof value === 'string') return readTemplate(value);
  if (!isMembers(value) && !Array.isArray(value)) return () => value;
  const size = JSON.stringify(value).length;
  if (Array.isArray(value)) {
    const all = value.map(readValue);
    return (document) => {
      document.grow(size);
      return all.map((each) => each(document));
    };
  }
  const members = Object.entries(value).map(([key, member]) => [readTemplate(key), readValue(member)] as const);
  return (document) => {
    document.grow(size);
    const made: Members = {};
    for (const [key, member] of members) setMember(made, key(document), member(document));
    return made;
  };
}
