// Pairs the relation fields of two types and decides where each relation is stored. A field without an inverse stands
// alone. An ambiguous pairing is reported as a problem that names the fields; it is never guessed.
import type { FieldDefinitionNode } from 'graphql';
import { didYouMean } from '@lockstitch/kernel';
import { KEY_END, TYPE_END } from './column-names.ts';
import { entityOf, type Entity, type RelationField, type RelationStorage } from './model.ts';
import { fitName, plural, snakeCase, wordsOfName } from './names.ts';
import { parseTableName } from './table-name.ts';
import type { Problems } from './problems.ts';
import { first, last, lookUp } from '../present.ts';

/** A relation field as written, before it is paired. */
export interface RelationSketch extends Pick<
  RelationField,
  | 'name'
  | 'description'
  | 'location'
  | 'auth'
  | 'search'
  | 'target'
  | 'many'
  | 'nullable'
  | 'connection'
  | 'unmanaged'
  | 'readOnly'
  | 'formerColumns'
> {
  readonly kind: 'sketch';
  readonly owner: string;
  /** Column of a foreign key; prefix of polymorphic columns and of the join table's name. */
  readonly column: string;
  /** The columns that `@column` names. */
  readonly given: readonly string[] | undefined;
  readonly joinTable: string | undefined;
  readonly from: readonly string[] | undefined;
  readonly to: readonly string[] | undefined;
  readonly inverse: string | undefined;
  readonly onDelete: 'CASCADE' | 'RESTRICT' | 'SET_NULL' | undefined;
  readonly onDeleteRules: 'CALLER' | 'OVERRIDE' | 'ROWS' | undefined;
  readonly node: FieldDefinitionNode | undefined;
}

interface Context {
  readonly problems: Problems;
  readonly abstracts: ReadonlyMap<string, readonly string[]>;
}

/** The two ends of a relation; both have the same type in a self-relation. */
type Ends = readonly [RelationSketch, RelationSketch];

/** Returns the relation fields of each type; their `arguments` are still empty. */
export function inferRelations(
  sketches: readonly RelationSketch[],
  entities: ReadonlyMap<string, Entity>,
  context: Context,
): ReadonlyMap<string, readonly RelationField[]> {
  const paired = new Map<RelationSketch, RelationSketch>();
  pairDeclared(sketches, paired, context);
  for (const group of groupsOfTwoTypes(sketches, paired, context)) pairGroup(group, paired, context);

  const result = new Map<string, RelationField[]>();
  const settled = new Map<RelationSketch, RelationStorage>();
  const names = [...entities.keys()];
  for (const sketch of sketches) {
    if (!settled.has(sketch)) settle(sketch, paired.get(sketch), entities, names, context, settled);
    const other = paired.get(sketch);
    const storage = lookUp(settled, sketch);
    checkColumns(sketch, storage, context);
    const { kind: _kind, owner, column: _column, given: _given, node: _node, ...sketched } = sketch;
    const { joinTable: _table, from: _from, to: _to, ...rest } = sketched;
    const onDelete = sketch.onDelete ?? other?.onDelete;
    const onDeleteRules = sketch.onDeleteRules ?? other?.onDeleteRules;
    const relation: RelationField = {
      ...rest,
      kind: 'relation',
      storage,
      unmanaged: isUnmanaged(sketch, other, storage),
      inverse: other?.name,
      onDelete: onDelete === undefined ? (sketch.nullable ? 'setNull' : 'restrict') : ON_DELETE[onDelete],
      // An explicit RESTRICT checks every holder, hidden or not.
      onDeleteRules:
        onDeleteRules !== undefined ? ON_DELETE_RULES[onDeleteRules] : onDelete === 'RESTRICT' ? 'rows' : undefined,
      arguments: new Map(),
    };
    if (relation.onDelete === 'setNull' && storage.kind === 'foreignKey' && !sketch.nullable)
      context.problems.add(
        sketch.node,
        `${owner}.${sketch.name} is non-null and cannot be emptied by onDelete: SET_NULL.`,
        'Remove the "!", or use CASCADE or RESTRICT.',
      );
    if (relation.onDelete === 'restrict' && onDeleteRules === 'OVERRIDE' && 'column' in storage)
      context.problems.add(
        sketch.node,
        `${owner}.${sketch.name}: with onDelete: RESTRICT the rules of ${owner} cannot be passed over.`,
        'Write onDeleteRules: CALLER or ROWS, or onDelete: CASCADE.',
      );
    result.set(owner, [...(result.get(owner) ?? []), relation]);
  }
  return result;
}

