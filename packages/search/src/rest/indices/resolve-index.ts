// Which indices, aliases and data streams a name or pattern means.
import { globMatches } from '../../text/glob.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { RequestError } from '../../errors/request-error.ts';
import { reads, type Endpoint } from '../request/endpoint.ts';
import { aliasesOf } from '../request/resolve-indices.ts';
import { isClosed, isHidden } from '../request/index-state.ts';
import { type Answer, bodyIndex, type Call, param } from '../request/request.ts';

const isKnown = (engine: Engine, name: string): boolean =>
  /[*,]/.test(name) || engine.has(name) || engine.indices().some((index) => Object.hasOwn(aliasesOf(index), name));

/** `GET /_resolve/index/{name}`. */
function resolveIndex(call: Call): Answer {
  const { engine } = call;
  const given = call.path['name']!;
  const parts = bodyIndex(call, given).split(',');
  // What is computed is meant to be there.
  const missing = given.startsWith('<') ? parts.find((part) => !isKnown(engine, part)) : undefined;
  if (missing !== undefined)
    throw new RequestError('SEARCH_NOT_FOUND', 'index_not_found_exception', `no such index [${missing}]`, {
      fields: { index_uuid: '_na_', index: missing },
    });
  const wanted = (param(call, 'expand_wildcards') ?? 'open').split(',');
  const isWanted = (...words: readonly string[]): boolean => ['all', ...words].some((word) => wanted.includes(word));
  /** Whether the expression means a name: by itself, or by a wildcard that reaches it and is not taken back. */
  const isMeant = (name: string, hidden: boolean, isExpanded: boolean): boolean => {
    let meant = false;
    let wild = false;
    for (const part of parts) {
      if (part.startsWith('-') && wild) {
        if (globMatches(part.slice(1), name)) meant = false;
        continue;
      }
      const isWild = part.includes('*');
      wild ||= isWild;
      if (part === name) meant = true;
      else if (isWild && globMatches(part, name))
        meant ||= isExpanded && (!hidden || isWanted('hidden') || (part.startsWith('.') && name.startsWith('.')));
    }
    return meant;
  };
  const aliases = new Map<string, { readonly hidden: boolean; readonly indices: string[] }>();
  const indices = engine.indices().map((index) => {
    const own = Object.entries(aliasesOf(index)).toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [alias, { is_hidden: hidden }] of own) {
      const entry = aliases.get(alias) ?? { hidden: hidden === true, indices: [] };
      entry.indices.push(index.name);
      aliases.set(alias, entry);
    }
    return { name: index.name, own: own.map(([name]) => name), hidden: isHidden(index), closed: isClosed(index) };
  });
  return {
    json: {
      indices: indices
        .filter(({ name, hidden, closed }) => isMeant(name, hidden, isWanted(closed ? 'closed' : 'open')))
        .map(({ name, own, hidden, closed }) => ({
          name,
          ...(own.length === 0 ? {} : { aliases: own }),
          attributes: [...(hidden ? ['hidden'] : []), closed ? 'closed' : 'open'],
        })),
      aliases: [...aliases]
        .filter(([name, { hidden }]) => isMeant(name, hidden, isWanted('open', 'closed')))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, found]) => ({ name, indices: found.indices })),
      data_streams: [],
    },
  };
}

/** Resolve endpoint. */
export const RESOLVE_ENDPOINTS: readonly Endpoint[] = [
  reads('GET', '/_resolve/index/{name}', { expand_wildcards: 'wildcards' }, resolveIndex),
];
