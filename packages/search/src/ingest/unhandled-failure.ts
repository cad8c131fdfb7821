// A failure that no `on_failure` handles: limits, and as in Elasticsearch 7.10 the missing list of a `foreach`.
export class UnhandledFailure extends Error {
  readonly failure: unknown;

  constructor(failure: unknown) {
    super('a pipeline failed where its failure is not handled');
    this.failure = failure;
  }
}
