// What one document has gathered while the mapping walks it: the values of each field, part by part (the root and each
// nested element), until they become the fields the index writer takes. Which fields there are is the mapping's business.
import { type IndexedField, MAX_PLAIN_LENGTH, type NestedDocument } from '../index/indexed-document.ts';
import { MAX_TERM_BYTES } from '../index/term-table.ts';
import { asBoolean, asInteger, isObject, type Json, textOf } from '../json/json.ts';
import { illegalArgument, jsonParsing } from '../errors/request-error.ts';
import { completionTerms, inputsPath } from './completion.ts';
import { DocumentPart } from './document-part.ts';
import {
  fielddataPath,
  hasFielddata,
  hasNanos,
  isStored,
  type MappedField,
  toFineInstant,
  toNumber,
  toTerm,
} from './field-type.ts';
import { nanosPath, placeOfInstant } from './nanos.ts';
import { addRange } from './range-field.ts';
import { exactTokenOf } from '../json/java-values.ts';

/** Adds one value to a field. @throws RequestError or NumberFormatError when it does not fit */
export function addValue(field: MappedField, value: unknown, target: DocumentPart, state: DocumentState): void {
  switch (field.family) {
    case 'text':
      // Its shingles, which are never stored.
      if (!field.index && field.type === 'search_as_you_type')
        throw illegalArgument("it doesn't make sense to have a field that is neither indexed nor stored");
      if (field.index) target.text(field).push(typeof value === 'string' ? value : textOf(value));
      break;
    case 'keyword':
    case 'ip': {
      const text = typeof value === 'string' ? value : textOf(value);
      if (text.length > field.ignoreAbove) return;
      const term = toTerm(field, value);
      if (field.index || field.docValues) target.keyword(field).push(term);
      break;
    }
    case 'number':
      if (field.type === 'token_count') {
        target.number(field.path).push(countTokens(field, textOf(value)));
        break;
      }
      if (field.type === 'rank_feature' && target.number(field.path).length > 0)
        throw illegalArgument(
          `[rank_feature] fields do not support indexing multiple values for the same field [${field.path}] in the same document`,
        );
      target.number(field.path).push(toNumber(field, value, true));
      break;
    case 'date':
      if (hasNanos(field)) {
        const instant = toFineInstant(field, value);
        target.number(nanosPath(field.path)).push(placeOfInstant(instant));
        target.number(field.path).push(instant.millis);
        break;
      }
      target.number(field.path).push(toNumber(field, value, true));
      break;
    case 'boolean':
      target.number(field.path).push(toNumber(field, value, true));
      break;
    case 'range':
      addRange(field, value, target, state.member);
      break;
    case 'completion':
      for (const { suggested, queried } of completionTerms(field, value, state)) {
        target.keyword(field).push(suggested);
        if (queried !== undefined) target.inputs(field.path).push(queried);
      }
      break;
    case 'none':
      if (field.type === 'binary' && (field.docValues || isStored(field))) addBinary(field, value, target);
      break;
    case 'constant':
      addConstant(field, value);
      break;
    case 'geo':
    case 'id':
      break;
  }
}

/** Base64 as columns show it, which is all that can be asked of it. @throws RequestError when it is none */
function addBinary(field: MappedField, value: unknown, target: DocumentPart): void {
  if (typeof value !== 'string')
    throw jsonParsing(
      `Current token (${exactTokenOf(value)}) not VALUE_STRING or VALUE_EMBEDDED_OBJECT, can not access as binary`,
    );
  const wrong = /[^A-Za-z0-9+/=]/.exec(value)?.[0];
  if (wrong !== undefined || value.length % 4 !== 0)
    throw jsonParsing(
      `Failed to decode VALUE_STRING as base64 (MIME-NO-LINEFEEDS): ${wrong === undefined ? 'Unexpected end of base64-encoded String' : `Illegal character '${wrong}' (code 0x${wrong.charCodeAt(0).toString(16)}) in base64 content`}`,
    );
  if (field.docValues) target.keyword(field).push(value.replace(/=+$/, ''));
}

/** @throws RequestError for another value than that of the mapping */
function addConstant({ path, definition }: MappedField, value: unknown): void {
  const given = textOf(value);
  const wanted = definition['value'];
  if (wanted !== undefined && given !== textOf(wanted))
    throw illegalArgument(
      `[constant_keyword] field [${path}] only accepts values that are equal to the value defined in the mappings [${textOf(wanted)}], but got [${given}]`,
    );
}

/** The words of a text, and the holes of removed ones unless the field says that they do not count. */
export function countTokens(field: MappedField, text: string): number {
  const { positions, endPosition } = field.analyzer.analyze(text);
  const holes = field.definition['enable_position_increments'];
  return holes === undefined || asBoolean(holes, 'enable_position_increments') ? endPosition : new Set(positions).size;
}

/** Adds the leaves of a `flattened` field, each under its own path and all paths above. @throws RequestError when it is too deep */
export function flatten(field: MappedField, value: unknown, target: DocumentPart): void {
  const { depth_limit: given } = field.definition;
  checkDepth(field.path, value, given === undefined ? 20 : asInteger(given, 'depth_limit'), 1);
  addLeaves(value, field.path, target);
}

