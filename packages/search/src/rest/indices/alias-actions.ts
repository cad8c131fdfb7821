// Reads the actions of `POST /_aliases`, each mistake in the words and the order of Elasticsearch's parser. What they do is in
// alias-handlers.ts.
import { type Cause, RequestError } from '../../errors/request-error.ts';
import { placeOf } from '../../json/json-place.ts';
import { isObject, type Json, nearest, textOf, tokenOf } from '../../json/json.ts';
import { bodyIndex, type Call } from '../request/request.ts';
import { ALIAS_KEYS } from './create-index.ts';

/** What one action asks. */
export interface AliasAction {
  readonly kind: 'add' | 'remove' | 'remove_index';
  readonly targets: readonly string[];
  readonly names: readonly string[];
  /** What an added alias says. */
  readonly alias: Json;
}

const KINDS = ['add', 'remove', 'remove_index'] as const;
const TEXTS = ['index', 'alias'];
const LISTS = ['indices', 'aliases'];
const ACTION_KEYS = [...TEXTS, ...LISTS];
const ADD_KEYS = [...ACTION_KEYS, ...ALIAS_KEYS, 'must_exist'];
const FLAGS = ['is_write_index', 'is_hidden'];

const parser = (reason: string, cause?: Cause): Cause => ({
  type: 'x_content_parse_exception',
  reason,
  ...(cause === undefined ? {} : { caused_by: cause }),
});
const argument = (reason: string): Cause => ({ type: 'illegal_argument_exception', reason });

const refused = (call: Call, causedBy: Cause): Error =>
  new RequestError(
    'SEARCH_PARSING',
    'x_content_parse_exception',
    `${placeOf(call.request.body, ['actions'], true)} [aliases] failed to parse field [actions]`,
    { causedBy },
  );

/** A parsed action. Missing members are reported after all actions are parsed. */
export interface ReadAction {
  readonly kind: AliasAction['kind'];
  readonly body: Json;
}

/** Reads the members of one action. @throws RequestError for the first that cannot be read */
export function readAction(entry: unknown, call: Call): ReadAction {
  if (!isObject(entry)) throw refused(call, parser(`[alias_action] Expected START_OBJECT but was: ${tokenOf(entry)}`));
  const actions = Object.entries(entry).map(([name, body]): ReadAction => {
    const kind = KINDS.find((each) => each === name);
    if (kind === undefined)
      throw refused(call, parser(`[alias_action] unknown field [${name}]${nearest(name, KINDS)}`));
    if (!isObject(body))
      throw refused(call, parser(`[alias_action] ${kind} doesn't support values of type: ${tokenOf(body)}`));
    const cause = mistakeIn(kind, body);
    if (cause !== undefined) throw refused(call, parser(`[alias_action] failed to parse field [${kind}]`, cause));
    return { kind, body };
  });
  const [action, ...more] = actions;
  if (action === undefined) throw refused(call, argument('No operation declared on operation entry'));
  if (more.length > 0)
    throw refused(
      call,
      parser(
        'Failed to build [alias_action] after last required field arrived',
        argument('Too many operations declared on operation entry'),
      ),
    );
  return action;
}

/** What an action asks. @throws RequestError for one without an index or an alias */
export function buildAction({ kind, body }: ReadAction, call: Call): AliasAction {
  const { index, indices, alias, aliases, ...rest } = body;
  const [targets, names] = [listOf(indices ?? index), listOf(aliases ?? alias)];
  if (targets.length === 0) throw refused(call, argument('One of [index] or [indices] is required'));
  if (kind !== 'remove_index' && names.length === 0)
    throw refused(call, argument('One of [alias] or [aliases] is required'));
  return { kind, targets: targets.map((target) => bodyIndex(call, target)), names, alias: rest };
}

const listOf = (value: unknown): readonly string[] =>
  value === undefined ? [] : Array.isArray(value) ? value.map(textOf) : [textOf(value)];

/** The first mistake in the object of an action. */
function mistakeIn(kind: AliasAction['kind'], body: Json): Cause | undefined {
  const known = kind === 'add' ? ADD_KEYS : ACTION_KEYS;
  for (const [key, value] of Object.entries(body)) {
    if (!known.includes(key)) return parser(`[${kind}] unknown field [${key}]${nearest(key, known)}`);
    const isStructure = typeof value === 'object' && (value !== null || TEXTS.includes(key));
    if (LISTS.includes(key) ? isObject(value) || value === null : key === 'filter' ? !isObject(value) : isStructure)
      return parser(`[${kind}] ${key} doesn't support values of type: ${tokenOf(value)}`);
    const reason = whyNot(kind, body, key, value);
    if (reason !== undefined) return parser(`[${kind}] failed to parse field [${key}]`, argument(reason));
  }
  return undefined;
}

function whyNot(kind: AliasAction['kind'], body: Json, key: string, value: unknown): string | undefined {
  if (FLAGS.includes(key) && !['true', 'false'].includes(textOf(value)))
    return `Failed to parse value [${textOf(value)}] as only [true] or [false] are allowed.`;
  if (key === 'must_exist') return '[must_exist] is unsupported for [ADD]';
  if (!ACTION_KEYS.includes(key)) return undefined;
  const [one, many] = key.startsWith('ind') ? ['index', 'indices'] : ['alias', 'aliases'];
  const isLater = Object.keys(body).indexOf(key) > Object.keys(body).indexOf(key === one ? many : one);
  if (isLater && body[one] !== undefined && body[many] !== undefined)
    return `Only one of [${one}] and [${many}] is supported`;
  if (kind === 'remove_index' && one === 'alias') return `[${key}] is unsupported for [REMOVE_INDEX]`;
  const list = listOf(value);
  if (list.length === 0) return `[${key}] can't be empty`;
  if (list.includes(''))
    return LISTS.includes(key) ? `[${key}] can't contain empty string` : `[${key}] can't be empty string`;
  return undefined;
}
