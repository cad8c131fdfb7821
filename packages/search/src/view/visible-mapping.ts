// The mapping of an index as a caller sees it: without the fields that the view hides, and without objects that hold nothing else.
import { isObject, type Json, textOf } from '../json/json.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { isWithin } from './index-view.ts';

const mappings = new WeakMap<Mapping, Map<string, { readonly version: number; readonly mapping: Mapping }>>();

/** A mapping without the hidden fields: the same one as long as `base` has the same version. */
export function visibleMapping(base: Mapping, hidden: readonly string[]): Mapping {
  if (hidden.length === 0) return base;
  const known = mappings.get(base) ?? new Map<string, { version: number; mapping: Mapping }>();
  mappings.set(base, known);
  const key = hidden.join('\n');
  const found = known.get(key);
  if (found?.version === base.version) return found.mapping;
  const json = base.toJSON();
  const properties = isObject(json['properties']) ? json['properties'] : {};
  const mapping = base.restricted({ ...json, properties: pruned(properties, '', hidden) });
  known.set(key, { version: base.version, mapping });
  return mapping;
}

function pruned(properties: Json, prefix: string, hidden: readonly string[]): Json {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(properties)) {
    const path = `${prefix}${name}`;
    if (hidden.some((each) => isWithin(path, each)) || !isObject(value)) continue;
    if (value['type'] === 'alias' && hidden.some((each) => isWithin(textOf(value['path']), each))) continue;
    const next: Record<string, unknown> = { ...value };
    for (const part of ['properties', 'fields'] as const) {
      if (isObject(value[part])) next[part] = pruned(value[part], `${path}.`, hidden);
    }
    // An object of which nothing is left is not there either.
    if (isEmpty(next['properties']) && !isEmpty(value['properties'])) continue;
    kept[name] = next;
  }
  return kept;
}

const isEmpty = (properties: unknown): boolean => isObject(properties) && Object.keys(properties).length === 0;
