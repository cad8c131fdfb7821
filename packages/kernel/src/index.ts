// The public names of the kernel: what all packages agree on.
import './this-node.ts';

export {
  addUnits,
  type CalendarUnit,
  computeTime,
  type MathMistake,
  roundDown,
  utcOfLocal,
  type ZoneClock,
} from './calendar.ts';
export { defineErrors, type ErrorCatalogue, type ErrorTemplate } from './catalogue.ts';
export { type Clock, systemClock } from './clock.ts';
export { compareDecimals, toDecimal } from './decimal.ts';
export { isKnownTag } from './entity-tag.ts';
export { isProductError, ProductError, type ProductErrorInit } from './error.ts';
export * from './expression/ast.ts';
export { checkExpression, type CheckedExpression } from './expression/check.ts';
export { type AccessExpression, compileExpression } from './expression/compile.ts';
export { type Decision, decideExpression, evaluateExpression, type ExpressionContext } from './expression/evaluate.ts';
export { PRINCIPAL_MEMBERS } from './expression/functions.ts';
export { isInIpRange, isIpRange } from './expression/ip-range.ts';
export { parseExpression } from './expression/parse.ts';
export type { Bean, ExpressionScope, FieldShape, RowShape, ValueType } from './expression/scope.ts';
export { limitRepeats, type Log, type LogLevel, silentLog } from './log.ts';
export { evictOldest, LruMap } from './lru-map.ts';
export { Mutex } from './mutex.ts';
export { isKeyOf, isOneOf } from './narrow.ts';
export { DATABASE_NODES, requireNode } from './node-version.ts';
export { first, hasMembers, isList, last, listOf, lookUp, membersIn, only, required, textAt } from './present.ts';
export { ANONYMOUS, createPrincipal, type Principal, ROLE_PREFIX } from './principal.ts';
export { printable } from './printable.ts';
export { didYouMean, suggest } from './suggest.ts';
export { codeOf, reasonOf, toError } from './thrown.ts';
export { toText } from './to-text.ts';
export { byWord, wordsOf } from './words.ts';
