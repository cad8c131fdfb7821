// Checks a changed mapping as a whole: targets of aliases and of `copy_to`, and how templates
// of dynamic fields are written. The words are Elasticsearch's.
import { wordsOf } from '@lockstitch/kernel';
import { isObject, type Json, nearOrKnown, textOf } from '../json/json.ts';
import { illegalArgument, mapperParsing } from '../errors/request-error.ts';
import type { MappedField } from './field-type.ts';
import { show } from '../json/java-values.ts';
import type { FieldNode, ObjectNode } from './mapping-tree.ts';
import { METADATA_FIELDS } from './metadata-fields.ts';
import { checkFlag } from './parameter-values.ts';

/** @throws RequestError for an alias of nothing, a copy that no field can take, or a field called as metadata is */
export function checkReferences(root: ObjectNode, fields: ReadonlyMap<string, MappedField>): void {
  for (const name of root.children.keys())
    if (METADATA_FIELDS.has(name)) throw mapperParsing(`Field [${name}] is defined more than once`);
  const visit = (node: ObjectNode | FieldNode): void => {
    if (node.kind === 'object') {
      for (const child of node.children.values()) visit(child);
      return;
    }
    const { field } = node;
    if (field.type === 'alias') checkAlias(field, fields);
    for (const to of field.copyTo) checkCopy(field, fields.get(to));
    for (const [, sub] of node.multi) {
      if (sub.field.copyTo.length > 0)
        throw illegalArgument(`[copy_to] may not be used to copy from a multi-field: [${sub.field.path}]`);
    }
  };
  visit(root);
}

function checkAlias(
  { path: name, definition, nestedPath }: MappedField,
  fields: ReadonlyMap<string, MappedField>,
): void {
  const path = definition['path'];
  if (path === undefined || path === null || path === '')
    throw mapperParsing(`The [path] property must be specified for field [${name}].`);
  const wrong = (reason: string): Error =>
    mapperParsing(`Invalid [path] value [${show(path)}] for field alias [${name}]: ${reason}`);
  if (path === name) throw wrong('an alias cannot refer to itself.');
  const target = fields.get(show(path));
  if (target?.type === 'alias') throw wrong('an alias cannot refer to another alias.');
  if (target === undefined) throw wrong('an alias must refer to an existing field in the mappings.');
  if (target.nestedPath === nestedPath) return;
  const scope = nestedPath === undefined ? 'The alias is not nested' : `The alias's nested scope is [${nestedPath}]`;
  const other =
    target.nestedPath === undefined
      ? 'the target is not nested'
      : `the target's nested scope is [${target.nestedPath}]`;
  throw illegalArgument(
    wrong(`an alias must have the same nested scope as its target. ${scope}, but ${other}.`).message,
  );
}

function checkCopy(from: MappedField, to: MappedField | undefined): void {
  const target = to?.nestedPath;
  if (target === undefined || from.nestedPath === target || from.nestedPath?.startsWith(`${target}.`) === true) return;
  throw illegalArgument(
    `Illegal combination of [copy_to] and [nested] mappings: [copy_to] may only copy data to the current nested document or any of its parents, however one [copy_to] directive is trying to copy data from nested object [${from.nestedPath ?? 'null'}] to [${target}]`,
  );
}

const TEMPLATE_KEYS: readonly string[] = wordsOf(`
  match unmatch path_match path_unmatch match_mapping_type match_pattern mapping`);

const KINDS: readonly unknown[] = ['object', 'string', 'long', 'double', 'boolean', 'date', 'binary'];

/** @throws RequestError for `dynamic_templates` that say what no template does */
export function checkTemplates(value: unknown): void {
  if (value === undefined) return;
  if (!Array.isArray(value))
    throw mapperParsing('Dynamic template syntax error. An array of named objects is expected.');
  for (const entry of value as readonly unknown[]) {
    if (!isObject(entry) || Object.keys(entry).length !== 1)
      throw mapperParsing('A dynamic template must be defined with a name');
    const [template] = Object.values(entry);
    if (isObject(template)) checkTemplate(template);
  }
}

function checkTemplate(template: Json): void {
  for (const key of Object.keys(template))
    if (!TEMPLATE_KEYS.includes(key)) throw illegalArgument(`Illegal dynamic template parameter: [${key}]`);
  const { match, path_match: pathMatch, match_mapping_type: kind, match_pattern: pattern, mapping } = template;
  if (match === undefined && pathMatch === undefined && kind === undefined)
    throw mapperParsing(`template must have match, path_match or match_mapping_type set ${show(template)}`);
  if (mapping === undefined) throw mapperParsing('template must have mapping set');
  if (pattern !== undefined && pattern !== 'simple' && pattern !== 'regex')
    throw illegalArgument(`No matching pattern matched on [${show(pattern)}]`);
  if (kind !== undefined && kind !== '*' && !KINDS.includes(kind))
    throw illegalArgument(
      `No field type matched on [${show(kind)}], possible values are [${KINDS.map(textOf).join(', ')}]`,
    );
}

const METADATA_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  _source: ['enabled', 'includes', 'excludes'],
  _routing: ['required'],
  _field_names: ['enabled'],
};

/** What a mapping says of a metadata field. @throws RequestError for what it has no use for */
export function readMetadata(name: string, value: unknown): Json {
  if (!isObject(value)) throw illegalArgument('[_parent] must be an object containing [type]');
  const known = METADATA_OPTIONS[name]!;
  const entries = Object.entries(value).map(([key, option]) => {
    if (!known.includes(key))
      throw mapperParsing(`unknown parameter [${key}] on mapper [${name}] of type [null]${nearOrKnown(key, known)}`);
    if (key === 'enabled' || key === 'required') {
      checkFlag(option);
      return [key, option === true || option === 'true'] as const;
    }
    if (!Array.isArray(option)) throw illegalArgument(`[${key}] of [${name}] must be a list, got [${show(option)}]`);
    return [key, option.map(show)] as const;
  });
  return Object.fromEntries(entries);
}

/** What of metadata fields no later mapping may change, with its defaults. */
const FIXED_METADATA: Readonly<Record<string, Json>> = {
  _source: { enabled: 'true', includes: [], excludes: [] },
  _routing: { required: 'false' },
};

/** @throws RequestError where a mapping that exists says otherwise of its sources or routing */
export function checkMetadata(before: Json, definition: Json): void {
  for (const [name, parameters] of Object.entries(FIXED_METADATA)) {
    const [was, now] = [before[name] ?? {}, definition[name]];
    if (!isObject(was) || !isObject(now)) continue;
    const conflicts = Object.entries(parameters).flatMap(([key, usual]) => {
      const [from, to] = [show(was[key] ?? usual), show(now[key] ?? usual)];
      return from === to ? [] : [`\n\tCannot update parameter [${key}] from [${from}] to [${to}]`];
    });
    if (conflicts.length > 0)
      throw illegalArgument(`Mapper for [${name}] conflicts with existing mapper:${conflicts.join('')}`);
  }
}
