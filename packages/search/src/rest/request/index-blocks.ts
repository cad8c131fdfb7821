// What the settings `index.blocks.*` of an index, and its being closed, forbid (ClusterBlocks and IndexMetadata of Elasticsearch).
import type { Index } from '../../engine/engine-api.ts';
import { RequestError } from '../../errors/request-error.ts';
import { asBoolean } from '../../json/json.ts';
import { flatten, settingsOf } from '../../settings/client-settings.ts';
import { checkAdmin } from './check-admin.ts';
import { isClosed } from './index-state.ts';
import type { Call } from './request.ts';

/** What of an index a request needs: its documents, or its definition. */
type BlockLevel = 'read' | 'write' | 'metadata_read' | 'metadata_write';

/** One block, as the state of the cluster shows it. */
export interface IndexBlock {
  readonly id: number;
  readonly description: string;
  readonly levels: readonly BlockLevel[];
  /** Whether the index may be deleted all the same, and a client is to try a write again. */
  readonly letsDelete?: true;
}

const CLOSED: IndexBlock = { id: 4, description: 'index closed', levels: ['read', 'write'] };

/** By the name of the setting, without `index.blocks.`; in the order of Java's set, in which messages name them. */
const BLOCKS: Readonly<Record<string, IndexBlock>> = {
  read_only_allow_delete: {
    id: 12,
    description: 'disk usage exceeded flood-stage watermark, index has read-only-allow-delete block',
    levels: ['write', 'metadata_write'],
    letsDelete: true,
  },
  metadata: { id: 9, description: 'index metadata (api)', levels: ['metadata_read', 'metadata_write'] },
  write: { id: 8, description: 'index write (api)', levels: ['write'] },
  read: { id: 7, description: 'index read (api)', levels: ['read'] },
  read_only: { id: 5, description: 'index read-only (api)', levels: ['write', 'metadata_write'] },
};

/** The names of the blocks that a request may add. */
export const ADDED_BLOCKS: readonly string[] = ['metadata', 'read', 'read_only', 'write'];

/** The names of the blocks that settings set, by definition: every request asks for them. */
const namesSet = new WeakMap<Index['definition'], readonly string[]>();

function namesSetBy(definition: Index['definition']): readonly string[] {
  let names = namesSet.get(definition);
  if (names === undefined) {
    const flat = new Map(flatten(settingsOf(definition)));
    names = Object.keys(BLOCKS).filter((key) => asBoolean(flat.get(`blocks.${key}`) ?? false, `index.blocks.${key}`));
    namesSet.set(definition, names);
  }
  return names;
}

/** The blocks of an index. @param name of one setting: that block alone, where the index has it */
export function blocksOf(index: Index, name?: string): readonly IndexBlock[] {
  const set = namesSetBy(index.definition).filter((key) => name === undefined || key === name);
  return [...set.map((key) => BLOCKS[key]!), ...(name === undefined && isClosed(index) ? [CLOSED] : [])];
}

/** The block of a name. */
export const blockNamed = (name: string): IndexBlock | undefined => BLOCKS[name];

/** Something with an index, such as what a name of a request was found to mean. */
interface OfIndex {
  readonly index: Index;
}

/** Why a request may not have what it needs of indices; undefined where it may. @param isDeletion whether it removes them */
export function blockFailure(
  found: readonly OfIndex[],
  level: BlockLevel,
  isDeletion = false,
): RequestError | undefined {
  const blocked = found
    .map(({ index }) => ({
      name: index.name,
      blocks: blocksOf(index).filter((block) => block.levels.includes(level) && !(isDeletion && block.letsDelete)),
    }))
    .filter(({ blocks }) => blocks.length > 0);
  if (blocked.length === 0) return undefined;
  const isPassing = blocked.every(({ blocks }) => blocks.every(({ letsDelete }) => letsDelete));
  return new RequestError(
    isPassing ? 'SEARCH_TOO_MANY_REQUESTS' : 'SEARCH_FORBIDDEN',
    'cluster_block_exception',
    blocked.map(({ name, blocks }) => `index [${name}] blocked by: [${blocks.map(shownBlock).join(', ')}];`).join(''),
  );
}

function shownBlock({ id, description, letsDelete }: IndexBlock): string {
  return `${letsDelete ? 'TOO_MANY_REQUESTS' : 'FORBIDDEN'}/${id}/${description}`;
}

/** Returns what it is given. @throws RequestError cluster_block_exception, as `blockFailure` */
export function checkBlocks<T extends OfIndex>(
  found: readonly T[],
  level: BlockLevel,
  isDeletion = false,
): readonly T[] {
  const failure = blockFailure(found, level, isDeletion);
  if (failure !== undefined) throw failure;
  return found;
}

/**
 * Checks that indices may be changed as a whole: closed, opened, deleted, merged, or given a mapping, an alias or a setting.
 *
 * @throws ProductError `SEARCH_READ_ONLY` where the host lets the caller read an index only
 * @throws RequestError cluster_block_exception where a block forbids it
 */
export function checkChangeable(found: readonly OfIndex[], call: Call, isDeletion = false): void {
  for (const { index } of found) checkAdmin(index, call);
  checkBlocks(found, 'metadata_write', isDeletion);
}
