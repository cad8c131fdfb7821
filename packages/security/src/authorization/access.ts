// Access of a rule, and its decision for one request. URL rules and `authorize(...)` around functions share it.
import {
  type AccessExpression,
  compileExpression,
  type Decision,
  type Expression,
  type ExpressionScope,
  hasMembers,
  listOf,
  ROLE_PREFIX,
} from '@lockstitch/kernel';
import { securityErrors } from '../errors/chain-errors.ts';
import type { CurrentAuthentication } from '../chain/exchange.ts';
import type { MaybePromise } from '../maybe-promise.ts';

/** The request as an access function sees it. */
export interface AccessRequest {
  readonly authentication: CurrentAuthentication;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly remoteAddress: string;
  /** Path variables of the rule's pattern. */
  readonly variables: Readonly<Record<string, string>>;
  readonly header: (name: string) => string | undefined;
}

/** Decides in code; only `true` grants, a rejection or exception denies. */
export type AccessFunction = (request: AccessRequest) => MaybePromise<boolean>;

/** The right-hand side of a rule. `text` is its display form. */
export type Access =
  | {
      readonly kind: 'permitAll' | 'denyAll' | 'anonymous' | 'authenticated' | 'fullyAuthenticated' | 'rememberMe';
      readonly text: string;
    }
  | { readonly kind: 'authority'; readonly authorities: readonly string[]; readonly text: string }
  | {
      readonly kind: 'expression';
      readonly expression: AccessExpression;
      readonly needsVariables: boolean;
      readonly text: string;
    }
  | { readonly kind: 'function'; readonly decide: AccessFunction; readonly text: string };

/** The authority of a role. @throws ProductError SECURITY_ROLE_INVALID */
export function roleAuthority(role: string): string {
  if (typeof role !== 'string' || role === '')
    throw securityErrors.create('SECURITY_ROLE_INVALID', { reason: 'role cannot be null' });
  if (!role.startsWith(ROLE_PREFIX)) return ROLE_PREFIX + role;
  throw securityErrors.create('SECURITY_ROLE_INVALID', {
    reason: `role should not start with 'ROLE_' since it is automatically inserted. Got '${role}'`,
  });
}

/**
 * Parses `access` of a rule: an expression or a function. An expression that is one word or function of the language
 * becomes a plain kind, which is decided without evaluation.
 *
 * @throws ProductError EXPRESSION_…
 */
export function readAccess(access: string | AccessFunction, scope: ExpressionScope): Access {
  if (typeof access === 'function')
    return { kind: 'function', decide: access, text: `access(${access.name === '' ? 'function' : access.name})` };
  const expression = compileExpression(access, scope);
  return (
    simplify(expression) ?? {
      kind: 'expression',
      expression,
      needsVariables: readsVariables(expression.expression),
      text: `access(${access})`,
    }
  );
}

function simplify({ text, expression }: AccessExpression): Access | undefined {
  if (expression.kind !== 'call' || expression.target !== undefined) return undefined;
  const names: string[] = [];
  for (const argument of expression.arguments) {
    if (argument.kind !== 'literal') return undefined;
    names.push(String(argument.value));
  }
  switch (expression.name) {
    case 'permitAll':
    case 'denyAll':
      return { kind: expression.name, text };
    case 'isAnonymous':
      return { kind: 'anonymous', text };
    case 'isAuthenticated':
      return { kind: 'authenticated', text };
    case 'isFullyAuthenticated':
      return { kind: 'fullyAuthenticated', text };
    case 'isRememberMe':
      return { kind: 'rememberMe', text };
    case 'hasAuthority':
    case 'hasAnyAuthority':
      return { kind: 'authority', authorities: names, text };
    case 'hasRole':
    case 'hasAnyRole':
      return {
        kind: 'authority',
        authorities: names.map((name) => (name.startsWith(ROLE_PREFIX) ? name : ROLE_PREFIX + name)),
        text,
      };
    default:
      return undefined;
  }
}

const isNode = (value: unknown): value is Expression => hasMembers(value) && 'kind' in value;

function readsVariables(node: Expression): boolean {
  const pending: Expression[] = [node];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.kind === 'variable') return true;
    for (const value of Object.values(next)) {
      for (const child of listOf(value)) {
        if (isNode(child)) pending.push(child);
      }
    }
  }
  return false;
}

const GRANTED: Decision = Object.freeze({ granted: true });
const REFUSED: Decision = Object.freeze({ granted: false });

/** Kinds that depend only on the caller. */
export type PlainAccess = Exclude<Access, { readonly kind: 'expression' | 'function' }>;

/** Decides access that depends only on the caller. */
export function decidePlain(access: PlainAccess, { login, principal }: CurrentAuthentication): Decision {
  switch (access.kind) {
    case 'permitAll':
      return GRANTED;
    case 'denyAll':
      return REFUSED;
    case 'anonymous':
      return login === 'anonymous' ? GRANTED : REFUSED;
    case 'authenticated':
      return login === 'anonymous' ? REFUSED : GRANTED;
    case 'fullyAuthenticated':
      return login === 'full' ? GRANTED : REFUSED;
    case 'rememberMe':
      return login === 'remembered' ? GRANTED : REFUSED;
    case 'authority':
      for (const authority of access.authorities) if (principal.authorities.has(authority)) return GRANTED;
      return REFUSED;
  }
}

/** Decides access for one request. Never rejects: an error is a denial with a reason. */
export function decideAccess(access: Access, request: AccessRequest): MaybePromise<Decision> {
  const { authentication } = request;
  switch (access.kind) {
    case 'expression':
      return access.expression.decide({
        principal: authentication.principal,
        login: authentication.login,
        remoteAddress: request.remoteAddress,
        variables: request.variables,
      });
    case 'function':
      return decideFunction(access.decide, request);
    default:
      return decidePlain(access, authentication);
  }
}

async function decideFunction(decide: AccessFunction, request: AccessRequest): Promise<Decision> {
  try {
    // Functions may come from JavaScript: only the value true grants, whatever its declared type.
    const answer: unknown = await decide(request);
    return answer === true ? GRANTED : REFUSED;
  } catch (error) {
    return { granted: false, error };
  }
}
