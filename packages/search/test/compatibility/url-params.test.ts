import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi } from '@lockstitch/search';
import { ENDPOINTS } from '../../src/rest/endpoints.ts';
import type { ParamKind } from '../../src/rest/request/endpoint.ts';
import { type Ask, startRest } from '../rest/harness.ts';
import { bodyOf, fill, SAMPLES } from './sample-requests.ts';
import { SILENT_PARAMS } from './url-params.ts';

/** Parameters that remember which of them were asked for. */
class Watched extends URLSearchParams {
  readonly asked = new Set<string>();

  override get(name: string): string | null {
    this.asked.add(name);
    return super.get(name);
  }

  override has(name: string): boolean {
    this.asked.add(name);
    return super.has(name);
  }
}

/** A value of each kind. */
const OF_KIND: Readonly<Record<ParamKind, string>> = {
  flag: 'true',
  float: '0',
  indexFlag: 'true',
  integer: '1',
  text: 'true',
  time: '1m',
  wildcards: 'open',
};

/** A value for each parameter that takes other ones. */
const VALUES: Readonly<Record<string, string>> = {
  actions: '*',
  analyzer: 'standard',
  batched_reduce_size: '2',
  bytes: 'b',
  char_filter: 'html_strip',
  completion_fields: '*',
  conflicts: 'proceed',
  default_operator: 'and',
  df: 't',
  docvalue_fields: 'k',
  field: 't',
  fielddata_fields: '*',
  fields: 't',
  filter: 'lowercase',
  from: '0',
  group_by: 'nodes',
  groups: '*',
  h: '*',
  health: 'green',
  ids: '1',
  if_primary_term: '1',
  if_seq_no: '0',
  index: 'o',
  level: 'indices',
  min_score: '0',
  name: 'al',
  nodes: '_all',
  normalizer: 'lowercase',
  op_type: 'index',
  parent_task_id: 'x:1',
  pipeline: '_none',
  preference: '_local',
  q: 't:fox',
  requests_per_second: '-1',
  require_alias: 'false',
  routing: 'a',
  s: '',
  scroll_id: 'x',
  scroll_size: '10',
  search_type: 'query_then_fetch',
  size: '1',
  slices: '1',
  sort: 'k:asc',
  stats: 'a',
  stored_fields: '_none_',
  suggest_field: 't',
  suggest_mode: 'always',
  suggest_text: 'x',
  text: 'x',
  time: 'ms',
  tokenizer: 'standard',
  type: '_doc',
  types: '_doc',
  version: '1',
  version_type: 'external',
  wait_for_active_shards: '1',
  wait_for_events: 'low',
  wait_for_nodes: '1',
  wait_for_status: 'yellow',
};

/** What has to stand beside a parameter so that it is looked at. */
function besides(name: string, path: string): Readonly<Record<string, string>> {
  if (/_analyze/.test(path)) return {};
  if (/_explain/.test(path)) return { q: 't:fox' };
  if (/_field_caps/.test(path)) return { fields: 't' };
  if (/_pit|point_in_time/.test(path)) return { keep_alive: '1m' };
  if (/_mappings?\/\{type\}/.test(path) || /\{type\}\/_mappings?$/.test(path)) return { include_type_name: 'true' };
  if (/_mtermvectors/.test(path) && path !== '/_mtermvectors') return { ids: '1' };
  if (name.startsWith('suggest_')) return { suggest_field: 't', suggest_text: 'x' };
  if (name.startsWith('if_')) return { if_seq_no: '0', if_primary_term: '1' };
  if (path === '/{index}') return { ignore_unavailable: 'true' };
  if (name === 'version_type') return { version: '7' };
  return { q: 't:fox' };
}

/** Makes the samples again, which a request may have changed. */
async function prepare(ask: Ask): Promise<void> {
  for (const [target, body] of SAMPLES) await ask(target, body);
}

async function silentParams(rest: ReturnType<typeof createRestApi>): Promise<Map<string, Set<string>>> {
  const ask = await startRest(rest);
  const silent = new Map<string, Set<string>>();
  await prepare(ask);
  const routes = ENDPOINTS.flatMap((endpoint) => endpoint.paths.map((path) => ({ ...endpoint, path })));
  for (const { methods, path, params } of routes) {
    // Cursors of their own; tests of scrolls and tasks use every one of their parameters.
    if (/scroll|\{task_id\}/.test(path)) continue;
    const method = methods[0]!;
    for (const [name, kind] of Object.entries(params)) {
      const query = new Watched({ ...besides(name, path), [name]: VALUES[name] ?? OF_KIND[kind] });
      for (const key of query.keys()) if (key !== name && !(key in params)) query.delete(key);
      await ask(`${method} ${fill(method, path)}`, bodyOf(method, path), { query });
      if (!query.asked.has(name)) silent.set(name, (silent.get(name) ?? new Set()).add(`${method} ${path}`));
      if (method !== 'GET' && method !== 'HEAD') await prepare(ask);
    }
  }
  return silent;
}

test('no endpoint takes a parameter that it never looks at, but those listed with the reason', async () => {
  const engine = await createEngine();
  const silent = await silentParams(createRestApi(engine));
  await engine.close();
  const surprising = [...silent].flatMap(([name, endpoints]) => {
    const listed = SILENT_PARAMS[name];
    const unlisted = [...endpoints].filter(
      (endpoint) => listed === undefined || listed.paths?.test(endpoint) === false,
    );
    return unlisted.length === 0 ? [] : [`${name}: ${unlisted.join(', ')}`];
  });
  deepEqual(surprising, []);
  deepEqual(
    Object.keys(SILENT_PARAMS).filter((name) => !silent.has(name)),
    [],
    'looked at everywhere',
  );
});
