// Which char filter a definition under `settings.analysis.char_filter` stands for.
import { asString, type Json } from '../json.ts';
import { illegalArgument } from '../request-error.ts';
import { type CharFilter, mappingFilter, patternReplace } from './char-filters.ts';
import { htmlStrip } from './html-strip.ts';
import { list, pattern, required, unescape, unknownPart } from './part-definition.ts';

/** Builds it; unknown types and wrong options are refused by name. */
export function buildCharFilter(definition: Json, name: string): CharFilter {
  const type = asString(definition['type'], name);
  switch (type) {
    case 'html_strip':
      return htmlStrip(list(definition['escaped_tags']).map((tag) => asString(tag, 'escaped_tags')));
    case 'mapping': {
      const rules = new Map<string, string>();
      for (const rule of list(definition['mappings'])) {
        const [from, to, ...rest] = asString(rule, 'mappings').split('=>');
        if (from === undefined || to === undefined || rest.length > 0) {
          throw illegalArgument(`Invalid Mapping Rule : [${String(rule)}]`);
        }
        rules.set(unescape(from.trim()), unescape(to.trim()));
      }
      if (rules.size === 0)
        throw illegalArgument('mapping requires either `mappings` or `mappings_path` to be configured');
      return mappingFilter(rules);
    }
    case 'pattern_replace':
      return patternReplace(
        pattern(required(definition, 'pattern', name), '', definition['flags']),
        definition['replacement'] === undefined ? '' : asString(definition['replacement'], 'replacement'),
      );
    default:
      throw unknownPart('char_filter', type, name, ['html_strip', 'mapping', 'pattern_replace']);
  }
}
