// The settings that a client gave an index, as they are kept with it, and their dotted and nested spellings in one form. Which of them
// are known, and what they mean, is said where they are read (mapping/create-mapper.ts, rest/indices/index-settings.ts).
import type { IndexDefinition } from './index-definition.ts';
import { emptyObject, isObject, type Json } from '../json/json.ts';

/** The client's settings of an index. */
export function settingsOf(definition: IndexDefinition): Json {
  const { custom } = definition;
  return isObject(custom) && isObject(custom['settings']) ? custom['settings'] : {};
}

/** `[["translog.durability", "async"], …]`. */
export function flatten(settings: Json, prefix = ''): [string, unknown][] {
  return Object.entries(settings).flatMap(([key, value]) =>
    isObject(value) ? flatten(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value] as [string, unknown]],
  );
}

/** The nested form of flat settings. */
export function readNested(flat: readonly (readonly [string, unknown])[]): Json {
  const root = emptyObject();
  for (const [key, value] of flat) {
    const steps = key.split('.');
    let at = root;
    for (const step of steps.slice(0, -1)) at = (at[step] ??= emptyObject()) as Record<string, unknown>;
    at[steps.at(-1)!] = value;
  }
  return root;
}
