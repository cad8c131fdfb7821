// How an index of the product lies on a cluster: the fields that the mapping has, one number more a text (its length in words), the key of
// the document for ties, and similarities that read no statistics of the index.
import { isObject, type Json } from '../json/json.ts';
import { keyOrder } from '../collect/sort-values.ts';
import { KEY_FIELD, ORDER_FIELD } from '../query/cluster/leaves.ts';
import { NO_WORD, WORD_BREAK, WORDS_ANALYZER } from '../query/cluster/cluster-words.ts';

export { KEY_FIELD };

/**
 * `exact`: scores of the embedded engine over the visible documents; every match is scored. `fast`: the length of a text counts against a
 * constant and not against the average; blocks of documents that cannot be among the best are skipped.
 */
export const SCORE_MODES = ['exact', 'fast'] as const;
export type ScoreMode = (typeof SCORE_MODES)[number];

/** Words of a text of average length, for `fast`. A constant: an average would tell of hidden documents. */
const PIVOT = 50;

// The boost comes as the weight, which is computed once a query: a script that asks the query itself takes 1.6 times as long on
// OpenSearch 2.19 where very many documents match.
const scripted = (source: string): Json => ({
  type: 'scripted',
  weight_script: { source: 'return query.boost;' },
  script: { source },
});

const SIMILARITIES: Readonly<Record<ScoreMode, Json>> = {
  exact: scripted('return weight * doc.freq;'),
  // BM25 with k1 = 1.2 and b = 0.75; idf and k1 + 1 come as the boost.
  fast: scripted(`return weight * doc.freq / (doc.freq + 1.2 * (0.25 + 0.75 * doc.length / ${PIVOT.toFixed(1)}));`),
};

const LENGTH = '_length';

/** The path of the length of a text. A multi-field has it beside itself, as it cannot have fields. */
export function lengthPath(path: string, isMultiField: boolean): string {
  return isMultiField ? path + LENGTH : `${path}.${LENGTH}`;
}

/**
 * The definition of the index on the cluster.
 *
 * @param definition settings and mappings of the product's index
 */
export function clusterIndex(
  definition: { readonly settings?: Json; readonly mappings: Json },
  scores: ScoreMode,
  layout: { readonly shards: number; readonly replicas: number },
): Json {
  const analysis = isObject(definition.settings?.['analysis']) ? definition.settings['analysis'] : {};
  const part = (name: string): Json => (isObject(analysis[name]) ? analysis[name] : {});
  const { properties } = definition.mappings;
  const usual = 'default' in part('analyzer') ? 'default' : 'standard';
  return {
    settings: {
      number_of_shards: layout.shards,
      number_of_replicas: layout.replicas,
      refresh_interval: -1,
      // For so long an older write of a deleted document is refused; a server that was paused longer has lost its alias.
      gc_deletes: '1h',
      similarity: { lockstitch: SIMILARITIES[scores] },
      analysis: {
        ...analysis,
        tokenizer: { ...part('tokenizer'), lockstitch_breaks: { type: 'pattern', pattern: WORD_BREAK } },
        filter: { ...part('filter'), lockstitch_gaps: { type: 'stop', stopwords: [NO_WORD] } },
        analyzer: {
          ...part('analyzer'),
          [WORDS_ANALYZER]: { type: 'custom', tokenizer: 'lockstitch_breaks', filter: ['lockstitch_gaps'] },
        },
      },
    },
    mappings: {
      dynamic: 'strict',
      properties: {
        ...withLengths(isObject(properties) ? properties : {}, usual),
        [KEY_FIELD]: { type: 'keyword' },
        [ORDER_FIELD]: { type: 'keyword' },
      },
    },
  };
}

/** The members, as text, that a document on a cluster starts with: those that say its key. */
export function keyMembers(key: string): string {
  return `"${KEY_FIELD}":${JSON.stringify(key)},"${ORDER_FIELD}":${JSON.stringify(keyOrder(key))}`;
}

/** @param usual the analyzer of texts that name none */
function withLengths(properties: Json, usual: string): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      if (!isObject(field)) return [name, field];
      if (isObject(field['properties']))
        return [name, { ...field, properties: withLengths(field['properties'], usual) }];
      const inner = isObject(field['fields']) ? multiFields(field['fields'], usual) : undefined;
      if (field['type'] !== 'text') return [name, inner === undefined ? field : { ...field, fields: inner }];
      return [name, { ...scoredText(field), fields: { ...inner, [LENGTH]: lengthOf(field, usual) } }];
    }),
  );
}

function multiFields(fields: Json, usual: string): Json {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]): readonly (readonly [string, unknown])[] =>
      isObject(field) && field['type'] === 'text'
        ? [
            [name, scoredText(field)],
            [name + LENGTH, lengthOf(field, usual)],
          ]
        : [[name, field]],
    ),
  );
}

const scoredText = (field: Json): Json => ({ ...field, similarity: 'lockstitch' });

/** Words at one position count once, as in the lengths of BM25. */
const lengthOf = ({ analyzer }: Json, usual: string): Json => ({
  type: 'token_count',
  analyzer: analyzer ?? usual,
  enable_position_increments: false,
});
