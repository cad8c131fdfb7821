// Which char filter a definition under `settings.analysis.char_filter` stands for.
import { asString, type Json, textOf } from '../json.ts';
import { illegalArgument } from '../request-error.ts';
import { type CharFilter, mappingFilter, patternReplace } from './char-filters.ts';
import { htmlStrip } from './html-strip.ts';
import { list, pattern, required, unescape, unknownPart, wrongRule } from './part-definition.ts';
import { textSetting } from './read-settings.ts';

/** Builds it; unknown types and wrong options are refused by name. */
export function buildCharFilter(definition: Json, name: string): CharFilter {
  const type = asString(definition['type'], name);
  switch (type) {
    case 'html_strip':
      return htmlStrip(list(definition['escaped_tags']).map((tag) => textOf(tag)));
    case 'mapping': {
      required(definition, 'mappings', 'mapping requires either `mappings` or `mappings_path` to be configured');
      const rules = new Map<string, string>();
      for (const rule of list(definition['mappings'])) {
        const found = /^(.*)\s*=>\s*(.*)\s*$/s.exec(textOf(rule));
        if (found === null) throw wrongRule(`Invalid Mapping Rule : [${textOf(rule)}]`);
        const from = unescape(found[1]!.trim());
        if (from === '') throw illegalArgument('cannot match the empty string');
        if (rules.has(from)) throw illegalArgument(`match "${from}" was already added`);
        rules.set(from, unescape(found[2]!.trim()));
      }
      return mappingFilter(rules);
    }
    case 'pattern_replace': {
      const missing = `pattern is missing for [${name}] char filter of type 'pattern_replace'`;
      required(definition, 'pattern', missing);
      if (textSetting(definition, 'pattern', '') === '') throw illegalArgument(missing);
      return patternReplace(pattern(definition, ''), textSetting(definition, 'replacement', ''));
    }
    default:
      throw unknownPart('char_filter', type, name, ['html_strip', 'mapping', 'pattern_replace']);
  }
}
