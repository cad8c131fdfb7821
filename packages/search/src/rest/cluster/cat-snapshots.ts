// `_cat/snapshots`: the columns of a table that has no rows, as there are no repositories.
import { type Answer, type Call, flagParam } from '../request/request.ts';
import { RequestError, validationError } from '../../errors/request-error.ts';
import { catTable, wordColumn } from './cat-table.ts';

const COLUMNS = [
  wordColumn('id', ['id', 'snapshot'], 'unique snapshot'),
  wordColumn('status', ['s', 'status'], 'snapshot name'),
  wordColumn('start_epoch', ['ste', 'startEpoch'], 'start time in seconds since 1970-01-01 00:00:00'),
  wordColumn('start_time', ['sti', 'startTime'], 'start time in HH:MM:SS'),
  wordColumn('end_epoch', ['ete', 'endEpoch'], 'end time in seconds since 1970-01-01 00:00:00'),
  wordColumn('end_time', ['eti', 'endTime'], 'end time in HH:MM:SS'),
  wordColumn('duration', ['dur', 'duration'], 'duration'),
  wordColumn('indices', ['i', 'indices'], 'number of indices'),
  wordColumn('successful_shards', ['ss', 'successful_shards'], 'number of successful shards'),
  wordColumn('failed_shards', ['fs', 'failed_shards'], 'number of failed shards'),
  wordColumn('total_shards', ['ts', 'total_shards'], 'number of total shards'),
  wordColumn('reason', ['r', 'reason'], 'reason for failures', false),
];

/** `GET /_cat/snapshots[/{repository}]`. */
export function catSnapshots(call: Call): Answer {
  const { repository } = call.path;
  if (flagParam(call, 'help')) return catTable(call, COLUMNS, []);
  if (repository === undefined) throw validationError('repository is missing');
  throw new RequestError('SEARCH_NOT_FOUND', 'repository_missing_exception', `[${repository}] missing`);
}
