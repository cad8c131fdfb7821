// Which indices, aliases and data streams a name or pattern means.
import type { Engine } from '../../engine/engine-api.ts';
import { globMatches } from '../../glob.ts';
import { aliasesOf } from '../request/index-names.ts';
import { isClosed } from '../request/index-state.ts';
import { type Answer, bodyIndex, type Call, param } from '../request/request.ts';

/** `GET /_resolve/index/{name}`. */
export function resolveIndex(engine: Engine, call: Call): Answer {
  const patterns = bodyIndex(call, call.path['name']!).split(',');
  const matches = (name: string): boolean => patterns.some((pattern) => globMatches(pattern, name));
  const wanted = (param(call, 'expand_wildcards') ?? 'open').split(',');
  const reaches = (name: string, closed: boolean): boolean =>
    patterns.includes(name) || wanted.includes('all') || wanted.includes(closed ? 'closed' : 'open');
  const aliases = new Map<string, string[]>();
  const indices = engine.indices().map((index) => {
    const own = Object.keys(aliasesOf(index)).sort();
    for (const alias of own) aliases.set(alias, [...(aliases.get(alias) ?? []), index.name]);
    return { name: index.name, own, closed: isClosed(index) };
  });
  return {
    json: {
      indices: indices
        .filter(({ name, closed }) => matches(name) && reaches(name, closed))
        .map(({ name, own, closed }) => ({
          name,
          ...(own.length === 0 ? {} : { aliases: own }),
          attributes: [closed ? 'closed' : 'open'],
        })),
      aliases: [...aliases]
        .filter(([name]) => matches(name))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, found]) => ({ name, indices: found })),
      data_streams: [],
    },
  };
}
