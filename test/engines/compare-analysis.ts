// Asks Elasticsearch and this engine to cut the same hard texts with the same random analyzers: by parts given in place, and by settings
// of an index, which both have to take or refuse.
import { createRandom, type Random } from '@lockstitch/search/requests';
import { askHttp, step } from './ask.ts';
import { Comparison, type DifferOptions, type Outcome } from './comparison.ts';
import { normalizeStep } from './normalize-step.ts';
import { startOurs } from './ours.ts';
import { randomAnalysis, randomChain, randomText } from './random-analysis.ts';

const INDEX = 'differ';
/** Chains given in place for one index. */
const IN_PLACE = 16;
const TEXTS = 4;

/** Compares. @param url of the other engine */
export async function compareAnalysis(url: string, options: DifferOptions): Promise<Outcome> {
  const theirs = askHttp(url);
  const ours = await startOurs();
  const comparison = new Comparison(theirs, ours.ask, options);
  try {
    for (let at = options.seed; !comparison.isDone; at++) {
      comparison.begin(at);
      const random = createRandom(at);
      for (let i = 0; i < IN_PLACE; i++)
        await comparison.ask(
          step('POST /_analyze', { ...randomChain(random), text: randomText(random) }),
          normalizeStep,
        );
      await theirs(step(`DELETE /${INDEX}`));
      await ours.restart();
      await compareIndex(random, comparison);
    }
  } finally {
    await ours.close();
  }
  return comparison.outcome;
}

async function compareIndex(random: Random, comparison: Comparison): Promise<void> {
  const { settings: analysis, analyzers, normalizers } = randomAnalysis(random);
  const settings = { number_of_replicas: 0, max_ngram_diff: 5, analysis };
  if ((await comparison.ask(step(`PUT /${INDEX}`, { settings }), normalizeStep)) !== 'equal') return;
  await comparison.ask(step(`GET /${INDEX}/_settings`), normalizeStep);
  for (let i = 0; i < TEXTS; i++) {
    const part = random.once(4) ? { normalizer: random.pick(normalizers) } : { analyzer: random.pick(analyzers) };
    await comparison.ask(step(`POST /${INDEX}/_analyze`, { ...part, text: randomText(random) }), normalizeStep);
  }
}
