// A failure that the steps around do not handle: limits, and in Elasticsearch 7.10 a list that is not there.
export class UnhandledFailure extends Error {
  readonly failure: unknown;

  constructor(failure: unknown) {
    super('a pipeline failed where its failure is not handled');
    this.failure = failure;
  }
}
