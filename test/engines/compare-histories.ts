// Asks Elasticsearch and this engine the same random history of writes and administration, request by request, and names every answer
// that differs; at the end of each history both are asked what has become of all.
import { request as requestOver } from 'node:http';
import { createEngine, createRestApi } from '@lockstitch/search';
import { createRandom, type Random } from '@lockstitch/search/requests';
import { KNOWN_DIFFERENCES } from '../../packages/search/test/compatibility/known-differences.ts';
import type { Answer, Difference, DifferOptions, Outcome } from './differ.ts';
import { CLUSTER_STEPS } from './history-cluster.ts';
import { DOCUMENT_STEPS } from './history-documents.ts';
import { INDEX_STEPS } from './history-indices.ts';
import { HistoryWords, INDICES, lines, type MakeStep, type Step, step } from './history-words.ts';
import { normalizeStep } from './normalize-step.ts';

/** Requests of one history before it starts anew. */
const LENGTH = 40;

/** What of one is left for the next. */
const CLEAN: readonly Step[] = [
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
];

/** What is asked at the end. */
const STATE: readonly Step[] = [
  step('POST /_all/_open?expand_wildcards=all'),
  step('POST /_refresh'),
  step('GET /_all?expand_wildcards=all'),
  step('GET /_search?size=500&version=true&seq_no_primary_term=true&sort=_index,_id'),
  step('GET /_cat/indices?h=health,status,index,pri,rep,docs.count&s=index&expand_wildcards=all'),
  step('GET /_cat/aliases?s=alias,index'),
  step('GET /_template'),
  step('GET /_index_template'),
  step('GET /_component_template'),
  step('GET /_cluster/settings'),
];

type AskStep = (step: Step) => Promise<Answer>;

/** Compares, history by history. @param url of the other engine, which loses all it has */
export async function compareHistories(
  url: string,
  { cases, seed, only, onProgress }: DifferOptions,
): Promise<Outcome> {
  const differences: Difference[] = [];
  const theirs = askHttp(url);
  let asked = 0;
  let known = 0;
  for (let at = seed; asked < cases; at++) {
    for (const each of CLEAN) await theirs(each);
    const engine = await createEngine();
    const rest = createRestApi(engine);
    const ours = askApi(rest);
    try {
      const steps = [...randomHistory(createRandom(at)), ...STATE];
      for (const each of steps) {
        const [a, b] = await Promise.all([theirs(each), ours(each)]);
        const text = `${each.target} ${each.body ?? ''}`;
        if (asked >= cases) break;
        const differs = normalizeStep(a, each.target) !== normalizeStep(b, each.target);
        if (only?.test(text) === false && !differs) continue;
        asked += 1;
        if (differs) {
          const difference = { seed: at, request: text, theirs: a, ours: b };
          if (KNOWN_DIFFERENCES.some(({ covers }) => covers(difference))) known += 1;
          else differences.push(difference);
        }
        onProgress?.(asked, differences.length);
        // From here on the two hold different things, and all that follows would differ for this one cause.
        if (differs && !/^(?:GET|HEAD) /.test(each.target)) break;
      }
    } finally {
      rest.close();
      await engine.close();
    }
  }
  for (const each of CLEAN) await theirs(each);
  return { asked, differences, known };
}

const ALL = [...DOCUMENT_STEPS, ...INDEX_STEPS, ...CLUSTER_STEPS].flatMap(([weight, make]) =>
  Array.from({ length: weight }, () => make),
);
const ABOUT_DOCUMENTS = DOCUMENT_STEPS.flatMap(([weight, make]) => Array.from({ length: weight }, () => make));

/** The requests of one history. */
function randomHistory(random: Random): readonly Step[] {
  const words = new HistoryWords(random);
  const steps: Step[] = [];
  const add = (made: Step | readonly Step[]): void => void steps.push(...('target' in made ? [made] : made));
  for (const index of INDICES.filter(() => !random.once(4))) {
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
        ...(random.once(2) ? { aliases: { [words.alias()]: random.once(2) ? {} : { is_write_index: true } } } : {}),
      }),
    );
    const documents = Array.from({ length: random.int(5) }, () => [{ index: { _id: words.id() } }, words.document()]);
    if (documents.length > 0) add(lines(`POST /${index}/_bulk?refresh=true`, documents.flat()));
  }
  // Some are about documents alone: administration closes, deletes and blocks what they need.
  const makers: readonly MakeStep[] = random.once(3) ? ABOUT_DOCUMENTS : ALL;
  while (steps.length < LENGTH) add(random.pick(makers)(words));
  return steps;
}

/** Over a socket, with whatever method and body. */
function askHttp(url: string): AskStep {
  return ({ target, body, type }) =>
    new Promise((resolve, reject) => {
      const [method, path] = target.split(' ', 2) as [string, string];
      const headers = {
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      };
      const sent = requestOver(`${url}${path}`, { method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const allow = response.headers.allow;
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, body: allow === undefined ? text : `${text} allow: ${allow}` });
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
}

function askApi(rest: ReturnType<typeof createRestApi>): AskStep {
  return async ({ target, body, type }) => {
    const [method, path] = target.split(' ', 2) as [string, string];
    const url = new URL(`http://localhost${path}`);
    const answer = await rest.handle({
      method,
      path: url.pathname,
      query: url.searchParams,
      headers: type === undefined ? {} : { 'content-type': type },
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
    });
    const text = answer.bytes === undefined ? answer.body : Buffer.from(answer.bytes).toString();
    const allow = answer.headers['Allow'];
    return { status: answer.status, body: allow === undefined ? text : `${text} allow: ${allow}` };
  };
}
