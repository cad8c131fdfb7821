// The endpoints about indices: mappings, settings, aliases, templates, and what is done to an index as a whole.
import { aliasExists, deleteAlias, getAlias, putAlias, updateAliases } from './alias-handlers.ts';
import { closeIndex, getSettings, openIndex, putSettings } from './index-handlers.ts';
import { getFieldMapping, getMapping, putMapping, typeExists } from './mapping-handlers.ts';
import { flushIndex } from './index-counters.ts';
import { forEachIndex, stats } from './stats-handlers.ts';
import { addBlock, rollover } from './rollover.ts';
import { recovery, segments, shardStores } from './shard-handlers.ts';
import { resolveIndex } from './resolve-index.ts';
import { checkAdmin } from '../request/check-admin.ts';
import { flagParam, integerParam } from '../request/request.ts';
import {
  deleteTemplates,
  getTemplates,
  putComponentTemplate,
  putIndexTemplate,
  simulateIndex,
  simulateTemplate,
  templatesExist,
} from './composable-template-handlers.ts';
import { deleteTemplate, getTemplate, putTemplate, templateExists } from './template-handlers.ts';
import { illegalArgument, validationError } from '../../errors/request-error.ts';
import type { Add } from '../request/route.ts';
import { ACKNOWLEDGED, EXPAND, LOCAL } from '../request/route-params.ts';

