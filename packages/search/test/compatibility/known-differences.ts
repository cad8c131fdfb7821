// What this engine answers otherwise than Elasticsearch 7.10.2 on purpose, each with its reason: rows of docs/compatibility.md, and
// predicates by which the comparison of random requests (test/engines) knows them. What is not listed here is a fault.

/** One request and what both engines answered. */
export interface Compared {
  /** Method and path, then a body. */
  readonly request: string;
  readonly theirs: { readonly status: number; readonly body: string };
  readonly ours: { readonly status: number; readonly body: string };
}

export interface KnownDifference {
  /** What differs, for people who know Elasticsearch. */
  readonly what: string;
  readonly reason: string;
  /** Whether it explains that answers differ. As narrow as can be: it must not hide another fault. */
  readonly covers: (compared: Compared) => boolean;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    what: 'A request that cannot be answered because of what it asks is answered with status 400, also where Elasticsearch says 500 or 503.',
    reason:
      'Clients retry, and operators are woken by, answers of 500 and more; a mistake in a request is neither. Type and causes of the error are the same.',
    covers: ({ theirs, ours }) =>
      theirs.status >= 500 && ours.status === 400 && typesOf(theirs.body) === typesOf(ours.body),
  },
  {
    what: 'An action of a bulk request that there is not, and a member of an alias that there is not, are refused.',
    reason:
      'Elasticsearch drops such an action with its document, and such a member, without a word: a misspelt `filter` would open the whole index.',
    covers: ({ request, theirs, ours }) =>
      ours.status === 400 &&
      ((/^(?:PUT|POST) \/(?:[^ ]*\/)?_(?:alias|\w*template)\//.test(request) &&
        theirs.status === 200 &&
        ours.body.includes('"[alias] unknown field [')) ||
        (request.includes('/_bulk') &&
          theirs.body.includes('no requests added') &&
          ours.body.includes('expected field [create], [delete], [index] or [update] but found'))),
  },
  {
    what: 'Counts of documents in `_cat/indices`, `_cat/shards`, `_cat/segments`, `_stats` and `_cluster/stats` are counts of documents.',
    reason: 'Elasticsearch counts the nested objects of a document, too, which Lucene keeps as documents of their own.',
    covers: ({ request, theirs, ours }) =>
      /^GET \/(?:_cat\/(?:indices|shards|segments)|(?:[^ ]*\/)?_stats|_cluster\/stats)/.test(request) &&
      theirs.status === 200 &&
      ours.status === 200 &&
      withoutCounts(theirs.body) === withoutCounts(ours.body),
  },
  {
    what: 'An index without a mapping can be sorted by `_id` and `_index`, and divided into slices.',
    reason: 'Elasticsearch knows no fields of it, not even these, and loses its shard; there is nothing in it to sort.',
    covers: ({ theirs, ours }) =>
      /No mapping found for \[_i|field _id not found/.test(theirs.body) &&
      !ours.body.includes('No mapping found for [_i'),
  },
  {
    what: 'A body of `_update_by_query` and `_delete_by_query` that is no object is refused.',
    reason: 'Elasticsearch takes it for no query, and changes every document.',
    covers: ({ request, ours }) =>
      /_(?:update|delete)_by_query[^\n]*\n\s*[^{\s]/.test(request) &&
      ours.status === 400 &&
      /malformed: an object is expected|json_(?:parse|e_o_f)_exception/.test(ours.body),
  },
  {
    what: 'What would make a snapshot repository or a script is refused by name; so is a stored template without a text, and a template that makes no JSON.',
    reason:
      'There are none of these here; what reads them answers that none is there. Elasticsearch prints what a template makes as it is.',
    covers: ({ request, ours }) =>
      /^\w+ \/(?:_snapshot|_scripts?|_render)/.test(request) &&
      ours.status === 400 &&
      /is not supported|must specify source for stored script|unexpected field \[\], expected \[script\]|json_/.test(
        ours.body,
      ),
  },
  {
    what: 'Conditions of processors (`if`), sections in their templates (`{{#a}}`) and the processors `grok`, `script` and `user_agent` are refused by name.',
    reason:
      'Conditions and scripts are written in Painless, which this engine does not run; the others need tables of patterns that are not here.',
    covers: ({ request, ours }) =>
      /^\w+ \/_ingest\/pipeline/.test(request) &&
      ours.status === 400 &&
      /the processor \[\w+\] of pipelines is not supported|\[if\] of a processor is not supported|in a template of a pipeline is not supported/.test(
        ours.body,
      ),
  },
  {
    what: 'A document that a pipeline refuses has the status 400 among the items of a bulk request, and among the failures of a copy, where Elasticsearch says 500.',
    reason: 'Clients write again what failed with 500; the document would fail again.',
    covers: ({ request, theirs, ours }) =>
      /\/_bulk|_reindex|_update_by_query/.test(request) &&
      /"status":500/.test(theirs.body) &&
      withoutTimes(theirs.body.replaceAll('"status":500', '"status":400')) === withoutTimes(ours.body),
  },
  {
    what: 'A member of a document that is named like metadata (`_routing`, `_version`, `_if_seq_no`), or that `json`, `kv` and `dissect` find in its content, sets none where the document passes pipelines.',
    reason:
      'Requests and pipelines say where a document goes and what it replaces: a caller who may only fill a field could write elsewhere.',
    covers: ({ request, theirs, ours }) =>
      /^POST \/_ingest\/pipeline[^\n]*_simulate[^\n]*\n.*"_source":\{[^}]*"_(?:routing|version|if_seq_no)":/.test(
        request,
      ) &&
      theirs.status === 200 &&
      ours.status === 200 &&
      withoutMetadata(theirs.body) === withoutMetadata(ours.body),
  },
  {
    what: '`_explain` looks up the terms of a `terms` query in the document that it names.',
    reason:
      'Elasticsearch fails there (`async actions are left after rewrite`), and looks them up where the query is searched.',
    covers: ({ request, theirs }) =>
      /\/_explain/.test(request) && theirs.body.includes('async actions are left after rewrite'),
  },
  {
    what: 'A value that makes a parser of Elasticsearch fail in Java (a null pointer, a failed cast) is refused by name.',
    reason: 'The type and status are the same; the reason there names classes of Java, and here what is wrong.',
    covers: ({ theirs, ours }) =>
      theirs.status === ours.status &&
      (theirs.status === 400 || (theirs.body.includes('"valid":false') && ours.body.includes('"valid":false'))) &&
      /Cannot invoke \\"|cannot be cast to class/.test(theirs.body),
  },
  {
    what: 'What makes Elasticsearch fail with 500 and an error of Java (a null pointer, a failed cast, an index out of bounds) is answered here, or refused with 400.',
    reason:
      'There is no answer of Elasticsearch to give: suggestions asked for in the URL, `null` in `search_after` for a number, a `missing` of a `diversified_sampler`, a `wrapper` among the documents that significance is measured against.',
    covers: ({ request, theirs, ours }) =>
      theirs.status === 500 &&
      (ours.status === 400 || (ours.status === 200 && ANSWERED_HERE.test(request))) &&
      /"root_cause":\[\{"type":"(?:null_pointer|class_cast|array_index_out_of_bounds|unsupported_operation)_exception","reason":(?:null|"(?:Cannot invoke \\"|class org|Index \d|Input string is null|query must be rewritten first))/.test(
        theirs.body,
      ),
  },
  {
    what: 'A key of a sort takes a `format`, which 7.13 brought.',
    reason:
      'Pages that go on by `search_after` need values that can be read back, which clients of later versions ask for.',
    covers: ({ theirs }) => theirs.status === 400 && theirs.body.includes('[field_sort] unknown field [format]'),
  },
  {
    what: 'Scripts that compute values of documents, in queries, aggregations, `significant_terms` and sorts, are refused by name.',
    reason: 'Painless is a language of its own, which this engine does not run.',
    covers: ({ request, ours }) =>
      (/_validate\/query[^]*"script(?:_score)?":/.test(request) && ours.body === '{"valid":false}') ||
      ((ours.status === 400 || ours.body.includes('"valid":false')) &&
        /function \[script_score\] is not supported|query \[script(?:_score)?\] is not supported|\[script\] in the filter of intervals is not supported|\[minimum_should_match_script\] is not supported|\[script\] in aggregations is not supported|\[script_heuristic\] in significant_\w+ is not supported|sort by \[_script\] is not supported/.test(
          ours.body,
        )),
  },
  {
    what: 'Scripts of updates and `_update_by_query`, and orders of `_update_by_query`, `_delete_by_query` and `_reindex`, are refused by name; so is `_source` of `_update_by_query`.',
    reason:
      'Painless is a language of its own; documents are changed and copied whole, in the order in which they lie.',
    covers: ({ request, ours }) =>
      /_(?:update|delete)_by_query|_reindex|_update|_bulk/.test(request) &&
      ours.status === 400 &&
      /\[(?:script|sort)\] in (?:an update|a delete by query|a reindex|the source of a reindex)(?: by query)? is not supported|\[_source\w*\] in an update by query is not supported|Unknown key for a START_OBJECT in \[script\]/.test(
        ours.body,
      ),
  },
  {
    what: 'Sums inside of `auto_date_histogram`, and scores by `mutual_information`, may differ in their last digits.',
    reason:
      'Elasticsearch adds up the sums of shorter intervals, and here documents are added one by one; logarithms of Java are not to the bit those of this platform.',
    covers: ({ request, theirs, ours }) =>
      /"(?:auto_date_histogram|mutual_information)":/.test(request) &&
      theirs.status === 200 &&
      ours.status === 200 &&
      shortened(theirs.body) === shortened(ours.body),
  },
  {
    what: 'Parameters of a field that would change answers and are not offered are refused by name.',
    reason: 'docs/compatibility.md lists them: taken and ignored, they would make answers silently wrong.',
    covers: ({ request, ours }) =>
      /^PUT \/[^/ ]+(?:\/_mapping)?\s/.test(request) &&
      ours.status === 400 &&
      /(?:fielddata_frequency_filter|similarity|preserve_separators|preserve_position_increments|index_options|boost)\](?: \[\w+\])? of field \[\w+\] is not supported/.test(
        ours.body,
      ),
  },
  {
    what: 'An option of a tokenizer, a filter or an analyzer that there is not, and a list of stop words that there is not, are refused.',
    reason: 'Elasticsearch ignores them without a word: a misspelt option changes nothing, and nobody is told.',
    covers: ({ request, ours }) =>
      /_analyze|"analysis"/.test(request) &&
      ours.status === 400 &&
      /\] of the (?:tokenizer|filter|char_filter|analyzer|normalizer) \[[^\]]*\] is not supported|Unknown stop word list|\[ignored_scripts\] of cjk_bigram can hold|"(?:filter|tokenizer) \[\w+\] is not supported/.test(
        ours.body,
      ),
  },
  {
    what: 'A filter that looks at the version of its index works in `_analyze` without an index.',
    reason: 'Elasticsearch 7.10 answers 500 there: a slip, which later versions do not have.',
    covers: ({ request, theirs }) =>
      request.startsWith('POST /_analyze') &&
      theirs.status === 500 &&
      theirs.body.includes('[index.version.created] is not present in the index settings'),
  },
  {
    what: '`docvalue_fields` of ranges, and sorts by them, are refused.',
    reason: 'Elasticsearch shows the bytes in which Lucene keeps a range, or answers 500 where they are no text.',
    covers: ({ request, ours }) =>
      /"docvalue_fields":|[?&]docvalue_fields=|"sort":|[?&]sort=/.test(request) &&
      ours.status === 400 &&
      /"reason":"Can't load fielddata on \[[^\]]*\] because fielddata is unsupported on fields of type \[\w+_range\]/.test(
        ours.body,
      ),
  },
  {
    what: 'A null, and an object, of a field with `copy_to` are copied nowhere.',
    reason: 'Elasticsearch refuses the whole document where the target is no field yet, and takes it where it is one.',
    covers: ({ theirs }) =>
      theirs.status === 400 &&
      /Can't handle serializing a dynamic type with content token \[(?:VALUE_NULL|END_OBJECT|END_ARRAY)\]/.test(
        theirs.body,
      ),
  },
  {
    what: '`_nodes` and `_nodes/stats` leave out the settings of the host, counters of disks, and the types of aggregations; metrics that nothing counts here (breakers, connections, bytes that are being written, documents in pipelines) are refused by name.',
    reason: 'A number that is made up would be watched, and the settings of the host are not for callers.',
    covers: ({ request, theirs, ours }) =>
      request.startsWith('GET /_nodes') &&
      theirs.status === 200 &&
      (ours.status === 400
        ? /metric \[\w+\] of nodes is not supported/.test(ours.body)
        : [theirs, ours].every(({ status, body }) => status === 200 && body.startsWith('{')) &&
          hasMembers(JSON.parse(theirs.body), JSON.parse(ours.body))),
  },
];

