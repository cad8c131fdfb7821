// Asks Elasticsearch and this engine the same random history of writes and administration, request by request, and names every answer
// that differs; at the end of each history both are asked what has become of all.
import { createRandom, type Random } from '@lockstitch/search/requests';
import { askHttp, lines, type Step, step } from './ask.ts';
import { Comparison, type DifferOptions, type Outcome } from './comparison.ts';
import { CLUSTER_STEPS } from './history-cluster.ts';
import { DOCUMENT_STEPS } from './history-documents.ts';
import { INDEX_STEPS } from './history-indices.ts';
import { FIRST_PIPELINE, PIPELINE_STEPS } from './history-pipelines.ts';
import { HistoryWords, INDICES, type MakeStep } from './history-words.ts';
import { normalizeStep } from './normalize-step.ts';
import { startOurs } from './ours.ts';

/** Requests of one history before it starts again. */
const LENGTH = 40;

/** Removes what one leaves for the next. */
export const CLEAN: readonly Step[] = [
  step('PUT /_cluster/settings', { persistent: { '*': null }, transient: { '*': null } }),
  step('PUT /_all/_settings?expand_wildcards=all', {
    'index.blocks.metadata': null,
    'index.blocks.read_only': null,
    'index.blocks.write': null,
  }),
  step('DELETE /_all?expand_wildcards=all'),
  step('DELETE /_template/*'),
  step('DELETE /_index_template/*'),
  step('DELETE /_component_template/*'),
  step('DELETE /_ingest/pipeline/*'),
];

/** What is asked at the end. */
const STATE: readonly Step[] = [
  step('POST /_all/_open?expand_wildcards=all'),
  step('POST /_refresh'),
  step('GET /_all?expand_wildcards=all'),
  step('GET /_search', {
    size: 500,
    version: true,
    seq_no_primary_term: true,
    // An index without a mapping has not even these.
    sort: [{ _index: { unmapped_type: 'keyword' } }, { _id: { unmapped_type: 'keyword' } }],
  }),
  // Without counts, which there are of nested objects, too: the search above says what documents there are.
  step('GET /_cat/indices?h=health,status,index,pri,rep&s=index&expand_wildcards=all'),
  step('GET /_cat/aliases?s=alias,index'),
  step('GET /_template'),
  step('GET /_index_template'),
  step('GET /_component_template'),
  step('GET /_ingest/pipeline'),
  step('GET /_cluster/settings'),
];

/** Compares, history by history. @param url of the other engine, which loses all it has */
export async function compareHistories(url: string, options: DifferOptions): Promise<Outcome> {
  const theirs = askHttp(url);
  const ours = await startOurs();
  // Requests that `only` leaves out are made, as those after them need them.
  const comparison = new Comparison(theirs, ours.ask, options);
  try {
    for (let at = options.seed; !comparison.isDone; at++) {
      comparison.begin(at);
      for (const each of CLEAN) await theirs(each);
      await ours.restart();
      for (const each of [...randomHistory(createRandom(at)), ...STATE]) {
        const told = await comparison.ask(each, normalizeStep);
        // From here on the two hold different things, and all that follows would differ for this one cause.
        if (comparison.isDone || (told === 'differs' && !/^(?:GET|HEAD) /.test(each.target))) break;
      }
    }
  } finally {
    await ours.close();
  }
  for (const each of CLEAN) await theirs(each);
  return comparison.outcome;
}

const ALL = [...DOCUMENT_STEPS, ...INDEX_STEPS, ...CLUSTER_STEPS, ...PIPELINE_STEPS].flatMap(([weight, make]) =>
  Array.from({ length: weight }, () => make),
);
const ABOUT_PIPELINES = PIPELINE_STEPS.flatMap(([weight, make]) => Array.from({ length: weight }, () => make));
const ABOUT_DOCUMENTS = DOCUMENT_STEPS.flatMap(([weight, make]) => Array.from({ length: weight }, () => make));

/** The requests of one history. */
function randomHistory(random: Random): readonly Step[] {
  const words = new HistoryWords(random);
  const steps: Step[] = [FIRST_PIPELINE];
  const add = (made: Step | readonly Step[]): void => void steps.push(...('target' in made ? [made] : made));
  // Two write indices of one alias are one mistake, answered by 500 there.
  const writeIndexed = new Set<string>();
  for (const index of INDICES.filter(() => !random.once(4))) {
    const alias = words.alias();
    const isWritten = random.once(2) && (!writeIndexed.has(alias) || random.once(10));
    if (isWritten) writeIndexed.add(alias);
    add(
      step(`PUT /${index}`, {
        settings: { number_of_replicas: 0, refresh_interval: '-1' },
        mappings: {
          properties: {
            n: { type: 'long' },
            tag: { type: 'keyword' },
            text: { type: 'text' },
            when: { type: 'date' },
            parts: { type: 'nested', properties: { k: { type: 'keyword' } } },
          },
        },
        ...(random.once(2) ? { aliases: { [alias]: isWritten ? { is_write_index: true } : {} } } : {}),
      }),
    );
    const documents = Array.from({ length: random.int(5) }, () => [{ index: { _id: words.id() } }, words.document()]);
    if (documents.length > 0) add(lines(`POST /${index}/_bulk?refresh=true`, documents.flat()));
  }
  // Some are about documents alone: administration closes, deletes and blocks what they need.
  const makers: readonly MakeStep[] = random.once(3) ? ABOUT_DOCUMENTS : random.once(5) ? ABOUT_PIPELINES : ALL;
  while (steps.length < LENGTH) add(random.pick(makers)(words));
  return steps;
}