/** A join table is unmanaged if the end that names it is; a table without a given name is new. */
function isUnmanaged(sketch: RelationSketch, other: RelationSketch | undefined, storage: RelationStorage): boolean {
  if (storage.kind !== 'joinTable') return sketch.unmanaged;
  return [sketch, other].some((end) => end?.joinTable !== undefined && end.unmanaged);
}

/** Reports columns or a join table that the field's storage does not have. */
function checkColumns(sketch: RelationSketch, storage: RelationStorage, { problems }: Context): void {
  const { owner, name, given, node } = sketch;
  // The columns of a foreign key are as many as those of the key, which is not known yet (checkTargets).
  const columns = storage.kind === 'foreignKey' ? given?.length : storage.kind === 'polymorphic' ? 2 : 0;
  if (given !== undefined && columns === 0)
    problems.add(
      node,
      `${owner}.${name} has @column, and it is not stored in a column of ${owner}.`,
      storage.kind === 'inverse'
        ? `Put it on ${sketch.target}.${storage.field}, which holds the relation.`
        : 'Name the columns of its join table with @relation(table:, from:, to:).',
    );
  else if (given !== undefined && given.length !== columns)
    problems.add(
      node,
      `${owner}.${name} is stored in two columns, of the type and the key, and @column names ${given.length}.`,
      'Write @column(name: ["…_type", "…_key"]).',
    );
  const named = sketch.joinTable ?? (sketch.from ?? sketch.to)?.join(', ');
  if (named !== undefined && storage.kind !== 'joinTable')
    problems.add(
      node,
      `@relation on ${owner}.${name} names the join table or column "${named}", and the relation has no join table.`,
      'Only a list whose other end is a list, or missing, has one.',
    );
  else if (sketch.joinTable !== undefined && parseTableName(sketch.joinTable) === undefined)
    problems.add(
      node,
      `@relation(table: "${sketch.joinTable}") is no name of a table.`,
      'Write a name, or a schema, a dot and a name; a part that contains a dot or quote is in double quotes.',
    );
}

const ON_DELETE = { CASCADE: 'cascade', RESTRICT: 'restrict', SET_NULL: 'setNull' } as const;
const ON_DELETE_RULES = { CALLER: 'caller', OVERRIDE: 'override', ROWS: 'rows' } as const;

/** Pairs the fields that `@relation(inverse:)` names. */
function pairDeclared(
  sketches: readonly RelationSketch[],
  paired: Map<RelationSketch, RelationSketch>,
  context: Context,
): void {
  for (const sketch of sketches) {
    if (sketch.inverse === undefined) continue;
    const place = `${sketch.owner}.${sketch.name}`;
    const others = sketches.filter((other) => other.owner === sketch.target);
    const other = others.find((each) => each.name === sketch.inverse);
    if (other === undefined || !leadsTo(other, sketch.owner, context)) {
      context.problems.add(
        sketch.node,
        `@relation(inverse: "${sketch.inverse}") on ${place}: ${sketch.target} has no field "${sketch.inverse}" that leads to ${sketch.owner}.${didYouMean(
          sketch.inverse,
          others.map((each) => each.name),
        )}`,
        `Name a field of ${sketch.target} whose type is ${sketch.owner}.`,
      );
      continue;
    }
    if (other === sketch) {
      context.problems.add(
        sketch.node,
        `@relation(inverse: "${sketch.inverse}") makes ${place} its own other end.`,
        'Take it away, and the relation goes one way; or name another field, which shows it from the other end.',
      );
      continue;
    }
    const already = paired.get(other);
    if (already !== undefined && already !== sketch) {
      context.problems.add(
        sketch.node,
        `${place} and ${already.owner}.${already.name} both claim ${other.owner}.${other.name} as their other end.`,
        'Keep one of the two @relation(inverse:).',
      );
      continue;
    }
    paired.set(sketch, other);
    paired.set(other, sketch);
  }
}

