// What is compared of an answer: a refusal by its status, type and words, tokens as texts, everything else without times and identities.

/** Members that each engine has its own of. */
const OWN = new Set(['took', 'timed_out', '_shards', 'index_uuid', '_primary_term', 'shards_acknowledged', '_node']);

interface Failure {
  readonly type: string;
  readonly reason: string | null;
  readonly root_cause?: readonly Failure[];
  readonly failed_shards?: readonly unknown[];
}

interface Token {
  readonly token: string;
  readonly position: number;
  readonly positionLength?: number;
  readonly start_offset: number;
  readonly end_offset: number;
  readonly type: string;
}

/** An answer, of this engine or of Elasticsearch. */
export function shownAnswer(status: number, json: any): unknown {
  if (status >= 400 && typeof json?.error === 'object') return `${status} ${shownFailure(json.error as Failure)}`;
  if (Array.isArray(json?.tokens)) return (json.tokens as readonly Token[]).map(shownToken);
  return withoutOwn(json);
}

function shownFailure({ reason, root_cause, type }: Failure): string {
  const [cause] = root_cause ?? [];
  const causes = cause === undefined || cause.reason === reason ? '' : ` (${shownFailure(cause)})`;
  const words = (reason ?? '')
    .replace(/^\[\d+:\d+\] |\n at \[Source.*$/gs, '')
    .replace(/,? did you mean .*$|;? known here: .*$/is, '');
  return `${type}: ${words}${causes}`;
}

function shownToken({
  end_offset: end,
  position,
  positionLength = 1,
  start_offset: start,
  token,
  type,
}: Token): string {
  return `${token} ${position}+${positionLength} ${start}-${end} ${type}`;
}

function withoutOwn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOwn);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !OWN.has(name))
      .map(([name, inner]) => [name, withoutOwn(inner)]),
  );
}
