// IP addresses as terms: 32 hexadecimal digits of the IPv6 form, so that the order of terms is the order of addresses,
// IPv4 and IPv6 mixed. Also networks in CIDR notation.
import { isIPv4, isIPv6 } from 'node:net';

/** The term of an address, or undefined when the text is none. */
export function ipToTerm(text: string): string | undefined {
  if (isIPv4(text)) return `00000000000000000000ffff${hexOf(text)}`;
  if (!isIPv6(text)) return undefined;
  let address = text.replace(/%.*$/, '');
  const dotted = /(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  if (dotted !== null) {
    const hex = hexOf(dotted[1]!);
    address = `${address.slice(0, dotted.index)}${hex.slice(0, 4)}:${hex.slice(4)}`;
  }
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...middle, ...right].map((group) => group.padStart(4, '0').toLowerCase()).join('');
}

function hexOf(dotted: string): string {
  return dotted
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('');
}

/** The usual spelling of a term's address. */
export function termToIp(term: string): string {
  if (term.startsWith('00000000000000000000ffff'))
    return (term.slice(24).match(/../g) ?? []).map((part) => Number.parseInt(part, 16)).join('.');
  const groups = (term.match(/.{4}/g) ?? []).map((group) => group.replace(/^0{1,3}/, ''));
  // RFC 5952 §4.2: the longest run of two or more zero groups becomes `::`.
  let best = 0;
  let bestAt = -1;
  for (let at = 0; at < 8; at++) {
    let size = 0;
    while (groups[at + size] === '0') size++;
    if (size > best && size > 1) {
      best = size;
      bestAt = at;
    }
  }
  if (bestAt < 0) return groups.join(':');
  return `${groups.slice(0, bestAt).join(':')}::${groups.slice(bestAt + best).join(':')}`;
}

/** First and last term of a network such as `10.0.0.0/8`, or undefined when the text is none. */
export function networkToTerms(text: string): readonly [string, string] | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const term = ipToTerm(text.slice(0, slash));
  const bits = Number(text.slice(slash + 1));
  if (term === undefined || !Number.isInteger(bits)) return undefined;
  const prefix = isIPv4(text.slice(0, slash)) ? bits + 96 : bits;
  if (bits < 0 || prefix > 128) return undefined;
  const value = BigInt(`0x${term}`);
  const rest = (1n << BigInt(128 - prefix)) - 1n;
  const print = (address: bigint): string => address.toString(16).padStart(32, '0');
  return [print(value & ~rest), print(value | rest)];
}
