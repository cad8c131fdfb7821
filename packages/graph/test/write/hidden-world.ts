// Rows for such a schema, what a caller may see of them, and the same rows with other hidden ones.
import { createPrincipal, type Clock, type Principal } from '@lockstitch/kernel';
import { createGraph } from '../../src/execute/create-graph.ts';
import type { Graph } from '../../src/execute/graph.ts';
import type { Store } from '../../src/store/store.ts';
import type { Random } from '../differential/random.ts';
import { modelOf } from '../photo-schema.ts';
import { type TypeName, TYPES } from './hidden-schema.ts';

export const GOD: Principal = createPrincipal('god', ['ROLE_GOD']);

type RowOf = Record<string, unknown> & { readonly id: string };
export type Rows = Record<TypeName, RowOf[]>;

/** A relation from the end that stores it. */
interface Link {
  readonly type: TypeName;
  readonly field: string;
  readonly targets: readonly TypeName[];
  readonly inverse?: string;
  readonly many: boolean;
  readonly required?: true;
}

const LINKS: readonly Link[] = [
  { type: 'Photo', field: 'album', targets: ['Album'], inverse: 'photos', many: false },
  { type: 'Item', field: 'album', targets: ['Album'], inverse: 'items', many: false, required: true },
  { type: 'Note', field: 'photo', targets: ['Photo'], inverse: 'notes', many: false },
  { type: 'Album', field: 'cover', targets: ['Photo'], many: false },
  { type: 'Album', field: 'tags', targets: ['Tag'], inverse: 'albums', many: true },
  { type: 'Album', field: 'best', targets: ['Photo', 'Tag'], many: false },
  { type: 'Album', field: 'things', targets: ['Photo', 'Tag'], many: true },
];

