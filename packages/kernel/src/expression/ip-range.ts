// Whether an address lies in a range such as 10.0.0.0/8 or 2001:db8::/32. Own code because the kernel does no I/O and
// imports nothing; IPv4 in IPv6 form (::ffff:10.1.2.3, RFC 4291 §2.5.5.2) counts as the IPv4 address it carries.

/** Tells whether a text is an address or an address with a prefix length. */
export function isIpRange(text: string): boolean {
  return parseRange(text) !== undefined;
}

/** Tells whether `address` lies in `range`. False when either cannot be read, or one is IPv4 and the other IPv6. */
export function isInIpRange(address: string, range: string): boolean {
  const wanted = parseRange(range);
  const bytes = parseAddress(address);
  if (wanted === undefined || bytes === undefined || bytes.length !== wanted.bytes.length) return false;
  for (let bit = 0; bit < wanted.prefix; bit += 8) {
    const index = bit >> 3;
    const mask = wanted.prefix - bit >= 8 ? 0xff : (0xff << (8 - (wanted.prefix - bit))) & 0xff;
    if ((bytes[index]! & mask) !== (wanted.bytes[index]! & mask)) return false;
  }
  return true;
}

function parseRange(text: string): { readonly bytes: readonly number[]; readonly prefix: number } | undefined {
  const slash = text.indexOf('/');
  const bytes = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (bytes === undefined) return undefined;
  if (slash < 0) return { bytes, prefix: bytes.length * 8 };
  const prefix = text.slice(slash + 1);
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bytes.length * 8) return undefined;
  return { bytes, prefix: Number(prefix) };
}

function parseAddress(text: string): readonly number[] | undefined {
  if (!text.includes(':')) return parseIpv4(text);
  const zone = text.indexOf('%');
  const bytes = parseIpv6(zone < 0 ? text : text.slice(0, zone));
  const mapped = bytes?.slice(0, 10).every((byte) => byte === 0) === true && bytes[10] === 0xff && bytes[11] === 0xff;
  return mapped ? bytes?.slice(12) : bytes;
}

function parseIpv4(text: string): readonly number[] | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const bytes = match.slice(1).map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function parseIpv6(text: string): readonly number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0]!);
  const tail = halves.length === 2 ? parseGroups(halves[1]!) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

function parseGroups(text: string): readonly number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    if (group.includes('.')) {
      const tail = index === groups.length - 1 ? parseIpv4(group) : undefined;
      if (tail === undefined) return undefined;
      bytes.push(...tail);
    } else {
      if (!/^[0-9a-f]{1,4}$/i.test(group)) return undefined;
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    }
  }
  return bytes;
}