/** Adds them. */
export function addIndexRoutes(add: Add): void {
  add(
    'GET',
    [
      '/_mapping',
      '/{index}/_mapping',
      '/_mappings',
      '/{index}/_mappings',
      '/_mapping/{type}',
      '/{index}/_mapping/{type}',
    ],
    ['include_type_name', ...EXPAND, ...LOCAL],
    (call) => getMapping(call.engine, call),
  );
  add('HEAD', '/{index}/_mapping/{type}', [...EXPAND, ...LOCAL], (call) => typeExists(call.engine, call));
  add(
    'PUT POST',
    ['/{index}/_mapping', '/{index}/_mappings', '/{index}/_mapping/{type}', '/{index}/{type}/_mapping'],
    ['include_type_name', 'write_index_only', ...EXPAND, ...ACKNOWLEDGED],
    (call) => putMapping(call.engine, call),
  );
  add(
    'GET',
    [
      '/_mapping/field/{fields}',
      '/{index}/_mapping/field/{fields}',
      '/_mapping/{type}/field/{fields}',
      '/{index}/_mapping/{type}/field/{fields}',
    ],
    ['include_type_name', 'include_defaults', ...EXPAND, ...LOCAL],
    (call) => getFieldMapping(call.engine, call),
  );
  add(
    'GET',
    ['/_settings', '/_settings/{name}', '/{index}/_settings', '/{index}/_settings/{name}'],
    ['flat_settings', 'include_defaults', 'name', ...EXPAND, ...LOCAL],
    (call) => getSettings(call.engine, call),
  );
  add(
    'PUT',
    ['/_settings', '/{index}/_settings'],
    ['preserve_existing', 'flat_settings', ...EXPAND, ...ACKNOWLEDGED],
    (call) => putSettings(call.engine, call),
  );
  add('POST', '/{index}/_close', [...EXPAND, 'wait_for_active_shards', ...ACKNOWLEDGED], (call) =>
    closeIndex(call.engine, call),
  );
  add('POST', '/{index}/_open', [...EXPAND, 'wait_for_active_shards', ...ACKNOWLEDGED], (call) =>
    openIndex(call.engine, call),
  );
  add('POST', '/_aliases', ACKNOWLEDGED, (call) => updateAliases(call.engine, call));
  add(
    'GET',
    ['/_alias', '/_alias/{name}', '/{index}/_alias', '/{index}/_alias/{name}', '/_aliases'],
    ['name', ...EXPAND, ...LOCAL],
    (call) => getAlias(call.engine, call),
  );
  add(
    'HEAD',
    ['/_alias', '/_alias/{name}', '/{index}/_alias', '/{index}/_alias/{name}'],
    ['name', ...EXPAND, ...LOCAL],
    (call) => aliasExists(call.engine, call),
  );
  add(
    'PUT POST',
    ['/{index}/_alias/{name}', '/_alias/{name}', '/{index}/_aliases/{name}', '/{index}/_alias', '/_alias'],
    ACKNOWLEDGED,
    (call) => putAlias(call.engine, call),
  );
  add('DELETE', ['/{index}/_alias/{name}', '/{index}/_aliases/{name}'], ACKNOWLEDGED, (call) =>
    deleteAlias(call.engine, call),
  );
  add('GET POST', ['/_refresh', '/{index}/_refresh'], EXPAND, (call) =>
    forEachIndex((index) => index.refresh())(call.engine, call),
  );
  add(
    'GET POST',
    ['/_flush', '/{index}/_flush', '/_flush/synced', '/{index}/_flush/synced'],
    ['force', 'wait_if_ongoing', ...EXPAND],
    (call) => {
      if (flagParam(call, 'force') && !flagParam(call, 'wait_if_ongoing', true))
        throw validationError('wait_if_ongoing must be true for a force flush');
      return forEachIndex((index) => flushIndex(index, call.request.path.endsWith('/synced')))(call.engine, call);
    },
  );
  add(
    'POST',
    ['/_cache/clear', '/{index}/_cache/clear'],
    ['fielddata', 'fields', 'query', 'request', ...EXPAND],
    (call) => forEachIndex(() => Promise.resolve())(call.engine, call),
  );
  add(
    'POST',
    ['/_forcemerge', '/{index}/_forcemerge'],
    ['max_num_segments', 'only_expunge_deletes', 'flush', ...EXPAND],
    (call) =>
      forEachIndex(async (index) => {
        checkAdmin(index, call);
        const maxSegments = integerParam(call, 'max_num_segments');
        const onlyExpungeDeletes = flagParam(call, 'only_expunge_deletes');
        if (maxSegments !== undefined && onlyExpungeDeletes)
          throw illegalArgument(
            'cannot set only_expunge_deletes and max_num_segments at the same time, those two parameters are mutually exclusive',
          );
        await index.forceMerge({ ...(maxSegments === undefined ? {} : { maxSegments }), onlyExpungeDeletes });
        if (flagParam(call, 'flush', true)) await index.commit();
      })(call.engine, call),
  );
  add(
    'GET',
    ['/_stats', '/_stats/{metric}', '/{index}/_stats', '/{index}/_stats/{metric}'],
    [
      'level',
      'fields',
      'groups',
      'types',
      'completion_fields',
      'fielddata_fields',
      'include_segment_file_sizes',
      'include_unloaded_segments',
      'forbid_closed_indices',
      ...EXPAND,
    ],
    (call) => stats(call.engine, call),
  );
  add('GET', ['/_segments', '/{index}/_segments'], ['verbose', ...EXPAND], (call) => segments(call.engine, call));
  add('GET', ['/_recovery', '/{index}/_recovery'], ['active_only', 'detailed'], (call) => recovery(call.engine, call));
  add('GET', ['/_shard_stores', '/{index}/_shard_stores'], ['status', ...EXPAND], (call) =>
    shardStores(call.engine, call),
  );
  add(
    'POST',
    ['/{index}/_rollover', '/{index}/_rollover/{new_index}'],
    ['dry_run', 'include_type_name', 'wait_for_active_shards', ...ACKNOWLEDGED],
    (call) => rollover(call.engine, call),
  );
  add('PUT', '/{index}/_block/{block}', [...EXPAND, ...ACKNOWLEDGED], (call) => addBlock(call.engine, call));
  add('PUT POST', '/_template/{name}', ['create', 'order', 'include_type_name', ...ACKNOWLEDGED], (call) =>
    putTemplate(call.engine, call),
  );
  add('GET', ['/_template', '/_template/{name}'], ['flat_settings', 'include_type_name', ...LOCAL], (call) =>
    getTemplate(call.engine, call),
  );
  add('HEAD', '/_template/{name}', ['flat_settings', ...LOCAL], (call) => templateExists(call.engine, call));
  add('DELETE', '/_template/{name}', ACKNOWLEDGED, (call) => deleteTemplate(call.engine, call));
  add('POST', '/_index_template/_simulate_index/{name}', ['cause', 'flat_settings', 'master_timeout'], (call) =>
    simulateIndex(call.engine, call),
  );
  add(
    'POST',
    ['/_index_template/_simulate', '/_index_template/_simulate/{name}'],
    ['create', 'cause', 'flat_settings', 'master_timeout'],
    (call) => simulateTemplate(call.engine, call),
  );
  for (const [path, kind, put] of [
    ['/_index_template', 'indexTemplates', putIndexTemplate],
    ['/_component_template', 'componentTemplates', putComponentTemplate],
  ] as const) {
    add('PUT POST', `${path}/{name}`, ['create', 'cause', 'timeout', 'master_timeout'], (call) =>
      put(call.engine, call),
    );
    add('GET', [path, `${path}/{name}`], ['flat_settings', 'local', 'master_timeout'], (call) =>
      getTemplates(kind)(call.engine, call),
    );
    add('HEAD', `${path}/{name}`, ['local', 'master_timeout'], (call) => templatesExist(kind)(call.engine, call));
    add('DELETE', `${path}/{name}`, ['timeout', 'master_timeout'], (call) => deleteTemplates(kind)(call.engine, call));
  }
  add('GET', '/_resolve/index/{name}', ['expand_wildcards'], (call) => resolveIndex(call.engine, call));
}
