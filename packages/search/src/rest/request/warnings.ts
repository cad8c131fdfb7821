// What an answer warns of, in the header that clients of Elasticsearch log: what a request uses and a later version will not have.
import { BUILD_HASH } from '../cluster/identity.ts';
import type { Endpoint, Warns } from './endpoint.ts';
import { type Call, param } from './request.ts';

/** Characters of one header at most: clients refuse an answer whose headers are longer than 8 to 16 KB. */
const LONGEST = 6000;

/** The header of all warnings of one answer: `299 Elasticsearch-7.10.2-<build> "text"`, separated by commas. */
export function warningHeader(texts: ReadonlySet<string>, version: string): { readonly Warning?: string } {
  let header = '';
  for (const text of texts) {
    const warning = `299 Elasticsearch-${version}-${BUILD_HASH} "${quoted(text)}"`;
    if (header.length + warning.length > LONGEST) continue;
    header += header === '' ? warning : `, ${warning}`;
  }
  return header === '' ? {} : { Warning: header };
}

/** Escapes a text for a quoted string in a header. */
function quoted(text: string): string {
  return text
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .toWellFormed()
    .replaceAll(/[^ -$&-~]/gu, encodeURIComponent);
}

/** Warns of the name of a type in a request. `_doc` in the path of a document is none. */
export function warnOfTypes(call: Call, path: string, { warns = {} }: Endpoint): void {
  const { type } = call.path;
  if (warns.always !== undefined) call.warn(warns.always);
  if (warns.type !== undefined && type !== undefined && !(type === '_doc' && PLAIN.includes(path)))
    call.warn(warns.type);
  if (warns.typeName === undefined) return;
  const withType = param(call, 'include_type_name');
  // A type that must not be there is refused first.
  if (withType === '' || withType === 'true' || (withType === 'false' && type === undefined)) call.warn(warns.typeName);
}

/** For an endpoint whose paths may name a type. @param requests what its requests are called @param instead what to use */
export function warnsOfTypes(requests: string, instead = ''): { readonly warns: { readonly type: string } } {
  return { warns: { type: `[types removal] Specifying types in ${requests} is deprecated${instead}.` } };
}

/** The same, for one whose body is read before its path is looked at. */
export function warnsOfTypesOnceParsed(requests: string): { readonly warns: Warns & { readonly type: string } } {
  return { warns: { ...warnsOfTypes(requests).warns, isParsedFirst: true } };
}

/** For an endpoint that takes `include_type_name`. @param verb as Elasticsearch has it */
export function warnsOfTypeNames(requests: string, verb = 'Using include_type_name'): Warned {
  return {
    warns: {
      typeName: `[types removal] ${verb} in ${requests} requests is deprecated. The parameter will be removed in the next major version.`,
    },
  };
}

interface Warned {
  readonly warns: Warns;
}

/** Paths whose type may be `_doc`, which is the word for no type there. */
const PLAIN = ['/{index}/{type}', '/{index}/{type}/{id}', '/{index}/{type}/{id}/_create'];
