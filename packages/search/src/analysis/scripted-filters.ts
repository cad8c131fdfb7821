// Token filters that ask a script about each token: `predicate_token_filter` keeps those for which it is true, `condition` runs other filters
// on them.
import { illegalArgument } from '../errors/request-error.ts';
import { isObject, textOf } from '../json/json.ts';
import { CHAIN } from './part-definition.ts';
import type { Option } from './part-options.ts';
import { texts } from './part-options.ts';
import { defineFilter, keepOnly, type TokenFilter } from './token-filter.ts';
import { isInt, parseTokenScript, type TokenInText } from './token-script.ts';
import type { Token } from './token.ts';

type Script = (at: TokenInText) => boolean;

const script: Option<Script> = {
  kind: 'script',
  read(definition, key, { name }) {
    // Given by its name alone.
    if (name === definition['type'] && Object.keys(definition).length === 1)
      throw illegalArgument("Analysis settings required - can't instantiate analysis factory");
    const given = definition[key];
    if (isObject(given) && given['id'] !== undefined)
      throw illegalArgument(`Cannot use stored scripts in tokenfilter [${name}]`);
    if (!isObject(given) || given['source'] === undefined)
      throw illegalArgument('must specify either [source] for an inline script or [id] for a stored script');
    const { source, lang = 'painless', params } = given;
    if (lang !== 'painless') throw illegalArgument(`script_lang not supported [${textOf(lang)}]`);
    const known = Object.entries(isObject(params) ? params : {}).map(([param, value]) => {
      if (typeof value !== 'number' && typeof value !== 'string' && typeof value !== 'boolean')
        throw illegalArgument(`the parameter [${param}] of a script about tokens is a number, a text, true or false`);
      if (typeof value === 'number' && !isInt(value))
        throw illegalArgument(
          `the parameter [${param}] of a script about tokens is a whole number of 32 bits, not [${value}]`,
        );
      return [param, value] as const;
    });
    return parseTokenScript(textOf(source), Object.fromEntries(known));
  },
};

/** `condition`: tokens in a row for which the script is true go through the filters together. */
function onCondition(isMeant: Script, filters: TokenFilter): TokenFilter {
  return (tokens) => {
    const found: Token[] = [];
    let row: Token[] = [];
    const endRow = (): void => {
      // Filters expect the first position of a text to be 0.
      const [{ position: base } = { position: 0 }] = row;
      for (const token of row) token.position -= base;
      for (const token of filters(row)) found.push({ ...token, position: token.position + base });
      row = [];
    };
    let before = -1;
    for (const token of tokens) {
      const isInRow = isMeant({ token, before });
      before = token.position;
      if (!isInRow && row.length > 0) endRow();
      (isInRow ? row : found).push(token);
    }
    if (row.length > 0) endRow();
    return found;
  };
}

const NOTE = 'Scripts are one expression: members of `token`, comparisons, arithmetic, methods of texts and `params`';

export const SCRIPTED_FILTERS = {
  predicate_token_filter: defineFilter({
    options: { script },
    note: NOTE,
    build: ({ script: isKept }) =>
      keepOnly((token, at, tokens) => isKept({ token, before: tokens[at - 1]?.position ?? -1 })),
  }),
  condition: defineFilter({
    options: { filter: texts, script },
    needsChain: true,
    note: NOTE,
    cost: ({ filter }) => CHAIN * (1 + filter.length),
    forSynonyms: () => undefined,
    build: ({ filter, script: isMeant }, { chain, limits, name }) => {
      limits.count('filter', filter.length);
      return onCondition(
        isMeant,
        chain(filter, `ScriptedConditionTokenFilter [${name}] refers to undefined token filter`),
      );
    },
  }),
};