export function randomHiddenRows(random: Random): Rows {
  const rows = (type: TypeName): RowOf[] =>
    Array.from({ length: 3 + random.below(4) }, (_, at) => ({
      id: `${type.slice(0, 1).toLowerCase()}${at}`,
      title: random.pick(['red', 'blue', 'green']),
      secret: random.pick(['x', 'y', null]),
      owner: random.pick(['ann', 'bob', null]),
      open: random.pick([true, false, null]),
      level: random.pick([0, 1, 2, null]),
    }));
  const all = Object.fromEntries(TYPES.map((type) => [type, rows(type)])) as Rows;
  const key = (type: TypeName): string => random.pick(all[type]).id;
  for (const { type, field, targets, many, required } of LINKS) {
    for (const row of all[type]) {
      const one = (): unknown => {
        const target = random.pick(targets);
        return targets.length === 1 ? key(target) : { type: target, key: key(target) };
      };
      if (!many) row[field] = required === true || random.chance(0.7) ? one() : null;
      else {
        const found = Array.from({ length: random.below(4) }, one);
        row[field] = [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
      }
    }
  }
  return all;
}

/** What a caller may see. */
export interface Visibility {
  sees(type: TypeName, key: string): boolean;
  reads(type: TypeName, field: string, key: string): boolean;
  readonly text: string;
}

export async function visibilityOf(graph: Graph, principal: Principal): Promise<Visibility> {
  const rows = new Map<string, ReadonlySet<string>>();
  const fields = new Map<string, ReadonlySet<string>>();
  for (const entity of graph.model.entities.values()) {
    rows.set(entity.name, new Set(await graph.readableKeys(entity.name, principal)));
    for (const { name, auth } of entity.fields.values())
      if (auth?.read !== undefined)
        fields.set(
          `${entity.name}.${name}`,
          new Set(await graph.readableKeys(entity.name, principal, { field: name })),
        );
  }
  const print = (of: ReadonlyMap<string, ReadonlySet<string>>): string =>
    [...of].map(([name, keys]) => `${name}: ${[...keys].toSorted().join(' ')}`).join('\n');
  return {
    sees: (type, key) => rows.get(type)!.has(key),
    reads: (type, field, key) => rows.get(type)!.has(key) && fields.get(`${type}.${field}`)?.has(key) !== false,
    text: `${print(rows)}\n${print(fields)}`,
  };
}

const targetOf = ({ targets }: Link, value: unknown): readonly [TypeName, string] =>
  typeof value === 'object' && value !== null
    ? [(value as { type: TypeName }).type, (value as { key: string }).key]
    : [targets[0]!, value as string];

/** Whether a caller may see that one object leads to the other. */
function isShown(visibility: Visibility, link: Link, from: string, value: unknown): boolean {
  const [type, key] = targetOf(link, value);
  if (!visibility.sees(link.type, from) || !visibility.sees(type, key)) return false;
  return (
    visibility.reads(link.type, link.field, from) ||
    (link.inverse !== undefined && visibility.reads(type, link.inverse, key))
  );
}

/** The same rows with other hidden ones. */
export function changeHiddenRows(rows: Rows, visibility: Visibility, random: Random): Rows {
  const changed = structuredClone(rows);
  for (const type of TYPES) {
    for (const row of changed[type]) {
      if (!visibility.sees(type, row.id)) row['title'] = random.pick(['red', 'blue', 'green', 'other']);
      if (!visibility.reads(type, 'secret', row.id)) row['secret'] = random.pick(['x', 'y', 'z', null]);
    }
  }
  for (const link of LINKS) {
    const { type, field, targets, many, required } = link;
    for (const row of changed[type]) {
      const other = (): unknown => {
        const target = random.pick(targets);
        const { id } = random.pick(changed[target]);
        const value = targets.length === 1 ? id : { type: target, key: id };
        return isShown(visibility, link, row.id, value) ? undefined : value;
      };
      if (!many) {
        const value = row[field];
        if (value !== null && isShown(visibility, link, row.id, value)) continue;
        // Whether there is a hidden object where there must be one is shown.
        const made = random.chance(0.3) && required !== true ? null : (other() ?? value);
        row[field] = made;
        continue;
      }
      const kept = (row[field] as unknown[]).filter(
        (value) => isShown(visibility, link, row.id, value) || random.chance(0.5),
      );
      const added = [other(), other()].filter((value) => value !== undefined && random.chance(0.5));
      row[field] = [...new Map([...kept, ...added].map((each) => [JSON.stringify(each), each])).values()];
    }
  }
  // Rows that nothing is in the way of are gone.
  for (const type of TYPES) {
    for (const { id } of changed[type].filter((row) => !visibility.sees(type, row.id) && random.chance(0.4))) {
      const holders = LINKS.filter(({ targets }) => targets.includes(type));
      const isNeeded = holders.some(
        ({ type: holder, field, required }) =>
          required === true && changed[holder].some((row) => row[field] === id && visibility.sees(holder, row.id)),
      );
      if (isNeeded) continue;
      const names = (value: unknown, link: Link): boolean =>
        value !== null && targetOf(link, value)[0] === type && targetOf(link, value)[1] === id;
      for (const link of holders) {
        for (const row of changed[link.type]) {
          const value = row[link.field];
          if (link.many) row[link.field] = (value as unknown[]).filter((each) => !names(each, link));
          else if (names(value, link)) row[link.field] = link.required === true ? undefined : null;
        }
        if (link.required === true)
          changed[link.type] = changed[link.type].filter((row) => row[link.field] !== undefined);
      }
      changed[type] = changed[type].filter((row) => row.id !== id);
    }
  }
  return changed;
}

export async function openRows(store: Store, schema: string, rows: Rows, clock: Clock): Promise<Graph> {
  const graph = await createGraph({ model: modelOf(schema), store, clock, limits: { writeSize: 4, cost: 1e9 } });
  const given = (type: TypeName, of: readonly RowOf[]): Promise<void> => importAll(graph, type, of);
  const without = (type: TypeName, ...fields: string[]): RowOf[] =>
    rows[type].map(
      (row) => Object.fromEntries(Object.entries(row).filter(([name]) => !fields.includes(name))) as RowOf,
    );
  await given('Tag', without('Tag'));
  // Albums and photos refer to each other: lists of albums wait for photos.
  await given('Album', without('Album', 'cover', 'best', 'things'));
  await given('Photo', rows.Photo);
  await given('Note', rows.Note);
  await given('Item', rows.Item);
  for (const { id, cover, best, things } of rows.Album) {
    const print = (value: unknown): string => {
      const { type, key } = value as { type: string; key: string };
      return `{ ${type}: "${key}" }`;
    };
    const input = [
      ...(typeof cover === 'string' ? [`cover: { connect: "${cover}" }`] : []),
      ...(best === null ? [] : [`best: ${print(best)}`]),
      `things: { set: [${(things as unknown[]).map(print).join(', ')}] }`,
    ].join(' ');
    const { body } = await graph.execute(
      { query: `mutation { updateAlbum(id: "${id}", input: { ${input} }) { id } }` },
      { principal: GOD },
    );
    if (body.includes('"errors"')) throw new Error(body);
  }
  return graph;
}

async function importAll(graph: Graph, type: TypeName, rows: readonly RowOf[]): Promise<void> {
  if (rows.length === 0) return;
  const { committed } = await graph.importRows(type, [rows], {
    onReject: ({ reasons }) => {
      throw new Error(`${type}: ${reasons.join('; ')}`);
    },
  });
  if (!committed) throw new Error(`Rows of ${type} were not written.`);
}
