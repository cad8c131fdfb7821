// The words and functions of the language: what each takes and gives. How they are computed is in evaluate.ts.
import { wordsOf } from '../words.ts';
import type { ValueType } from './scope.ts';

export interface Signature {
  readonly least: number;
  readonly most: number;
  readonly parameters: readonly ValueType[];
  readonly gives: ValueType;
}

function signature(gives: ValueType, parameters: readonly ValueType[] = [], variadic = false): Signature {
  return { least: parameters.length, most: variadic ? 256 : parameters.length, parameters, gives };
}

/** Functions about the caller, by name. */
export const ROOT_FUNCTIONS: ReadonlyMap<string, Signature> = new Map([
  ['permitAll', signature('boolean')],
  ['denyAll', signature('boolean')],
  ['isAnonymous', signature('boolean')],
  ['isAuthenticated', signature('boolean')],
  ['isFullyAuthenticated', signature('boolean')],
  ['isRememberMe', signature('boolean')],
  ['hasAuthority', signature('boolean', ['string'])],
  ['hasAnyAuthority', signature('boolean', ['string'], true)],
  ['hasRole', signature('boolean', ['string'])],
  ['hasAnyRole', signature('boolean', ['string'], true)],
  ['hasIpAddress', signature('boolean', ['string'])],
]);

/** Words that stand for a function without arguments, as Spring reads its properties. */
export const ROOT_WORDS: ReadonlyMap<string, string> = new Map([
  ['permitAll', 'permitAll'],
  ['denyAll', 'denyAll'],
  ['anonymous', 'isAnonymous'],
  ['authenticated', 'isAuthenticated'],
  ['fullyAuthenticated', 'isFullyAuthenticated'],
  ['rememberMe', 'isRememberMe'],
]);

/** Methods of strings. */
export const STRING_METHODS: ReadonlyMap<string, Signature> = new Map([
  ['length', signature('number')],
  ['isEmpty', signature('boolean')],
  ['startsWith', signature('boolean', ['string'])],
  ['endsWith', signature('boolean', ['string'])],
  ['contains', signature('boolean', ['string'])],
  ['equals', signature('boolean', ['string'])],
  ['equalsIgnoreCase', signature('boolean', ['string'])],
  ['toLowerCase', signature('string')],
  ['toUpperCase', signature('string')],
  ['trim', signature('string')],
  ['toString', signature('string')],
]);

/** Methods of lists, next to `any`, `all` and `none`. */
export const LIST_METHODS: ReadonlyMap<string, Signature> = new Map([
  ['contains', signature('boolean', ['unknown'])],
  ['size', signature('number')],
  ['isEmpty', signature('boolean')],
]);

/** Methods of numbers and booleans. */
export const PLAIN_METHODS: ReadonlyMap<string, Signature> = new Map([['toString', signature('string')]]);

/** Members of `authentication`. */
export const AUTHENTICATION_MEMBERS: ReadonlyMap<string, ValueType> = new Map([
  ['name', 'string'],
  ['authenticated', 'boolean'],
  ['authorities', 'list'],
  ['principal', 'object'],
]);

/** Members of `principal`; every other member is one of its attributes. */
export const PRINCIPAL_MEMBERS: ReadonlyMap<string, ValueType> = new Map([
  ['username', 'string'],
  ['name', 'string'],
  ['enabled', 'boolean'],
  ['accountNonExpired', 'boolean'],
  ['accountNonLocked', 'boolean'],
  ['credentialsNonExpired', 'boolean'],
  ['authorities', 'list'],
]);

/** Names that reach behind a value into the language below; never members, of anything. */
export const FORBIDDEN_MEMBERS: ReadonlySet<string> = new Set(
  wordsOf(`
  class getClass constructor prototype __proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__`),
);
