// Which Node a package needs, said in words instead of by an import that fails. Written so that any Node that knows modules can read it.

/** The oldest release of a major line that will do, as [major, minor]; of later lines the oldest ones follow, ascending. */
export type OldestNodes = readonly (readonly [major: number, minor: number])[];

/** What graph and server need: SQLite 3.53.2 or newer, whose JSON keeps every digit of a number, and limits of a connection. */
export const DATABASE_NODES: OldestNodes = [
  [24, 19],
  [26, 4],
];

/** Why this Node is too old; undefined when it is not. */
export function nodeFault(who: string, oldest: OldestNodes, version = process.versions.node): string | undefined {
  const [major, minor] = version.split('.').map(Number) as [number, number];
  const [last] = oldest.slice(-1);
  // A line that is not named, 25 say, is older than the next one that is.
  const isGood = oldest.some(([line, least]) => line === major && minor >= least) || major > last![0];
  if (isGood) return undefined;
  const wanted = oldest.map(([line, least]) => (least === 0 ? `${line}` : `${line}.${least}`));
  const further = wanted.length === 1 ? '' : `, of later lines ${wanted.slice(1).join(', ')} or newer`;
  return `${who} needs Node ${wanted[0]} or newer${further}; this is Node ${version} (${process.execPath}). Install a newer one from https://nodejs.org.`;
}

/** Stops a package that is loaded by a Node too old for it. @throws Error */
export function requireNode(who: string, oldest: OldestNodes): void {
  const fault = nodeFault(who, oldest);
  if (fault === undefined) return;
  const error = new Error(fault);
  // What stands below is the loader's.
  error.stack = `Error: ${fault}`;
  throw error;
}
