// A model of deletions in memory: objects with references, soft and hard types, effects of deletions. It says what a
// mutation does to the rows, or why it is refused; it shares no code with the engine.
import type { Random } from '../differential/random.ts';

export const TYPES = ['A', 'B', 'C', 'D'] as const;
export type TypeName = (typeof TYPES)[number];

/** How deletions of a type work: rows are removed, or marked with a time, a local time or a flag. */
export type Kind = 'hard' | 'time' | 'local' | 'flag';

/** A to-one relation. */
export interface Relation {
  readonly holder: TypeName;
  readonly field: string;
  /** Two for a union. */
  readonly targets: readonly TypeName[];
  readonly required: boolean;
  readonly effect: 'CASCADE' | 'RESTRICT' | 'SET_NULL';
}

/** What a world is made of. */
export interface Shape {
  readonly kinds: Readonly<Record<TypeName, Kind>>;
  readonly relations: readonly Relation[];
}

export function randomShape(random: Random): Shape {
  const kind = (): Kind => random.pick(['hard', 'time', 'time', 'local', 'flag']);
  const relation = (holder: TypeName, field: string, targets: readonly TypeName[], mayNeed = true): Relation => {
    const required = mayNeed && random.chance(0.5);
    const effects = required ? (['CASCADE', 'RESTRICT'] as const) : (['CASCADE', 'RESTRICT', 'SET_NULL'] as const);
    return { holder, field, targets, required, effect: random.pick(effects) };
  };
  return {
    kinds: { A: kind(), B: kind(), C: kind(), D: kind() },
    relations: [
      relation('A', 'parent', ['A'], false),
      relation('A', 'd', ['D'], false),
      relation('B', 'a', ['A']),
      relation('C', 'a', ['A']),
      relation('C', 'b', ['B']),
      relation('D', 'thing', ['A', 'C']),
      relation('D', 'b', ['B']),
    ],
  };
}

export interface Target {
  readonly type: TypeName;
  readonly id: string;
}

/** A row. `mark`: the deletion that marked it. */
export interface Row extends Target {
  readonly code: string | null;
  readonly refs: ReadonlyMap<string, Target>;
  readonly mark: number | undefined;
}

export type Refusal =
  | 'GRAPH_NOT_FOUND'
  | 'GRAPH_NOT_DELETED'
  | 'GRAPH_NOT_UNIQUE'
  | 'GRAPH_RESTRICTED'
  | 'GRAPH_RESTORE_ORPHAN';

export const nameOf = ({ type, id }: Target): string => `${type} ${id}`;

