// The start banner on standard output: address, user, data and search status.
import { formatCount, formatSeconds } from './progress.ts';

export interface BannerFacts {
  readonly version: string;
  /** Name of the application's folder. */
  readonly name: string;
  readonly url: string;
  readonly hasConsole: boolean;
  /** The generated user; undefined if users are configured. */
  readonly generated: { readonly name: string; readonly password: string; readonly random: boolean } | undefined;
  /** Undefined if the accounts are in the database. */
  readonly users: number | undefined;
  readonly store: string;
  readonly indexes: readonly { readonly name: string; readonly documents: number; readonly state: string }[];
  readonly lag: number;
  /** Milliseconds since the process started. */
  readonly took: number;
}

/** Prints the banner as a tree. */
export function printBanner(facts: BannerFacts, colour: boolean): string {
  const bold = (text: string): string => (colour ? `\u001B[1m${text}\u001B[22m` : text);
  const dim = (text: string): string => (colour ? `\u001B[2m${text}\u001B[22m` : text);
  const rows: (readonly [string, string])[] = [
    ['Graph', `${facts.url}/graphql`],
    ['Search', `${facts.url}/_search`],
    ...(facts.hasConsole ? [['Console', `${facts.url}/_console/`] as const] : []),
    ['User', printUser(facts, bold, dim)],
    ['Store', facts.store],
    ['Index', printIndex(facts)],
  ];
  const lines = rows.map(([label, value], index) => {
    const branch = index === rows.length - 1 ? '└─' : '├─';
    return ` ${dim(branch)} ${label.padEnd(8)} ${value}`;
  });
  const title = ` ${bold('Lockstitch')} ${facts.version} serves ${bold(facts.name)}, ready in ${formatTook(facts.took)}`;
  return `\n${title}\n${lines.join('\n')}\n\n`;
}

function printUser(
  { generated, users }: BannerFacts,
  bold: (text: string) => string,
  dim: (text: string) => string,
): string {
  if (generated === undefined) {
    if (users === undefined) return `in the database ${dim('(lockstitch user add, list, lock …)')}`;
    return `${users === 1 ? '1 user' : `${users} users`} from the configuration`;
  }
  const { name, password, random } = generated;
  // A password that the operator chose is secret; only a generated one has to be shown.
  if (!random) return `${bold(name)}, password from LOCKSTITCH_USER_PASSWORD`;
  return `${bold(name)}, password ${bold(password)} ${dim('(new at each start; LOCKSTITCH_USER_PASSWORD sets it)')}`;
}

function printIndex({ indexes, lag }: BannerFacts): string {
  if (indexes.length === 0) return 'nothing in the schema is marked @search';
  const counts = indexes.map(({ name, documents }) => `${name} ${formatCount(documents)}`);
  const rebuilding = indexes.filter(({ state }) => state === 'stale' || state === 'rebuilding').map(({ name }) => name);
  const behind = lag === 0 ? 'in step with the data' : `${formatCount(lag)} changes behind`;
  return `${counts.join(' · ')} documents, ${behind}${rebuilding.length === 0 ? '' : `; rebuilding: ${rebuilding.join(', ')}`}`;
}

function formatTook(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : formatSeconds(milliseconds / 1000);
}