/** Requests for which Elasticsearch has an error of Java, and this engine an answer. */
const ANSWERED_HERE =
  /[?&]suggest_text=|"diversified_sampler":\{[^{}]*"missing":|"background_filter":\{.*"wrapper":|"search_after":\[[^\]]*\bnull\b/;

/** Whether one answer has every member of another one, but for names of nodes. */
function hasMembers(theirs: unknown, ours: unknown): boolean {
  if (typeof ours !== 'object' || ours === null) return typeof theirs === typeof ours;
  if (typeof theirs !== 'object' || theirs === null) return false;
  if (Array.isArray(ours)) return Array.isArray(theirs);
  const members = theirs as Readonly<Record<string, unknown>>;
  return Object.entries(ours).every(([name, value]) =>
    name === 'lockstitch'
      ? Object.values(members).some((each) => hasMembers(each, value))
      : name in members && hasMembers(members[name], value),
  );
}

/** An answer whose numbers have 13 digits at most, without the time that it took. */
function shortened(body: string): string {
  return JSON.stringify(inOrder(JSON.parse(body)), (key, value: unknown) =>
    key === 'took' ? undefined : typeof value === 'number' ? Number(value.toPrecision(13)) : value,
  );
}

/** The same with the members of objects in the order of their names. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, inOrder(inner)]),
  );
}

/** An answer without the times that it took, and in one order. */
function withoutTimes(body: string): string {
  return JSON.stringify(inOrder(JSON.parse(body)), (key, value: unknown) => (key.endsWith('took') ? undefined : value));
}

/** An answer about documents without what it says beside their sources. */
function withoutMetadata(body: string): string {
  return JSON.stringify(inOrder(JSON.parse(body)), (key, value: unknown) =>
    /^(?:_routing|_version|_if_seq_no|timestamp)$/.test(key) ? undefined : value,
  );
}

/** An answer without its counts of documents and the padding of their column. */
function withoutCounts(body: string): string {
  const shown = body.replaceAll(/"(?:docs|docs\.count|dc|docsCount)":"\d+"|"docs":\{"count":\d+|\b\d+\b| +/g, '');
  // Indices and their shards stand in whatever order.
  return shown
    .split(/(?<=[}\n])/)
    .toSorted()
    .join('');
}

/** The types in an error. */
function typesOf(body: string): string {
  // As YAML.
  if (body.startsWith('---')) return Array.from(body.matchAll(/ type: "([^"]*)"/g), ([, type]) => type).join(' ');
  const { error } = JSON.parse(body) as {
    readonly error?: { readonly type: string; readonly root_cause: readonly { readonly type: string }[] };
  };
  // No answer at all.
  if (error === undefined) return body;
  return [error.type, ...error.root_cause.map(({ type }) => type)].join(' ');
}
