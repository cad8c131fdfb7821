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

/** The nested form of flat settings. Where one key is the beginning of another, the longer one stays flat, as Elasticsearch prints it. */
export function readNested(flat: readonly (readonly [string, unknown])[]): Json {
  const root = emptyObject();
  for (const [key, value] of flat) {
    const steps = key.split('.');
    let at = root;
    let step = steps.shift()!;
    while (steps.length > 0) {
      const inner = (at[step] ??= emptyObject());
      if (!isObject(inner)) break;
      at = inner;
      step = steps.shift()!;
    }
    const taken = at[step];
    const name = [step, ...steps].join('.');
    at[name] = value;
    if (isObject(taken) && steps.length === 0) Object.assign(at, Object.fromEntries(flatten(taken, `${name}.`)));
  }
  return root;
}
