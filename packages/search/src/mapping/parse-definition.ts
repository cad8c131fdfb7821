// How fields are written in a mapping: the first mistake of a definition, before anything is made of it. What contradicts another
// parameter, or the mapping that there is, is found when fields are made and merged.
import { illegalArgument, mapperParsing, parseException, RequestError } from '../errors/request-error.ts';
import { isObject, type Json } from '../json/json.ts';
import { readDynamic } from './dynamic.ts';
import { checkParameters, FIELD_TYPES, withoutDropped } from './field-parameters.ts';
import { type Warn, warnOfField, warnOfObject } from './mapping-warnings.ts';
import { javaClass, show } from '../json/java-values.ts';
import { convertedFlag } from './parameter-values.ts';

/** @param warn takes what Elasticsearch warns of, up to the first mistake @throws RequestError for that */
export function checkProperties(properties: unknown, warn: Warn = () => undefined): void {
  if (Array.isArray(properties) && properties.length === 0) return;
  if (!isObject(properties)) throw parseException('properties must be a map type');
  for (const [key, value] of Object.entries(properties)) {
    if (/^\.+$/.test(key))
      throw new RequestError(
        'SEARCH_MAPPING',
        'array_index_out_of_bounds_exception',
        'Index -1 out of bounds for length 0',
      );
    const name = key.replace(/\.+$/, '');
    if (name === '' || name.startsWith('.') || name.includes('..'))
      throw illegalArgument('name cannot be empty string');
    if (Array.isArray(value) && value.length === 0) continue;
    // Elasticsearch names this class whatever the value is.
    if (!isObject(value))
      throw mapperParsing(`Expected map for property [fields] on field [${name}] but got a class java.lang.String`);
    checkOne(name.slice(name.lastIndexOf('.') + 1), value, warn);
  }
}

/** The type that a definition names; undefined: an object. */
export function typeIn(definition: Json): string | undefined {
  const { type } = definition;
  return type === undefined || type === null ? undefined : show(type);
}

function checkOne(name: string, value: Json, warn: Warn): void {
  const type = typeIn(value);
  if (type === undefined && value['properties'] === undefined && !isObjectDefinition(value))
    throw mapperParsing(`No type specified for field [${name}]`);
  if (type !== undefined && type !== 'object' && type !== 'nested') {
    checkField(name, value, type, false, warn);
    return;
  }
  warnOfObject(value, warn);
  const others = [];
  for (const [key, setting] of Object.entries(value)) {
    if (key === 'dynamic') readDynamic(setting);
    else if (key === 'enabled') convertedFlag(setting, 'enabled.enabled');
    else if (key.startsWith('include_in_') && type === 'nested') convertedFlag(setting, `${name}.${key}`);
    else if (key === 'properties') checkProperties(setting, warn);
    else if (!NAMES_OF_OBJECTS.includes(key)) others.push(` [${key} : ${show(setting)}]`);
  }
  if (others.length > 0)
    throw mapperParsing(`Mapping definition for [${name}] has unsupported parameters: ${others.join('')}`);
}

function checkField(name: string, value: Json, type: string, isSub: boolean, warn: Warn): void {
  const { fields, ...given } = value;
  checkParameters(type, name, type === 'alias' ? value : withoutDropped(given));
  warnOfField(name, type, value, isSub, warn);
  if (fields === undefined || (Array.isArray(fields) && fields.length === 0)) return;
  if (!isObject(fields))
    throw mapperParsing(
      `expected map for property [fields] on field [${show(fields)}] or [fields] but got a class ${javaClass(fields)}`,
    );
  for (const [sub, definition] of Object.entries(fields)) {
    if (sub.includes('.'))
      throw mapperParsing(`Field name [${sub}] which is a multi field of [${name}] cannot contain '.'`);
    if (!isObject(definition))
      throw mapperParsing(`illegal field [${sub}], only fields can be specified inside fields`);
    const subType = typeIn(definition);
    if (subType === undefined) throw mapperParsing(`no type specified for property [${sub}]`);
    if (subType === 'object' || subType === 'nested' || subType === 'alias')
      throw mapperParsing(`Type [${subType}] cannot be used in multi field`);
    if (!FIELD_TYPES.includes(subType))
      throw mapperParsing(`no handler for type [${subType}] declared on field [${sub}]`);
    checkField(sub, definition, subType, true, warn);
  }
}

const NAMES_OF_OBJECTS: readonly string[] = ['type', 'include_in_all', 'include_in_parent', 'include_in_root'];

/** Whether a definition without a type is one of an object. */
function isObjectDefinition(value: Json): boolean {
  return value['enabled'] !== undefined && Object.keys(value).length === 1;
}
