// Runs random cases from the command line until one differs.

/** What a case found, and how often mutations ended with each code. */
interface CaseResult {
  /** Undefined if nothing differs. */
  readonly difference: unknown;
  readonly codes: ReadonlyMap<string, number>;
}

/** Runs cases with seeds in a row. The first two arguments of the process are their number and the first seed. */
export async function runSeeds(run: (seed: number) => Promise<CaseResult>): Promise<void> {
  const [, , runs = '1000', first = String(Date.now() % 1e9)] = process.argv;
  const codes = new Map<string, number>();
  for (let seed = Number(first); seed < Number(first) + Number(runs); seed++) {
    const { difference, codes: own } = await run(seed);
    for (const [code, count] of own) codes.set(code, (codes.get(code) ?? 0) + count);
    if (difference === undefined) continue;
    console.log(difference);
    process.exitCode = 1;
    break;
  }
  console.log(Object.fromEntries(codes));
}
