// Searches and copies SQL trees: which columns an expression mentions, and the same expression over other columns.
import { isComparedByParts } from './composite-key.ts';
import type { Expr, Json, Select } from './sql.ts';
import { hasMembers } from '../present.ts';

/** Visits every object of a tree; bound values are leaves. Returning false leaves out what is below. */
function visit(node: unknown, look: (node: Readonly<Record<string, unknown>>) => boolean): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, look);
    return;
  }
  if (!hasMembers(node) || node['kind'] === 'parameter' || !look(node)) return;
  for (const name in node) {
    const value = node[name];
    if (typeof value === 'object') visit(value, look);
  }
}

type Part = Expr | Select | Json | readonly Expr[] | undefined;

/** Alias → the columns that are mentioned of it. */
export function columnsOf(...parts: readonly (Part | readonly Part[])[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  visit(parts, (node) => {
    if (node['kind'] !== 'column') return true;
    const { column, from } = node as { readonly column: string; readonly from: string };
    const columns = found.get(from);
    if (columns === undefined) found.set(from, new Set([column]));
    else columns.add(column);
    return false;
  });
  return found;
}

/** The columns of an alias that a row source must have: a key of several columns is compared by its parts. */
export function storedColumnsIn(alias: string, ...parts: readonly (Part | readonly Part[])[]): readonly string[] {
  const found = new Set<string>();
  const addParts = (expr: Expr): void => {
    if (expr.kind === 'column' && expr.from === alias) for (const { raw } of expr.native?.parts ?? []) found.add(raw);
  };
  visit(parts, (node) => {
    if (node['kind'] === 'compare') {
      const { left, right, operator } = node as Extract<Expr, { kind: 'compare' }>;
      if (operator !== '=' || !isComparedByParts(left, right)) return true;
      addParts(left);
      addParts(right);
      return false;
    }
    if (node['kind'] !== 'column') return true;
    const expr = node as Extract<Expr, { kind: 'column' }>;
    addParts(expr);
    if (expr.from === alias) found.add(expr.column);
    return false;
  });
  return [...found];
}

/** Aliases that a tree mentions but does not define: those of the statement around it. */
export function outerAliases(...parts: readonly (Part | readonly Part[])[]): readonly string[] {
  const defined = new Set<string>();
  visit(parts, (node) => {
    if (typeof node['alias'] === 'string') defined.add(node['alias']);
    return true;
  });
  return [...columnsOf(...parts).keys()].filter((alias) => !defined.has(alias));
}

/** The number of nodes of a kind. */
export function countKind(part: Part, kind: Expr['kind']): number {
  let count = 0;
  visit(part, (node) => {
    if (node['kind'] === kind) count++;
    return true;
  });
  return count;
}

/** The number of objects of a tree. */
export function sizeOf(part: Select | Json): number {
  let size = 0;
  visit(part, () => {
    size++;
    return true;
  });
  return size;
}

/** A copy in which `replace` has replaced nodes; parts without any stay the same objects. */
export function rewrite<T>(node: T, replace: (node: Expr) => Expr | undefined): T {
  if (Array.isArray(node)) {
    const list = node as readonly unknown[];
    const copy = list.map((each) => rewrite(each, replace));
    return copy.every((each, index) => each === list[index]) ? node : (copy as T);
  }
  if (typeof node !== 'object' || node === null) return node;
  const object = node as Readonly<Record<string, unknown>>;
  if (object['kind'] === 'parameter') return (replace(node as unknown as Expr) as T | undefined) ?? node;
  if (typeof object['kind'] === 'string') {
    const other = replace(node as unknown as Expr);
    if (other !== undefined) return other as T;
  }
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(object)) {
    const next = rewrite(value, replace);
    if (next !== value) (copy ??= { ...object })[name] = next;
  }
  return (copy as T | undefined) ?? node;
}

/** A copy with an expression in place of a column. */
export function replaceColumn<T>(node: T, from: string, column: string, by: Expr): T {
  return rewrite(node, (each) =>
    each.kind === 'column' && each.from === from && each.column === column ? by : undefined,
  );
}

/** A copy with an expression in place of one node. */
export function replaceNode<T>(tree: T, node: Expr, by: Expr): T {
  return rewrite(tree, (each) => (each === node ? by : undefined));
}

/** A copy whose columns of one alias are those of another. */
export function renameAlias<T>(tree: T, from: string, to: string): T {
  return rewrite(tree, (each) => (each.kind === 'column' && each.from === from ? { ...each, from: to } : undefined));
}

/** Whether both are the same column of the same row. */
export function isSameColumn(one: Expr, other: Expr): boolean {
  return one.kind === 'column' && other.kind === 'column' && one.from === other.from && one.column === other.column;
}
