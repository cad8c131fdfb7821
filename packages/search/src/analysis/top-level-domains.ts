// The top-level domains that `uax_url_email` knows: those of IANA's root zone as of Lucene 8.7 (2020), ASCII forms of others among them.
// How an address is found is in `url-email-tokenizer.ts`.
import LINES from './data/top-level-domains.json' with { type: 'json' };

/** The longest name. */
export const LONGEST_DOMAIN = 24;

/** All names, and how much shorter they are than the one they begin, letter by letter: 0, 1 (`car` of `cars`), 2 (`ca`) … */
const domains = new Map<string, number>();
const names = LINES.flatMap((line) => line.split(' '));
const known = new Set(names);
for (const name of names.toSorted((a, b) => b.length - a.length)) {
  if (domains.has(name)) continue;
  domains.set(name, 0);
  for (let shorter = 1; name.length - shorter >= 2; shorter++) {
    const prefix = name.slice(0, -shorter);
    if (!known.has(prefix) || domains.has(prefix)) break;
    domains.set(prefix, shorter);
  }
}

/** How much shorter a domain, in small letters, is than the one it begins; undefined for what is none. */
export function domainRank(name: string): number | undefined {
  return domains.get(name);
}
