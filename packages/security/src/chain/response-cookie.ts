// Sets a cookie on the response exactly once, even if several steps or chains of the request set it.
import type { SecurityExchange } from './exchange.ts';

/** Adds a `Set-Cookie` line, and removes an earlier one of the same name. */
export function replaceCookie({ response }: SecurityExchange, name: string, line: string): void {
  const set = response.getHeader('Set-Cookie');
  if (set !== undefined) {
    const lines = typeof set === 'object' ? set : [String(set)];
    const others = lines.filter((other) => !other.startsWith(`${name}=`));
    response.removeHeader('Set-Cookie');
    for (const other of others) response.appendHeader('Set-Cookie', other);
  }
  response.appendHeader('Set-Cookie', line);
}
