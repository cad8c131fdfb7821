// Converts an operator of texts, such as `contains`, to a condition.
import { isKeyOf, toText } from '@lockstitch/kernel';
import type { Expr } from '../sql/sql.ts';
import { at, type ConditionArguments, type Path } from './argument-path.ts';
import { isStorable } from './bound-value.ts';
import { caseInsensitivePattern, type TextMode } from './case-insensitive-pattern.ts';

const MODES = { contains: 'contains', startsWith: 'startsWith', endsWith: 'endsWith' } as const;
const CASE_INSENSITIVE = {
  eqInsensitive: 'equals',
  containsInsensitive: 'contains',
  startsWithInsensitive: 'startsWith',
  endsWithInsensitive: 'endsWith',
} as const satisfies Readonly<Record<string, TextMode>>;

/** The condition on `text`; the operator's value, not null, is at `path`. */
export function readTextOperator(operator: string, text: Expr, args: ConditionArguments, path: Path): Expr {
  const place = path.join('.');
  if (isKeyOf(CASE_INSENSITIVE, operator)) {
    const mode = CASE_INSENSITIVE[operator];
    const pattern = args.parameter(place, 'text', (values) =>
      caseInsensitivePattern(mode, toText(at(values, path)), place),
    );
    return { kind: 'matches', operand: text, pattern };
  }
  const pattern = args.parameter(place, 'text', (values) => {
    const given = toText(at(values, path));
    return isStorable(given) ? given : null;
  });
  return { kind: 'text', mode: MODES[operator as keyof typeof MODES], operand: text, pattern };
}
