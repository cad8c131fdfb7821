// The columns of `_cat/indices`, `_cat/shards` and `_cat/nodes` with numbers of `_stats`. None is shown by default.
import { isObject, type Json } from '../../json/json.ts';
import { bytesCell, type Column, numberColumn, type Row, timeCell } from './cat-table.ts';

/** The tables that have a column: indices `i`, shards `s`, nodes `n`. */
type Table = 'i' | 's' | 'n';

/** Name, aliases, description, its member in `_stats`, and the tables that have it. */
const COLUMNS = `
completion.size | cs,completionSize | size of completion | completion.size_in_bytes | isn
fielddata.memory_size | fm,fielddataMemory | used fielddata cache | fielddata.memory_size_in_bytes | isn
fielddata.evictions | fe,fielddataEvictions | fielddata evictions | fielddata.evictions | isn
query_cache.memory_size | qcm,queryCacheMemory | used query cache | query_cache.memory_size_in_bytes | isn
query_cache.evictions | qce,queryCacheEvictions | query cache evictions | query_cache.evictions | isn
query_cache.hit_count | qchc,queryCacheHitCount | query cache hit counts | query_cache.hit_count | n
query_cache.miss_count | qcmc,queryCacheMissCount | query cache miss counts | query_cache.miss_count | n
request_cache.memory_size | rcm,requestCacheMemory | used request cache | request_cache.memory_size_in_bytes | in
request_cache.evictions | rce,requestCacheEvictions | request cache evictions | request_cache.evictions | in
request_cache.hit_count | rchc,requestCacheHitCount | request cache hit count | request_cache.hit_count | i
request_cache.hit_count | rchc,requestCacheHitCount | request cache hit counts | request_cache.hit_count | n
request_cache.miss_count | rcmc,requestCacheMissCount | request cache miss count | request_cache.miss_count | i
request_cache.miss_count | rcmc,requestCacheMissCount | request cache miss counts | request_cache.miss_count | n
flush.total | ft,flushTotal | number of flushes | flush.total | isn
flush.total_time | ftt,flushTotalTime | time spent in flush | flush.total_time_in_millis | isn
get.current | gc,getCurrent | number of current get ops | get.current | isn
get.time | gti,getTime | time spent in get | get.time_in_millis | isn
get.total | gto,getTotal | number of get ops | get.total | isn
get.exists_time | geti,getExistsTime | time spent in successful gets | get.exists_time_in_millis | isn
get.exists_total | geto,getExistsTotal | number of successful gets | get.exists_total | isn
get.missing_time | gmti,getMissingTime | time spent in failed gets | get.missing_time_in_millis | isn
get.missing_total | gmto,getMissingTotal | number of failed gets | get.missing_total | isn
indexing.delete_current | idc,indexingDeleteCurrent | number of current deletions | indexing.delete_current | isn
indexing.delete_time | idti,indexingDeleteTime | time spent in deletions | indexing.delete_time_in_millis | isn
indexing.delete_total | idto,indexingDeleteTotal | number of delete ops | indexing.delete_total | isn
indexing.index_current | iic,indexingIndexCurrent | number of current indexing ops | indexing.index_current | isn
indexing.index_time | iiti,indexingIndexTime | time spent in indexing | indexing.index_time_in_millis | isn
indexing.index_total | iito,indexingIndexTotal | number of indexing ops | indexing.index_total | isn
indexing.index_failed | iif,indexingIndexFailed | number of failed indexing ops | indexing.index_failed | isn
merges.current | mc,mergesCurrent | number of current merges | merges.current | isn
merges.current_docs | mcd,mergesCurrentDocs | number of current merging docs | merges.current_docs | isn
merges.current_size | mcs,mergesCurrentSize | size of current merges | merges.current_size_in_bytes | isn
merges.total | mt,mergesTotal | number of completed merge ops | merges.total | isn
merges.total_docs | mtd,mergesTotalDocs | docs merged | merges.total_docs | isn
merges.total_size | mts,mergesTotalSize | size merged | merges.total_size_in_bytes | isn
merges.total_time | mtt,mergesTotalTime | time spent in merges | merges.total_time_in_millis | isn
refresh.total | rto,refreshTotal | total refreshes | refresh.total | isn
refresh.time | rti,refreshTime | time spent in refreshes | refresh.total_time_in_millis | isn
refresh.external_total | rto,refreshTotal | total external refreshes | refresh.external_total | isn
refresh.external_time | rti,refreshTime | time spent in external refreshes | refresh.external_total_time_in_millis | isn
refresh.listeners | rli,refreshListeners | number of pending refresh listeners | refresh.listeners | isn
search.fetch_current | sfc,searchFetchCurrent | current fetch phase ops | search.fetch_current | isn
search.fetch_time | sfti,searchFetchTime | time spent in fetch phase | search.fetch_time_in_millis | isn
search.fetch_total | sfto,searchFetchTotal | total fetch ops | search.fetch_total | isn
search.open_contexts | so,searchOpenContexts | open search contexts | search.open_contexts | isn
search.query_current | sqc,searchQueryCurrent | current query phase ops | search.query_current | isn
search.query_time | sqti,searchQueryTime | time spent in query phase | search.query_time_in_millis | isn
search.query_total | sqto,searchQueryTotal | total query phase ops | search.query_total | isn
search.scroll_current | scc,searchScrollCurrent | open scroll contexts | search.scroll_current | isn
search.scroll_time | scti,searchScrollTime | time scroll contexts held open | search.scroll_time_in_millis | isn
search.scroll_total | scto,searchScrollTotal | completed scroll contexts | search.scroll_total | isn
segments.count | sc,segmentsCount | number of segments | segments.count | isn
segments.memory | sm,segmentsMemory | memory used by segments | segments.memory_in_bytes | isn
segments.index_writer_memory | siwm,segmentsIndexWriterMemory | memory used by index writer | segments.index_writer_memory_in_bytes | isn
segments.version_map_memory | svmm,segmentsVersionMapMemory | memory used by version map | segments.version_map_memory_in_bytes | isn
segments.fixed_bitset_memory | sfbm,fixedBitsetMemory | memory used by fixed bit sets for nested object field types and type filters for types referred in _parent fields | segments.fixed_bit_set_memory_in_bytes | isn
seq_no.max | sqm,maxSeqNo | max sequence number | seq_no.max_seq_no | s
seq_no.local_checkpoint | sql,localCheckpoint | local checkpoint | seq_no.local_checkpoint | s
seq_no.global_checkpoint | sqg,globalCheckpoint | global checkpoint | seq_no.global_checkpoint | s
warmer.current | wc,warmerCurrent | current warmer ops | warmer.current | is
warmer.total | wto,warmerTotal | total warmer ops | warmer.total | is
warmer.total_time | wtt,warmerTotalTime | time spent in warmers | warmer.total_time_in_millis | is
suggest.current | suc,suggestCurrent | number of current suggest ops | search.suggest_current | in
suggest.time | suti,suggestTime | time spend in suggest | search.suggest_time_in_millis | in
suggest.total | suto,suggestTotal | number of suggest ops | search.suggest_total | in
`
  .trim()
  .split('\n')
  .map((line) => {
    const [name = '', aliases = '', description = '', member = '', tables = ''] = line.split(' | ');
    const [group = '', key = ''] = member.split('.');
    return { name, aliases: aliases.split(','), description, group, key, tables };
  });

/** The columns of a table. @param groups those of them, by the first word of their names; all by default */
export function statColumns(table: Table, isWanted: (group: string) => boolean = () => true): readonly Column[] {
  return COLUMNS.filter(({ name, tables }) => tables.includes(table) && isWanted(name.split('.')[0]!)).map(
    ({ name, aliases, description }) => numberColumn(name, aliases, description, false),
  );
}

/** The cells of those columns. @param numbers groups as in `_stats` */
export function statCells(numbers: Json): Row {
  return Object.fromEntries(
    COLUMNS.map(({ group, key, name }) => {
      const members = numbers[group];
      const value = isObject(members) ? members[key] : undefined;
      return [name, typeof value === 'number' ? cellOf(key, value) : null];
    }),
  );
}

function cellOf(key: string, value: number): Row[string] {
  if (key.endsWith('_in_bytes')) return bytesCell(value);
  return key.endsWith('_in_millis') ? timeCell(value) : String(value);
}
