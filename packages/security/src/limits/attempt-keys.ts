// Keys under which failed log-ins are counted.
import { userKey } from '../users/user-store.ts';

/** What a counter counts by: account and address together, account, or address. */
export type AttemptKind = 'pair' | 'account' | 'address';

/** Key of a counter. Long names are cut: they would fill the memory, and only share a counter. */
export function attemptKey(kind: AttemptKind, username: string, address: string): string {
  const name = userKey(username.slice(0, 256));
  if (kind === 'account') return `account ${name}`;
  const network = networkOf(address.slice(0, 64));
  return kind === 'address' ? `address ${network}` : `pair ${network} ${name}`;
}

/**
 * The network of an address. A subscriber owns a whole IPv6 /64, so single addresses say nothing. IPv4, also as `::ffff:a.b.c.d`,
 * stays whole.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [head = '', tail] = address.toLowerCase().split('%', 1)[0]!.split('::', 2);
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array.from({ length: zeros }, () => '0'), ...back];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
