// Processors that set, remove, move and convert fields as they are.
import { illegalArgument, RequestError } from '../errors/request-error.ts';
import { notANumber } from '../json/json.ts';
import { readJavaDouble, shortestFloat } from '../json/java-values.ts';
import { compareKeys } from '../text/compare-keys.ts';
import { fieldValue, type IngestDocument } from './ingest-document.ts';
import { copyOf, double, isMembers, numberOf, sizeOf, textOfValue, whole } from './ingest-values.ts';
import type { CreateProcessor, Processors } from './processor.ts';
import { readTemplate } from './template.ts';

const set: CreateProcessor = (config) => {
  const field = config.template('field');
  const value = config.valueSource('value');
  const overrides = config.flag('override', true);
  const skipsEmpty = config.flag('ignore_empty_value');
  return (document) => {
    const path = field(document);
    if (!overrides && document.has(path) && document.get(path) !== null) return;
    const made = value(document);
    if (skipsEmpty && (made === null || made === '')) return;
    document.set(path, made);
  };
};

const append: CreateProcessor = (config) => {
  const field = config.template('field');
  const value = config.valueSource('value');
  const allowsDuplicates = config.flag('allow_duplicates', true);
  return (document) => document.append(field(document), value(document), allowsDuplicates);
};

const remove: CreateProcessor = (config) => {
  const given = config.value('field');
  const fields = (Array.isArray(given) ? given : [given]).map((name) => readTemplate(textOfValue(name)));
  const ignores = config.flag('ignore_missing');
  return (document) => {
    for (const field of fields) {
      const path = field(document);
      if (!ignores || document.has(path)) document.remove(path);
    }
  };
};

const rename: CreateProcessor = (config) => {
  const field = config.template('field');
  const target = config.template('target_field');
  const ignores = config.flag('ignore_missing');
  return (document) => {
    const from = field(document);
    if (!document.has(from, true)) {
      if (ignores) return;
      throw illegalArgument(`field [${from}] doesn't exist`);
    }
    const to = target(document);
    if (document.has(to, true)) throw illegalArgument(`field [${to}] already exists`);
    const value = document.get(from);
    document.remove(from);
    try {
      document.set(to, value);
    } catch (error) {
      document.set(from, value);
      throw error;
    }
  };
};

/** Converts a value. @throws RequestError if it cannot be converted */
type Convert = (value: unknown) => unknown;

const notConverted = (text: string, type: string): Error =>
  illegalArgument(`unable to convert [${text}] to ${type}`, { causedBy: notANumber(text) });

/** Maximum digits of whole numbers of any type. */
const MOST_DIGITS = 19;