/** The rows, and what mutations do to them. */
export class RemovalModel {
  readonly #shape: Shape;
  rows: ReadonlyMap<string, Row> = new Map();
  /** Pairs of A and B: `a b`. */
  pairs: ReadonlySet<string> = new Set();
  #deletions = 0;

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  #isSoft(type: TypeName): boolean {
    return this.#shape.kinds[type] !== 'hard';
  }

  #isLiving(target: Target): boolean {
    const row = this.rows.get(nameOf(target));
    return row !== undefined && row.mark === undefined;
  }

  #isTaken({ type, id, code }: Pick<Row, 'type' | 'id' | 'code'>, rows = this.rows): boolean {
    return (
      code !== null &&
      [...rows.values()].some(
        (row) => row.type === type && row.id !== id && row.code === code && row.mark === undefined,
      )
    );
  }

  /** Creates or replaces an object. */
  write(row: Omit<Row, 'mark'>, isNew: boolean): readonly Refusal[] {
    const refusals: Refusal[] = [];
    if (!isNew && !this.#isLiving(row)) refusals.push('GRAPH_NOT_FOUND');
    if ([...row.refs.values()].some((target) => !this.#isLiving(target) && nameOf(target) !== nameOf(row)))
      refusals.push('GRAPH_NOT_FOUND');
    if (this.#isTaken(row)) refusals.push('GRAPH_NOT_UNIQUE');
    if (refusals.length === 0) this.rows = new Map(this.rows).set(nameOf(row), { ...row, mark: undefined });
    return refusals;
  }

  connect(a: string, b: string, connects: boolean): readonly Refusal[] {
    if (!this.#isLiving({ type: 'A', id: a }) || !this.#isLiving({ type: 'B', id: b })) return ['GRAPH_NOT_FOUND'];
    const pairs = new Set(this.pairs);
    if (connects) pairs.add(`${a} ${b}`);
    else pairs.delete(`${a} ${b}`);
    this.pairs = pairs;
    return [];
  }

  /** The rows that refer to one, with the relation. */
  #holders(target: Target): readonly { readonly row: Row; readonly relation: Relation }[] {
    return [...this.rows.values()].flatMap((row) =>
      this.#shape.relations.flatMap((relation) => {
        const held = relation.holder === row.type ? row.refs.get(relation.field) : undefined;
        return held !== undefined && nameOf(held) === nameOf(target) ? [{ row, relation }] : [];
      }),
    );
  }

  remove(target: Target, purges: boolean): readonly Refusal[] {
    const found = this.rows.get(nameOf(target));
    if (found === undefined || (found.mark !== undefined && !purges)) return ['GRAPH_NOT_FOUND'];
    /** Name → whether the row is removed. */
    const gone = new Map([[nameOf(found), purges || !this.#isSoft(found.type)]]);
    for (let size = ''; size !== JSON.stringify([...gone]);) {
      size = JSON.stringify([...gone]);
      for (const [name, removes] of gone) {
        for (const { row, relation } of this.#holders(this.rows.get(name)!)) {
          if (relation.effect !== 'CASCADE' || (row.mark !== undefined && !removes)) continue;
          const own = nameOf(row);
          gone.set(own, gone.get(own) === true || removes || !this.#isSoft(row.type));
        }
      }
    }
    for (const [name, removes] of gone) {
      const inTheWay = this.#holders(this.rows.get(name)!).some(
        ({ row, relation }) =>
          relation.effect === 'RESTRICT' &&
          // A row that is only marked keeps its reference.
          (removes ? gone.get(nameOf(row)) !== true : row.mark === undefined && !gone.has(nameOf(row))),
      );
      if (inTheWay) return ['GRAPH_RESTRICTED'];
    }
    const mark = ++this.#deletions;
    const removed = new Set([...gone].flatMap(([name, removes]) => (removes ? [name] : [])));
    const rows = new Map<string, Row>();
    for (const [name, row] of this.rows) {
      if (removed.has(name)) continue;
      const refs = new Map([...row.refs].filter(([, held]) => !removed.has(nameOf(held))));
      rows.set(name, { ...row, refs, mark: row.mark ?? (gone.has(name) ? mark : undefined) });
    }
    this.rows = rows;
    this.pairs = new Set(
      [...this.pairs].filter((pair) => {
        const [a, b] = pair.split(' ');
        return !removed.has(`A ${a}`) && !removed.has(`B ${b}`);
      }),
    );
    return [];
  }

  restore(target: Target): readonly Refusal[] {
    const found = this.rows.get(nameOf(target));
    if (found === undefined) return ['GRAPH_NOT_FOUND'];
    if (found.mark === undefined) return ['GRAPH_NOT_DELETED'];
    const knowsTime = (type: TypeName): boolean => ['time', 'local'].includes(this.#shape.kinds[type]);
    const restored = new Set([found]);
    for (const each of restored) {
      if (!knowsTime(each.type)) continue;
      for (const { row, relation } of this.#holders(each))
        if (relation.effect === 'CASCADE' && row.mark === each.mark && knowsTime(row.type)) restored.add(row);
    }
    const rows = new Map(this.rows);
    const refusals = new Set<Refusal>();
    for (const row of restored) {
      if (this.#isTaken(row, rows)) refusals.add('GRAPH_NOT_UNIQUE');
      rows.set(nameOf(row), { ...row, mark: undefined });
    }
    for (const row of restored)
      for (const { field, holder, required } of this.#shape.relations) {
        const held = holder === row.type && required ? row.refs.get(field) : undefined;
        if (held !== undefined && rows.get(nameOf(held))?.mark !== undefined) refusals.add('GRAPH_RESTORE_ORPHAN');
      }
    if (refusals.size === 0) this.rows = rows;
    return [...refusals];
  }
}
