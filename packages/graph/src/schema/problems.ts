// Collects the problems of a schema, each with location and remedy, so that one start reports all of them.
import type { ASTNode } from 'graphql';
import { graphErrors } from '../errors.ts';
import type { SourceLocation } from './model.ts';

/** One problem. */
export interface SchemaProblem {
  readonly message: string;
  /** What to write instead, as a sentence. */
  readonly remedy: string | undefined;
  readonly location: SourceLocation | undefined;
  /** The problem is in the resolvers, not in a schema file. */
  readonly inResolvers?: boolean;
}

/** A list of problems. */
export class Problems {
  readonly #list: SchemaProblem[] = [];
  readonly #settled: SourceLocation[] = [];

  add(node: ASTNode | undefined | null, message: string, remedy?: string): void {
    this.addAt(locationOf(node), message, remedy);
  }

  addAt(location: SourceLocation | undefined, message: string, remedy?: string): void {
    if (this.isSuppressed(location)) return;
    const known = this.#list.some((other) => other.message === message && same(other.location, location));
    if (!known) this.#list.push({ message, location, remedy });
  }

  /** Adds a problem of the resolvers; it has no location in the schema. */
  addOfResolvers(message: string, remedy?: string): void {
    this.#list.push({ message, location: undefined, remedy, inResolvers: true });
  }

  addAll(other: Problems): void {
    for (const { location, message, remedy, inResolvers } of other.#list) {
      if (inResolvers === true) this.addOfResolvers(message, remedy);
      else this.addAt(location, message, remedy);
    }
  }

  /** Suppresses later problems at a node: they only follow from one that has been reported. */
  suppress(node: ASTNode): void {
    const location = locationOf(node);
    if (location !== undefined) this.#settled.push(location);
  }

  /** Whether problems at the location are suppressed. */
  isSuppressed(location: SourceLocation | undefined): boolean {
    return location !== undefined && this.#settled.some((each) => same(each, location));
  }

  get count(): number {
    return this.#list.length;
  }

  /**
   * Throws GRAPH_SCHEMA_INVALID with every problem in order of file and line; `detail` holds them as `SchemaProblem[]`.
   */
  throwIfAny(): void {
    if (this.#list.length === 0) return;
    const sorted = this.#list.toSorted(
      (a, b) =>
        (a.location?.file ?? '').localeCompare(b.location?.file ?? '') ||
        (a.location?.line ?? 0) - (b.location?.line ?? 0) ||
        (a.location?.column ?? 0) - (b.location?.column ?? 0),
    );
    const list = sorted.map((problem) => `  ${formatProblem(problem)}`).join('\n');
    const count = sorted.length === 1 ? '1 mistake' : `${sorted.length} mistakes`;
    throw graphErrors.create(
      'GRAPH_SCHEMA_INVALID',
      { count, list },
      { detail: sorted, path: sorted[0]?.location === undefined ? undefined : formatLocation(sorted[0].location) },
    );
  }
}

function same(a: SourceLocation | undefined, b: SourceLocation | undefined): boolean {
  return a?.file === b?.file && a?.line === b?.line && a?.column === b?.column;
}

function formatProblem(problem: SchemaProblem): string {
  const where = problem.location === undefined ? '' : `${formatLocation(problem.location)}: `;
  return `${where}${problem.message}${problem.remedy === undefined ? '' : ` ${problem.remedy}`}`;
}

function formatLocation(location: SourceLocation): string {
  return `${location.file}:${location.line}:${location.column}`;
}

/** The location of a schema node. */
export function locationOf(node: ASTNode | undefined | null): SourceLocation | undefined {
  const loc = node?.loc;
  if (loc == null) return undefined;
  // Not `getLocation`, which searches the text from its start: 85 % of the check of a schema of 64,000 lines.
  const { line, column } = loc.startToken;
  return { file: loc.source.name, line, column };
}
