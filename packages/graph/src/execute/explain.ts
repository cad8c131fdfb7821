// Explains the cost of an operation in its response: phases with times, the executor used, each statement with its time
// and the database's plan. Requested by `extensions: { explain: true }` and returned under the same name. The operation
// is executed as usual; parameter values are not included.
import type { SqlValue, Store } from '../store/store.ts';
import { finish, type Observer } from './observe.ts';
import type { GraphRequest, GraphResponse } from './contracts.ts';

/** Maximum number of reported statements: a mutation of many rows runs many similar ones. */
const STATEMENTS = 50;

interface RunStatement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  milliseconds: number;
}

/** Whether a request asks for an explanation. */
export function asksToExplain({ extensions }: GraphRequest): boolean {
  return extensions?.['explain'] === true;
}

/** Observes one operation. */
export class Explanation implements Observer {
  readonly #started = performance.now();
  readonly #phases: { readonly phase: string; readonly milliseconds: number }[] = [];
  readonly #statements: RunStatement[] = [];
  #run = 0;
  #kind: string | undefined;
  #answeredBy: string | undefined;

  phase<T>(name: string, work: () => T): T {
    const started = performance.now();
    return finish(work, () => this.#phases.push({ phase: name, milliseconds: since(started) }));
  }

  operation(kind: string): void {
    this.#kind = kind;
  }

  answeredBy(who: string): void {
    this.#answeredBy = who;
  }

  statement<T>(sql: string, values: readonly SqlValue[], run: () => T): T {
    // In the order in which they start: statements that run side by side end in any order.
    const observed: RunStatement = { sql, values, milliseconds: 0 };
    if (this.#run++ < STATEMENTS) this.#statements.push(observed);
    const started = performance.now();
    return finish(run, () => {
      observed.milliseconds = since(started);
    });
  }

  /** The response with the explanation; the database's plans are requested now. */
  async tell(answer: GraphResponse, store: Store, cost: number | undefined): Promise<GraphResponse> {
    const milliseconds = since(this.#started);
    const statements: unknown[] = [];
    for (const { sql, values, milliseconds: took } of this.#statements)
      statements.push({ sql, parameters: values.length, milliseconds: took, plan: await planOf(store, sql, values) });
    const explain = {
      operation: this.#kind,
      answeredBy: this.#answeredBy,
      cost,
      milliseconds,
      phases: this.#phases,
      statements,
      ...(this.#run > STATEMENTS ? { moreStatements: this.#run - STATEMENTS } : {}),
    };
    // The response is a JSON object, so the explanation is inserted before its last bracket.
    return { ...answer, body: `${answer.body.slice(0, -1)},"extensions":{"explain":${JSON.stringify(explain)}}}` };
  }
}

function since(started: number): number {
  return Math.round((performance.now() - started) * 1000) / 1000;
}

/** The database's plan, one line per step; undefined if it has none for the statement. */
async function planOf(store: Store, sql: string, values: readonly SqlValue[]): Promise<readonly string[] | undefined> {
  try {
    if (store.dialect === 'postgres') return await genericPlan(store, sql, values.length);
    const rows = await store.prepare(`EXPLAIN QUERY PLAN ${sql}`).rows(values);
    return rows.map((row) => String(row[3]));
  } catch {
    // The database cannot explain this kind of statement.
    return undefined;
  }
}

let explained = 0;

/**
 * PostgreSQL's generic plan, which the store executes (`force_generic_plan`). A plan for given values would be another one,
 * and would show them: the caller's, and those of rules.
 */
function genericPlan(store: Store, sql: string, parameters: number): Promise<readonly string[]> {
  const name = `lockstitch_explained_${++explained}`;
  const values = parameters === 0 ? '' : `(${Array.from({ length: parameters }, () => 'NULL').join(', ')})`;
  return store.transaction(async (session) => {
    await session.prepare(`PREPARE ${name} AS ${sql}`).run([]);
    const rows = await session.prepare(`EXPLAIN EXECUTE ${name}${values}`).rows([]);
    await session.prepare(`DEALLOCATE ${name}`).run([]);
    return rows.map((row) => String(row[0]));
  });
}
