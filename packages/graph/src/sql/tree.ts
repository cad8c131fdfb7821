// Searches and copies SQL trees: which columns an expression mentions, and the same expression over other columns.
import { isComparedByParts } from './composite-key.ts';
import type { Expr, Json, Select } from './sql.ts';
import { hasMembers, isList } from '../present.ts';

/** The expressions of a kind. */
type ExprOf<Kind> = Expr extends infer Each
  ? Each extends { readonly kind: infer Own }
    ? Kind extends Own
      ? Each
      : never
    : never
  : never;

/** Whether an object of a tree is an expression of a kind. */
export function isExpr<Kind extends Expr['kind']>(node: object, kind: Kind): node is ExprOf<Kind> {
  return 'kind' in node && node.kind === kind;
}

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
    if (!isExpr(node, 'column')) return true;
    const { column, from } = node;
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
    if (isExpr(node, 'compare')) {
      const { left, right, operator } = node;
      if (operator !== '=' || !isComparedByParts(left, right)) return true;
      addParts(left);
      addParts(right);
      return false;
    }
    if (!isExpr(node, 'column')) return true;
    addParts(node);
    if (node.from === alias) found.add(node.column);
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
export function rewrite<T>(tree: T, replace: (node: Expr) => Expr | undefined): T {
  // Replaced nodes are expressions, and stay where one was.
  return rewritten(tree, replace) as T;
}

function rewritten(node: unknown, replace: (node: Expr) => Expr | undefined): unknown {
  if (isList(node)) {
    const copy = node.map((each) => rewritten(each, replace));
    return copy.every((each, index) => each === node[index]) ? node : copy;
  }
  if (!hasMembers(node)) return node;
  if (isNode(node)) {
    const other = replace(node);
    if (other !== undefined) return other;
    // A bound value is a leaf.
    if (node.kind === 'parameter') return node;
  }
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(node)) {
    const next = rewritten(value, replace);
    if (next !== value) (copy ??= { ...node })[name] = next;
  }
  return copy ?? node;
}

/** Whether an object is a node with a kind. JSON and row sources have kinds as well, which no replacement asks for. */
function isNode(value: object): value is Expr {
  return 'kind' in value && typeof value.kind === 'string';
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