function leadsTo(sketch: RelationSketch, type: string, context: Context): boolean {
  return sketch.target === type || (context.abstracts.get(sketch.target)?.includes(type) ?? false);
}

interface Group {
  readonly left: readonly RelationSketch[];
  readonly right: readonly RelationSketch[];
  readonly self: boolean;
}

/** Groups the unpaired fields by the two types they connect. Fields to an interface or union stand alone. */
function groupsOfTwoTypes(
  sketches: readonly RelationSketch[],
  paired: ReadonlyMap<RelationSketch, RelationSketch>,
  context: Context,
): readonly Group[] {
  const open = sketches.filter((sketch) => !paired.has(sketch) && !context.abstracts.has(sketch.target));
  const groups = new Map<string, Group>();
  for (const { owner, target } of open) {
    const [a, b] = owner < target ? [owner, target] : [target, owner];
    if (groups.has(`${a} ${b}`)) continue;
    groups.set(`${a} ${b}`, {
      left: open.filter((each) => each.owner === a && each.target === b),
      right: a === b ? [] : open.filter((each) => each.owner === b && each.target === a),
      self: a === b,
    });
  }
  return [...groups.values()];
}

function pairGroup(group: Group, paired: Map<RelationSketch, RelationSketch>, context: Context): void {
  const pair = ([a, b]: Ends): void => {
    paired.set(a, b);
    paired.set(b, a);
  };
  if (group.self) {
    // Self-relations: parent with children, following with followers. Two to-one fields (mother, father) or a single
    // list (friends) stand alone.
    const lists = group.left.filter((each) => each.many);
    const singles = group.left.filter((each) => !each.many);
    if (lists.length === 1 && singles.length === 1) return pair([first(lists), first(singles)]);
    if (lists.length === 2 && singles.length === 0) return pair([first(lists), last(lists)]);
    if (lists.length > 0 && group.left.length > 1) reportAmbiguity(group.left, group.left, context);
    return;
  }
  const byName = (a: RelationSketch, b: RelationSketch): boolean => sharesWord(a, b);
  let left = [...group.left];
  let right = [...group.right];
  const settlePairs = (fits: (a: RelationSketch, b: RelationSketch) => boolean): void => {
    for (const a of left) {
      const matches = right.filter((b) => fits(a, b));
      const match = matches[0];
      if (matches.length !== 1 || match === undefined || left.filter((each) => fits(each, match)).length !== 1)
        continue;
      pair([a, match]);
      left = left.filter((each) => each !== a);
      right = right.filter((each) => each !== match);
    }
  };
  // postedPhotos and postedBy share a word. What then remains on both sides is paired if it is one field each.
  if (left.length > 1 || right.length > 1) settlePairs(byName);
  if (left.length === 1 && right.length === 1) return pair([first(left), first(right)]);
  // Several candidates are left on a side.
  if (left.length > 0 && right.length > 0) reportAmbiguity(left, right, context);
}

/** The names of the types do not tell relations apart. */
function sharesWord(a: RelationSketch, b: RelationSketch): boolean {
  const noise = new Set([
    'by',
    'in',
    'of',
    'to',
    'on',
    'for',
    'with',
    'is',
    'has',
    'the',
    ...wordsOfName(a.owner),
    ...wordsOfName(b.owner),
  ]);
  for (const type of [a.owner, b.owner]) for (const word of wordsOfName(plural(type))) noise.add(word);
  const words = new Set(wordsOfName(a.name).filter((word) => !noise.has(word)));
  return wordsOfName(b.name).some((word) => words.has(word));
}

function reportAmbiguity(left: readonly RelationSketch[], right: readonly RelationSketch[], context: Context): void {
  const one = first(left);
  const show = (list: readonly RelationSketch[]): string =>
    list.map((each) => `${each.owner}.${each.name}`).join(' or ');
  const candidate = right.find((each) => each !== one) ?? first(right);
  context.problems.add(
    one.node,
    left === right
      ? `It is not clear which of ${show(left)} are two ends of one relation.`
      : `It is not clear whether ${show(left)} is the other end of ${show(right)}.`,
    `Write @relation(inverse: "${candidate.name}") on ${one.owner}.${one.name}, or whichever belongs to it.`,
  );
}

