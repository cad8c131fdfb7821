// Reads the bodies of composable and component templates, each mistake in the words and the order of Elasticsearch's parsers, and checks the
// names, patterns and settings of templates of every kind.
import { INTEGER, type Member, type Parsed, parseObject, TEXTS } from '../../json/object-parser.ts';
import { isObject, type Json } from '../../json/json.ts';
import { flatten } from '../../settings/client-settings.ts';
import { placeOf } from '../../json/json-place.ts';
import { RequestError, illegalArgument } from '../../errors/request-error.ts';
import { readIndexSettings } from './index-settings.ts';

const OBJECT: Member<Json> = { kind: 'object', read: (value) => value as Json };
const PART = { settings: OBJECT, mappings: OBJECT, aliases: OBJECT };

/** What a template gives an index, as a request says it. */
export type PartBody = Parsed<typeof PART>;

const TEMPLATE: Member<PartBody> = { kind: 'object', read: (value) => parseObject(value as Json, 'template', PART) };
const COMPONENT = { template: TEMPLATE, version: INTEGER, _meta: OBJECT };
const COMPOSABLE = {
  index_patterns: TEXTS,
  template: TEMPLATE,
  composed_of: TEXTS,
  priority: INTEGER,
  version: INTEGER,
  _meta: OBJECT,
  data_stream: OBJECT,
};

/** What a parser complains of: a member that it does not know, or one whose value it cannot read. */
const COMPLAINT = /^\[\w+\] (unknown )?(?:failed to parse )?(?:field \[)?(\w+)/;

/** Says where in a body a mistake stands. */
function placed<T>(source: Uint8Array | undefined, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RequestError) || error.type !== 'x_content_parse_exception') throw error;
    const [, unknown, name = ''] = COMPLAINT.exec(error.message) ?? [];
    const { causedBy } = error.details;
    const [, innerUnknown, inner] = COMPLAINT.exec(causedBy?.reason ?? '') ?? [];
    const path = inner === undefined ? [name] : [name, inner];
    const place = placeOf(source, path, unknown === undefined);
    throw new RequestError('SEARCH_PARSING', error.type, `${place} ${error.message}`, {
      ...error.details,
      ...(causedBy === undefined || inner === undefined
        ? {}
        : {
            causedBy: {
              ...causedBy,
              reason: `${placeOf(source, path, innerUnknown === undefined)} ${causedBy.reason}`,
            },
          }),
    });
  }
}

const required = (name: string): Error => illegalArgument(`Required [${name}]`);

/** The body of `_component_template`. @throws RequestError for the first mistake */
export function readComponentBody(
  body: Json,
  source?: Uint8Array,
): Parsed<typeof COMPONENT> & { readonly template: PartBody } {
  const { template, ...rest } = placed(source, () => parseObject(body, 'component_template', COMPONENT));
  if (template === undefined) throw required('template');
  return { ...rest, template };
}

/** The body of `_index_template`. @throws RequestError for the first mistake */
export function readComposableBody(
  body: Json,
  source?: Uint8Array,
): Parsed<typeof COMPOSABLE> & { readonly index_patterns: readonly string[] } {
  const { index_patterns: patterns, ...rest } = placed(source, () => parseObject(body, 'index_template', COMPOSABLE));
  if (patterns === undefined) throw required('index_patterns');
  if (patterns.length === 0) throw illegalArgument('There must be at least one pattern, zero given');
  return { ...rest, index_patterns: patterns };
}

/** What no name of a template may have, with what is said of it. */
const OF_NAMES: readonly (readonly [RegExp, string])[] = [
  [/ /, 'must not contain a space'],
  [/,/, "must not contain a ','"],
  [/#/, "must not contain a '#'"],
  [/\*/, "must not contain a '*'"],
  [/^_/, "must not start with '_'"],
  [/\p{Lu}/u, 'must be lower cased'],
];

/** The same of patterns. */
const OF_PATTERNS: readonly (readonly [RegExp, string, string?])[] = [
  [/ /, 'must not contain a space', 'index_patterns'],
  [/,/, "must not contain a ','"],
  [/#/, "must not contain a '#'"],
  [/:/, "must not contain a ':'"],
  [/^_/, "must not start with '_'"],
  [/[\s,"\\<|>/?]/, 'must not contain the following characters [ , ", *, \\, <, |, ,, >, /, ?]'],
];

/** @throws RequestError invalid_index_template_exception with all that is wrong with a template's name, patterns and settings */
export function checkTemplate(name: string, patterns: readonly string[], settings: unknown): void {
  const problems = [
    ...OF_NAMES.filter(([wrong]) => wrong.test(name)).map(([, reason]) => `name ${reason}`),
    ...patterns.flatMap((pattern) =>
      OF_PATTERNS.filter(([wrong]) => wrong.test(pattern)).map(
        ([, reason, what = 'index_pattern']) => `${what} [${pattern}] ${reason}`,
      ),
    ),
    ...settingProblems(settings),
    ...(patterns.includes('*') && isObject(settings) && new Map(flatten(settings, 'index.')).has('index.hidden')
      ? ['global templates may not specify the setting index.hidden']
      : []),
  ];
  if (problems.length > 0)
    throw invalidTemplate(name, `Validation Failed: ${problems.map((each, at) => `${at + 1}: ${each};`).join('')}`);
}

/** The refusal of a template as a whole. */
export function invalidTemplate(name: string, cause: string): Error {
  return new RequestError(
    'SEARCH_ILLEGAL_ARGUMENT',
    'invalid_index_template_exception',
    `index_template [${name}] invalid, cause [${cause}]`,
  );
}

/** As `checkTemplate` of a component, whose settings are read by themselves first. */
export function checkComponent(name: string, settings: unknown): void {
  try {
    readIndexSettings(settings);
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'SEARCH_VALIDATION') throw error;
  }
  checkTemplate(name, [], settings);
}

function settingProblems(settings: unknown): readonly string[] {
  try {
    readIndexSettings(settings);
    return [];
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return [error.message.replace(/^Validation Failed: 1: (.*);$/, '$1')];
  }
}
