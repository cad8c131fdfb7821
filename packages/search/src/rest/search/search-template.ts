// Searches whose body is a template (`_search/template`, `_msearch/template`), and what a template becomes (`_render/template`).
import { reads, type Endpoint } from '../request/endpoint.ts';
import { warnsOfTypes } from '../request/warnings.ts';
import { EXPAND, QUERY, SOURCE as SOURCE_PARAMS, TYPE } from '../request/route-params.ts';
import { type Answer, type Call, missingBody } from '../request/request.ts';
import { objectBody } from '../request/object-body.ts';
import { illegalArgument, parsingError, RequestError, validationError } from '../../errors/request-error.ts';
import { isObject, type Json, parseBody, tokenOf } from '../../json/json.ts';
import { lineAndColumn, memberPlace } from '../../json/json-place.ts';
import { FLAG, parseObject, TEXT } from '../../json/object-parser.ts';
import { compileTemplate, type Template } from '../../json/mustache.ts';
import { MULTI_PARAMS, multiSearch } from './multi-search.ts';
import { checkSearchBody, checkSearchParams, SEARCH_PARAMS, searchJson } from './search-handlers.ts';
import { storedSource } from './stored-templates.ts';

/** The text of a template, or the id of a stored one. */
export type TemplateSource = { readonly source: string } | { readonly id: string };

/** A template and what is filled in. */
interface TemplateRequest {
  /** Undefined where the request has none. */
  readonly template: TemplateSource | undefined;
  readonly params: Json;
  readonly explain: boolean;
  readonly profile: boolean;
}

const SOURCE = {
  kind: 'objectOrString',
  read: (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)),
} as const;
const MEMBERS = {
  id: TEXT,
  source: SOURCE,
  inline: SOURCE,
  params: { kind: 'object', read: (value: unknown) => value as Json },
  explain: FLAG,
  profile: FLAG,
} as const;

/** Reads a request with a template. @throws RequestError for the first mistake in it */
function readTemplate(body: Json, call: Call): TemplateRequest {
  const { id, inline, source = inline, ...more } = parseObject(body, 'search_template', MEMBERS);
  if (inline !== undefined) {
    const { col, line } = memberPlace(call.request.body, ['inline']);
    call.warn(`[search_template][${line}:${col}] Deprecated field [inline] used, expected [source] instead`);
  }
  // The last of them counts.
  const last = Object.keys(body).findLast((key) => key === 'id' || key === 'source' || key === 'inline');
  const stored = id === undefined ? undefined : { id };
  return {
    template: last === 'id' || source === undefined ? stored : { source },
    params: more.params ?? {},
    explain: more.explain ?? false,
    profile: more.profile ?? false,
  };
}

/** Reads a template. @throws RequestError for one that cannot be read */
export function readSource({ engine }: Pick<Call, 'engine'>, template: TemplateSource): Template {
  const source = 'source' in template ? template.source : storedSource(engine, template.id);
  return compileTemplate(source, (reason) => {
    const type = reason.endsWith(' not found') ? 'mustache_not_found_exception' : 'mustache_exception';
    return new RequestError('SEARCH_PARSING', 'script_exception', reason, {
      fields: { script_stack: [], script: source, lang: 'mustache' },
      causedBy: { type, reason },
    });
  });
}

/** The search that a template makes; text behind it is ignored. @throws RequestError where it makes none */
export function renderSearch(template: Template, params: Json): Json {
  const text = template(params);
  const start = text.search(/\S/);
  if (start < 0) throw parsingError('Expected [START_OBJECT] but found [null]', { fields: { line: 1, col: 0 } });
  const search = parseBody(text, true);
  if (isObject(search)) return search;
  throw parsingError(`Expected [START_OBJECT] but found [${tokenOf(search)}]`, {
    fields: { ...lineAndColumn(text, start) },
  });
}

/** @throws RequestError where a request has no template */
function checkGiven(template: TemplateSource | undefined): asserts template is TemplateSource {
  if (template === undefined) throw validationError('template is missing', "template's script type is missing");
  if (Object.values(template).includes('')) throw validationError('template is missing');
}

function requestOf(call: Call): TemplateRequest {
  const body = objectBody(call);
  if (body === undefined) throw missingBody(true);
  return readTemplate(body, call);
}

/** The search that a template becomes. */
function searchOf(call: Call, { explain, params, profile, template }: TemplateRequest): Json {
  checkGiven(template);
  return {
    ...renderSearch(readSource(call, template), params),
    ...(explain ? { explain } : {}),
    ...(profile ? { profile } : {}),
  };
}

/** `GET|POST [/{index}]/_search/template`. */
async function searchTemplate(call: Call): Promise<Answer> {
  checkSearchParams(call);
  const json = searchOf(call, requestOf(call));
  try {
    return { json: await searchJson(call, json, call.path['index']) };
  } catch (error) {
    await checkSearchBody(call, json);
    throw error;
  }
}

/** `GET|POST /_render/template[/{id}]`. */
function render(call: Call): Answer {
  const { params, template: given } = requestOf(call);
  const { id } = call.path;
  const template = id === undefined ? given : { id };
  checkGiven(template);
  return { json: { template_output: parseBody(readSource(call, template)(params)) } };
}

/** `GET|POST [/{index}]/_msearch/template`. */
const multiSearchTemplate = (call: Call): Promise<Answer> =>
  multiSearch(call, {
    toSearch: (own, json) => searchOf(own, readTemplate(json, own)),
    check(own, json) {
      const { template } = readTemplate(json, own);
      if (template === undefined) throw illegalArgument('Malformed search template');
      checkGiven(template);
    },
  });

/** Templates of searches. */
export const SEARCH_TEMPLATE_ENDPOINTS: readonly Endpoint[] = [
  reads(
    'GET POST',
    '/_search/template /{index}/_search/template /{index}/{type}/_search/template',
    { ...TYPE, ...EXPAND, ...QUERY, ...SOURCE_PARAMS, ...SEARCH_PARAMS },
    searchTemplate,
    warnsOfTypes('search requests'),
  ),
  reads('GET POST', '/_render/template /_render/template/{id}', {}, render),
  reads(
    'GET POST',
    '/_msearch/template /{index}/_msearch/template /{index}/{type}/_msearch/template',
    MULTI_PARAMS,
    multiSearchTemplate,
    { readsBody: true, ...warnsOfTypes('multi search template requests') },
  ),
];