/** Decides the storage of both ends of a relation. */
function settle(
  sketch: RelationSketch,
  other: RelationSketch | undefined,
  entities: ReadonlyMap<string, Entity>,
  order: readonly string[],
  context: Context,
  settled: Map<RelationSketch, RelationStorage>,
): void {
  const table = entityOf({ entities }, sketch.owner).table;
  const joinTable = fitName(`${table}_${sketch.column}`);
  if (context.abstracts.has(sketch.target)) {
    settled.set(
      sketch,
      sketch.many
        ? {
            kind: 'polymorphicJoinTable',
            table: joinTable,
            from: fitName(`${snakeCase(sketch.owner)}${KEY_END}`),
            typeColumn: 'target_type',
            keyColumn: 'target_key',
          }
        : {
            kind: 'polymorphic',
            typeColumn: sketch.given?.[0] ?? sketch.column + TYPE_END,
            keyColumn: sketch.given?.[1] ?? sketch.column + KEY_END,
          },
    );
    if (other !== undefined) settled.set(other, { kind: 'inverse', field: sketch.name });
    return;
  }
  if (other !== undefined && context.abstracts.has(other.target)) {
    settle(other, sketch, entities, order, context, settled);
    return;
  }
  if (other === undefined) {
    settled.set(sketch, sketch.many ? joinTableEnds(sketch, joinTable)[0] : foreignKey(sketch, false));
  } else if (sketch.many && other.many) {
    // The join table is named by one end, else after the end whose type comes first in the schema.
    const isFirst =
      sketch.joinTable !== undefined ||
      (other.joinTable === undefined && order.indexOf(sketch.owner) <= order.indexOf(other.owner));
    const [first, second] = isFirst ? [sketch, other] : [other, sketch];
    const [there, back] = joinTableEnds(first, fitName(`${entityOf({ entities }, first.owner).table}_${first.column}`));
    settled.set(first, there);
    settled.set(second, back);
  } else if (sketch.many || other.many) {
    const [list, single] = sketch.many ? [sketch, other] : [other, sketch];
    settled.set(single, foreignKey(single, false));
    settled.set(list, { kind: 'inverse', field: single.name });
  } else {
    const holder = holderOf(sketch, other, order);
    const pointed = holder === sketch ? other : sketch;
    settled.set(holder, foreignKey(holder, true));
    settled.set(pointed, { kind: 'inverse', field: holder.name });
  }
}

/** One-to-one: the end with @column holds the foreign key, else the non-null end, else the first in the schema. */
function holderOf(one: RelationSketch, other: RelationSketch, order: readonly string[]): RelationSketch {
  if ((one.given === undefined) !== (other.given === undefined)) return one.given === undefined ? other : one;
  if (one.nullable !== other.nullable) return one.nullable ? other : one;
  return order.indexOf(one.owner) <= order.indexOf(other.owner) ? one : other;
}

function foreignKey({ column, given }: RelationSketch, unique: boolean): RelationStorage {
  return given !== undefined && given.length > 1
    ? { kind: 'foreignKey', column: compositeName(given), parts: given, unique }
    : { kind: 'foreignKey', column, unique };
}

/** The name in queries of several columns that hold one key. */
export function compositeName(columns: readonly string[]): string {
  return columns.join(',');
}

function joinTableEnds(first: RelationSketch, name: string): readonly [RelationStorage, RelationStorage] {
  const self = first.owner === first.target;
  const table = first.joinTable ?? name;
  const from = first.from ?? [fitName(self ? `from_${snakeCase(first.owner)}` : snakeCase(first.owner))];
  const to = first.to ?? [fitName(self ? `to_${snakeCase(first.target)}` : snakeCase(first.target))];
  const end = (here: readonly string[], there: readonly string[]): RelationStorage => ({
    kind: 'joinTable',
    table,
    from: compositeName(here),
    to: compositeName(there),
    ...(here.length > 1 && { fromParts: here }),
    ...(there.length > 1 && { toParts: there }),
  });
  return [end(from, to), end(to, from)];
}
