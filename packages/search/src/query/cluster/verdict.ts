// What a verdict on a kind is: whether a cluster may be asked it under a view. Hidden documents share dictionaries, statistics and the
// order of an index with visible ones. What a filter alone makes independent of them is safe; what reads one of the three is rewritten so
// that it does not, or refused. Definitions hold verdicts and tables are exhaustive over the product's own unions: a kind without a verdict does not compile.

export type Verdict =
  /** As it is, under the filter of the view. */
  | { readonly kind: 'safe' }
  /** In other words. */
  | { readonly kind: 'rewritten'; readonly as: string }
  /** Only in some forms; else refused. */
  | { readonly kind: 'limited'; readonly to: string; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string };

export const SAFE: Verdict = { kind: 'safe' };
export const rewritten = (as: string): Verdict => ({ kind: 'rewritten', as });
export const limited = (to: string, why: string): Verdict => ({ kind: 'limited', to, why });
export const refused = (why: string): Verdict => ({ kind: 'refused', why });

/** Why something is refused, or limited to some forms. */
export function reasonOf(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'refused':
      return verdict.why;
    case 'limited':
      return `only ${verdict.to}: ${verdict.why}`;
    case 'safe':
    case 'rewritten':
      return 'this form of it is not sent';
  }
}
