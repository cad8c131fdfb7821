// Counts the errors that a run of requests provoked, by throw site. A site that never occurred was not tested.

/** A place that throws because of a value of a document or row. */
export interface ThrowSite {
  readonly site: string;
  /** Matches the answers with its error. */
  readonly pattern: RegExp;
}

/** Counts the answers with the error of each site. */
export class SiteCounts {
  readonly #sites: readonly ThrowSite[];
  readonly #counts = new Map<string, number>();

  constructor(sites: readonly ThrowSite[]) {
    this.#sites = sites;
    for (const { site } of sites) this.#counts.set(site, 0);
  }

  /** Looks for errors in an answer. */
  note(answer: string): void {
    for (const { pattern, site } of this.#sites)
      if (pattern.test(answer)) this.#counts.set(site, this.#counts.get(site)! + 1);
  }

  /** Adds what another run counted. */
  add(counts: ReadonlyMap<string, number>): void {
    for (const [site, count] of counts) this.#counts.set(site, (this.#counts.get(site) ?? 0) + count);
  }

  /** Answers by site. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** The sites that nothing provoked. */
  get missed(): readonly string[] {
    return [...this.#counts].filter(([, count]) => count === 0).map(([site]) => site);
  }
}