/** A whole number, also a hexadecimal one. @param bits of the type */
function toWhole(type: string, bits: number): Convert {
  return (value) => {
    const text = textOfValue(value);
    const [, sign, hex, digits] = /^([+-]?)(?:(?:0x|#)0*([\da-f]+)|0*(\d+))$/i.exec(text) ?? [];
    // Longer numbers fit no type, and are slow to parse.
    if ((hex ?? digits ?? text).length > MOST_DIGITS || (hex === undefined && digits === undefined))
      throw notConverted(text, type);
    const size = BigInt(hex === undefined ? digits! : `0x${hex}`);
    const number = sign === '-' ? -size : size;
    if (BigInt.asIntN(bits, number) !== number) throw notConverted(text, type);
    return whole(number);
  };
}

function toDouble(type: string, fits: (value: number) => number): Convert {
  return (value) => {
    const text = textOfValue(value);
    const number = readJavaDouble(text);
    if (number === undefined) throw notConverted(text, type);
    return double(fits(number));
  };
}

function toBoolean(value: unknown): boolean {
  const text = textOfValue(value);
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  throw illegalArgument(`[${text}] is not a boolean value, cannot convert to boolean`);
}

const toInteger = toWhole('integer', 32);
const toLong = toWhole('long', 64);
const toFloat = toDouble('float', shortestFloat);

/** The first type that a text is of. */
function toAny(value: unknown): unknown {
  // A copy, so that no object is put into itself.
  if (typeof value !== 'string') return copyOf(value);
  if (/^(?:true|false)$/i.test(value)) return toBoolean(value);
  for (const convert of [toInteger, toLong, toFloat]) {
    try {
      return convert(value);
    } catch {
      // Of another type.
    }
  }
  return value;
}

const CONVERSIONS: Readonly<Record<string, Convert>> = {
  integer: toInteger,
  long: toLong,
  float: toFloat,
  double: toDouble('double', (value) => value),
  boolean: toBoolean,
  string: textOfValue,
  auto: toAny,
};

const convert: CreateProcessor = (config) => {
  const field = config.text('field');
  const given = config.text('type');
  const target = config.optionalText('target_field') ?? field;
  const type = given.toLowerCase();
  if (!Object.hasOwn(CONVERSIONS, type))
    throw config.refuse('type', `type [${given}] not supported, cannot convert field.`);
  const ignores = config.flag('ignore_missing');
  const one = CONVERSIONS[type]!;
  return (document) => {
    const value = fieldValue(document, field, ignores, `cannot be converted to type [${type}]`, 'Field');
    if (value === undefined) return;
    document.set(target, Array.isArray(value) ? value.map(one) : one(value));
  };
};

const sort: CreateProcessor = (config) => {
  const field = config.text('field');
  const target = config.optionalText('target_field') ?? field;
  const order = config.optionalText('order') ?? 'asc';
  if (order !== 'asc' && order !== 'desc')
    throw config.refuse('order', `Sort direction [${order}] not recognized. Valid values are: [asc, desc]`);
  return (document) => {
    const list = document.asList(field, fieldValue(document, field, false, 'cannot sort.'));
    document.read(sizeOf(list) * Math.log2(list.length + 1));
    const sorted = list.map(copyOf).toSorted(compare);
    document.set(target, order === 'asc' ? sorted : sorted.toReversed());
  };
};

function compare(one: unknown, other: unknown): number {
  const [a, b] = [numberOf(one), numberOf(other)];
  if (a !== undefined && b !== undefined) return a - b;
  if (typeof one === 'string' && typeof other === 'string') return compareKeys(one, other);
  if (typeof one === 'boolean' && typeof other === 'boolean') return Number(one) - Number(other);
  throw new RequestError(
    'SEARCH_ILLEGAL_ARGUMENT',
    'class_cast_exception',
    'values of different types cannot be sorted together',
  );
}

const dotExpander: CreateProcessor = (config) => {
  const field = config.text('field');
  if (!field.includes('.')) throw config.refuse('field', 'field does not contain a dot');
  if (field.startsWith('.') || field.endsWith('.')) throw config.refuse('field', "Field can't start or end with a dot");
  if (/\.\./.test(field)) throw config.refuse('field', 'No space between dots');
  const path = config.optionalText('path');
  return (document) => {
    const [map, whole] = holderOf(document, path, field);
    if (map === undefined || !Object.hasOwn(map, field)) return;
    const value = map[field];
    const size = sizeOf(value);
    document.read(size);
    document.grow(size);
    if (document.has(whole)) {
      delete map[field];
      document.append(whole, value);
      return;
    }
    // A value on the path that is no object cannot hold the field.
    const steps = whole.split('.');
    for (let at = 1; at < steps.length; at++) {
      const partial = steps.slice(0, at).join('.');
      if (document.has(partial) && !isMembers(document.get(partial)))
        throw illegalArgument(
          `cannot expend [${whole}], because [${partial}] is not an object field, but a value field`,
        );
    }
    delete map[field];
    document.set(whole, copyOf(value));
  };
};

/** The object that has a field with dots in its name, and the path that the field is to have. */
function holderOf(
  document: IngestDocument,
  path: string | undefined,
  field: string,
): readonly [Record<string, unknown> | undefined, string] {
  if (path === undefined) return [document.members, field];
  const holder = document.find(path);
  return [isMembers(holder) ? holder : undefined, `${path}.${field}`];
}

/** By type. */
export const FIELD_PROCESSORS: Processors = {
  append,
  convert,
  dot_expander: dotExpander,
  remove,
  rename,
  set,
  sort,
};