function checkDepth(path: string, value: unknown, limit: number, depth: number): void {
  if (Array.isArray(value)) {
    for (const element of value) checkDepth(path, element, limit, depth);
  } else if (isObject(value)) {
    if (depth > limit)
      throw illegalArgument(`The provided [flattened] field [${path}] exceeds the maximum depth limit of [${limit}].`);
    for (const member of Object.values(value)) checkDepth(path, member, limit, depth + 1);
  }
}

function addLeaves(value: unknown, path: string, target: DocumentPart): void {
  if (Array.isArray(value)) {
    for (const element of value) addLeaves(element, path, target);
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) addLeaves(member, `${path}.${key}`, target);
  } else if (value !== null && value !== undefined) {
    for (let at = path; ; at = at.slice(0, at.lastIndexOf('.'))) {
      target.plainKeyword(at).push(textOf(value));
      if (!at.includes('.')) break;
    }
  }
}

function isTerm(value: string): boolean {
  return value.length * 3 <= MAX_TERM_BYTES || Buffer.byteLength(value) <= MAX_TERM_BYTES;
}

/** The standard analyzer cuts words at 255 characters; others may end one at the next space, or never. */
function mayMakeLongTerm({ definition }: MappedField, text: string): boolean {
  return definition['analyzer'] !== undefined && text.length * 3 > MAX_TERM_BYTES;
}

/** One document on its way into the index. */
export class DocumentState {
  readonly id: string;
  readonly root = new DocumentPart(undefined, 0);
  /** Takes what lies under objects not mapped yet; the document is walked again once they are. */
  readonly scrap = new DocumentPart(undefined, 0);
  readonly ignored = new Set<string>();
  nestedCount = 0;
  /** The member that is read, as it is written; null inside of an array. */
  member: string | null = null;
  readonly #takesAll: boolean;

  /** The document as given: contexts of completions read other fields of it. */
  readonly source: Json;

  /** @param takesAll whether values whose terms would be too long are left out, and not refused */
  constructor(id: string, source: Json, takesAll = false) {
    this.id = id;
    this.source = source;
    this.#takesAll = takesAll;
  }

  nested(parent: DocumentPart, path: string): DocumentPart {
    const offset = parent.children.filter((child) => child.path === path).length;
    const part = new DocumentPart(path, offset);
    parent.children.push(part);
    return part;
  }

  finish(part: DocumentPart): IndexedField[] {
    const fields: IndexedField[] = [];
    if (this.#takesAll) this.#leaveOut(part);
    for (const { field, values } of part.texts.values()) {
      const { path, norms, positions, analyzer } = field;
      const { plainLength: maxLength = Infinity, positionIncrementGap: gap } = analyzer;
      if (maxLength <= MAX_PLAIN_LENGTH) {
        fields.push({ kind: 'plain_text', field: path, norms, positions, values, gap, maxLength });
        continue;
      }
      fields.push({
        kind: 'text',
        field: path,
        norms,
        positions,
        analyze(sink) {
          let position = 0;
          for (const value of values) position = analyzer.push(value, position, sink) + gap;
        },
      });
    }
    for (const { field, values } of part.texts.values()) {
      if (!hasFielddata(field)) continue;
      const words = new Set(values.flatMap((value) => field.analyzer.analyze(value).terms));
      fields.push({ kind: 'keyword', field: fielddataPath(field.path), values: [...words], docValues: true });
    }
    for (const [path, values] of part.completions)
      fields.push({
        kind: 'text',
        field: inputsPath(path),
        norms: true,
        positions: false,
        analyze: (sink) => values.forEach((value, at) => sink.add(value, at)),
      });
    for (const [field, { docValues, values }] of part.keywords)
      fields.push({ kind: 'keyword', field, values, docValues });
    for (const [field, values] of part.numbers) fields.push({ kind: 'number', field, values });
    for (const [field, points] of part.points) fields.push({ kind: 'geo', field, points });
    return fields;
  }

  /** What the index would refuse for the length of its terms. */
  #leaveOut(part: DocumentPart): void {
    const keep = (path: string, values: string[], fits: (value: string) => boolean): void => {
      if (values.every(fits)) return;
      values.splice(0, values.length, ...values.filter(fits));
      this.ignored.add(path);
    };
    for (const { field, values } of part.texts.values())
      keep(
        field.path,
        values,
        (value) => !mayMakeLongTerm(field, value) || field.analyzer.analyze(value).terms.every(isTerm),
      );
    for (const [path, { values }] of part.keywords) keep(path, values, isTerm);
  }

  finishNested(part: DocumentPart): NestedDocument[] | undefined {
    if (part.children.length === 0) return undefined;
    return part.children.map((child) => {
      const nested = this.finishNested(child);
      return {
        path: child.path!,
        offset: child.offset,
        fields: this.finish(child),
        ...(nested === undefined ? {} : { nested }),
      };
    });
  }
}
