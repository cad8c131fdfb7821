// `_script_language` and `_script_context`: which scripts are run, and where. Templates are Mustache; of Painless, pipeline aggregations
// and filters of tokens take expressions (aggs/bucket-expression.ts, analysis/token-script.ts).
import type { Json } from '../../json/json.ts';
import type { Answer, Call } from '../request/request.ts';

const method = (name: string, returns: string, params: readonly Json[] = []): Json => ({
  name,
  return_type: returns,
  params,
});

const PARAMS = method('getParams', 'java.util.Map');
const TOKEN = { type: 'org.elasticsearch.analysis.common.AnalysisPredicateScript$Token', name: 'token' };

/** What a script may call itself and is given, by context. */
const CONTEXTS: Readonly<Record<string, readonly Json[]>> = {
  aggregation_selector: [method('execute', 'boolean'), PARAMS],
  analysis: [method('execute', 'boolean', [TOKEN])],
  bucket_aggregation: [method('execute', 'java.lang.Number'), PARAMS],
  'moving-function': [
    method('execute', 'double', [
      { type: 'java.util.Map', name: 'params' },
      { type: 'double[]', name: 'values' },
    ]),
  ],
  template: [method('execute', 'java.lang.String'), PARAMS],
};

const LANGUAGES: readonly Json[] = [
  { language: 'mustache', contexts: ['template'] },
  { language: 'painless', contexts: Object.keys(CONTEXTS).filter((name) => name !== 'template') },
];

/** `GET /_script_context`, `GET /_script_language`. */
export function scriptsOf({ request: { path } }: Call): Answer {
  return path.startsWith('/_script_language')
    ? { json: { types_allowed: ['inline', 'stored'], language_contexts: LANGUAGES } }
    : { json: { contexts: Object.entries(CONTEXTS).map(([name, methods]) => ({ name, methods })) } };
}
