// Whole texts as they were probably meant: against every way to replace words, scored by the formulas of the smoothing models.
import { deepEqual, equal, match, notDeepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Ask, load, startRest } from '../rest/harness.ts';

const SETTINGS = {
  analysis: {
    filter: {
      rows: { type: 'shingle', min_shingle_size: 2, max_shingle_size: 3 },
      pairs_only: { type: 'shingle', output_unigrams: false },
      same: { type: 'synonym', synonyms: ['autumn, fall'] },
      reverse: { type: 'reverse' },
    },
    analyzer: {
      rows: { tokenizer: 'standard', filter: ['lowercase', 'rows'] },
      pairs_only: { tokenizer: 'standard', filter: ['lowercase', 'pairs_only'] },
      same: { tokenizer: 'standard', filter: ['lowercase', 'same'] },
      backwards: { tokenizer: 'standard', filter: ['lowercase', 'reverse'] },
    },
  },
};

const MAPPINGS = {
  properties: {
    text: {
      type: 'text',
      fields: {
        rows: { type: 'text', analyzer: 'rows' },
        pairs: { type: 'text', analyzer: 'pairs_only' },
        same: { type: 'text', analyzer: 'same' },
        backwards: { type: 'text', analyzer: 'backwards' },
      },
    },
    n: { type: 'integer' },
    parts: { type: 'nested', properties: { note: { type: 'text' } } },
  },
};

async function start(texts: readonly string[], indices: readonly string[] = ['t']): Promise<Ask> {
  const ask = await startRest();
  for (const index of indices) {
    const made = await ask(`PUT /${index}`, { settings: SETTINGS, mappings: MAPPINGS });
    equal(made.status, 200, made.text);
    await load(
      ask,
      index,
      texts.map((text) => ({ text })),
    );
  }
  return ask;
}

interface Option {
  readonly text: string;
  readonly score: number;
  readonly highlighted?: string;
}

async function suggest(ask: Ask, text: string, phrase: object, path = '/t/_search'): Promise<readonly Option[]> {
  const reply = await ask(`POST ${path}`, { size: 0, suggest: { text, s: { phrase } } });
  equal(reply.status, 200, reply.text);
  equal(reply.json.suggest.s[0].text, text);
  return reply.json.suggest.s[0].options;
}

const CAPTAIN = ['captain america', 'american ace', 'captain marvel', 'captain america comes', 'xorr the god jewel'];
const always = (field: string) => ({ field, suggest_mode: 'always', min_word_length: 1 });

test('a text is proposed as words that are near and stand beside each other', async () => {
  const ask = await start(CAPTAIN);
  const found = await suggest(ask, 'captian amerika', {
    field: 'text.rows',
    max_errors: 2,
    direct_generator: [always('text')],
    highlight: { pre_tag: '<b>', post_tag: '</b>' },
  });
  equal(found[0]!.text, 'captain america');
  equal(found[0]!.highlighted, '<b>captain america</b>');
  const [one] = await suggest(ask, 'captain amerika', {
    field: 'text.rows',
    direct_generator: [always('text')],
    highlight: { pre_tag: '<b>', post_tag: '</b>' },
  });
  equal(one!.highlighted, 'captain <b>america</b>');
});

/** The words of a text, and its rows of two and three. */
function rowsOf(text: string): string[] {
  const words = text.split(' ');
  return words.flatMap((_, at) =>
    [1, 2, 3].filter((size) => at + size <= words.length).map((size) => words.slice(at, at + size).join(' ')),
  );
}

/** Edits between words, swaps of neighbours included. */
function edits(a: string, b: string): number {
  const table: number[][] = [];
  for (let i = 0; i <= a.length; i++) {
    table.push([]);
    for (let j = 0; j <= b.length; j++) {
      if (i === 0 || j === 0) {
        table[i]!.push(i + j);
        continue;
      }
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      table[i]!.push(
        Math.min(
          table[i - 1]![j]! + 1,
          table[i]![j - 1]! + 1,
          table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
          swapped ? table[i - 2]![j - 2]! + 1 : Infinity,
        ),
      );
    }
  }
  return table[a.length]![b.length]!;
}

const { fround } = Math;
type Model = (
  count: (...words: string[]) => number,
  all: number,
  distinct: number,
) => (row: readonly string[]) => number;

/** The models by their formulas, of rows of up to three words, the last of which is asked for. */
const MODELS: Readonly<Record<string, { readonly json: object; readonly of: Model }>> = {
  stupid_backoff: {
    json: { stupid_backoff: { discount: 0.4 } },
    of: (count, all, distinct) => (row) => {
      const [word = '', before, third] = row.toReversed();
      const one = (1 + count(word)) / (all + distinct);
      if (before === undefined) return one;
      const two = count(before, word);
      if (two === 0) return 0.4 * one;
      if (third === undefined) return two / (count(before) + 1e-11);
      const three = count(third, before, word);
      return three === 0 ? 0.4 * (two / (count(before) + 1e-11)) : three / (two + 1e-11);
    },
  },
  laplace: {
    json: { laplace: { alpha: 0.7 } },
    of: (count, all, distinct) => (row) => {
      const [word = '', before, third] = row.toReversed();
      const extra = 0.7 * distinct;
      if (before === undefined) return (0.7 + count(word)) / (all + extra);
      if (third === undefined) return (0.7 + count(before, word)) / (count(before) + extra);
      return (0.7 + count(third, before, word)) / (count(before, word) + extra);
    },
  },
  linear: {
    json: { linear: { trigram_lambda: 0.5, bigram_lambda: 0.25, unigram_lambda: 0.25 } },
    of: (count, all, distinct) => (row) => {
      const [word = '', before, third] = row.toReversed();
      const one = (1 + count(word)) / (all + distinct);
      if (before === undefined) return one;
      const pair = count(before, word);
      const two = (pair < 1 ? 0 : 0.25 * (pair / (0.5 + count(before)))) + 0.25 * one;
      if (third === undefined) return two;
      const three = count(word, before, third);
      return three < 1 ? two : 0.5 * (three / (1 + count(word, before))) + two;
    },
  },
};

const word = fc.constantFrom('abcd', 'abce', 'abcf', 'bbcd', 'efgh', 'efgi', 'xyz');

test('the proposals are the most likely of all ways to replace words, by each model', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.oneof(word, fc.constantFrom('abcx', 'fegh', 'abbd')), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...Object.keys(MODELS)),
      fc.constantFrom(1, 2, 3),
      fc.constantFrom(0.4, 1, 2),
      fc.constantFrom(0, 0.5, 1),
      fc.constantFrom(0.5, 0.95),
      async (documents, given, name, gramSize, maxErrors, confidence, likelihood) => {
        const texts = documents.map((words) => words.join(' '));
        const ask = await start(texts);
        const text = given.join(' ');
        const { json, of } = MODELS[name]!;
        const found = await suggest(ask, text, {
          field: 'text.rows',
          gram_size: gramSize,
          max_errors: maxErrors,
          confidence,
          real_word_error_likelihood: likelihood,
          smoothing: json,
          size: 1000,
          direct_generator: [{ ...always('text'), size: 50, max_term_freq: 100, prefix_length: 0 }],
        });

        const rows = texts.flatMap(rowsOf);
        const words = texts.flatMap((each) => each.split(' '));
        const count = (...row: string[]): number => rows.filter((each) => each === row.join(' ')).length;
        const model = of(count, rows.length, new Set(rows).size);
        const near = (one: string): readonly (readonly [string, number])[] => {
          return [...new Set(words)].flatMap((other) => {
            const distance = edits(one, other);
            const similarity = fround(1 - fround(distance / Math.min(one.length, other.length)));
            const common = distance < 2 || other[0] === one[0];
            return distance >= 1 && distance <= 2 && common && similarity >= 0.5 ? [[other, similarity] as const] : [];
          });
        };
        const errors = Math.max(
          1,
          maxErrors >= 1 ? maxErrors : Math.floor(fround(fround(maxErrors) * given.length) + 0.5),
        );
        const real = fround(likelihood);
        const score = (path: readonly (readonly [string, number])[]): number =>
          Math.exp(
            path.reduce((sum, [, similarity], at) => {
              const row = path.slice(Math.max(0, at - gramSize + 1), at + 1).map(([each]) => each);
              return sum + Math.log10((similarity === 1 ? real : similarity) * model(row));
            }, 0),
          );
        const paths = given.reduce<(readonly (readonly [string, number])[])[]>(
          (all, one) => all.flatMap((path) => [[one, 1] as const, ...near(one)].map((each) => [...path, each])),
          [[]],
        );
        const own = score(given.map((one) => [one, 1]));
        const cutoff = confidence === 0 ? 0 : own * confidence;
        const wanted = new Map(
          paths
            .filter((path) => path.filter(([, similarity]) => similarity !== 1).length <= errors)
            .map((path) => [path.map(([each]) => each).join(' '), fround(score(path))] as const)
            .filter(([, likely]) => likely > cutoff * (1 + 1e-7)),
        );
        // A score that equals the one to surpass but for the last bit may stand on either side.
        const sure = found.filter((option) => option.score > cutoff * (1 + 1e-7));
        deepEqual(sure.map((option) => option.text).sort(), [...wanted.keys()].sort());
        for (const option of sure)
          equal(Math.abs(option.score / wanted.get(option.text)! - 1) < 1e-6, true, option.text);
        deepEqual(
          found.map((option) => option.score),
          found.map((option) => option.score).sort((a, b) => b - a),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test('rows as long as the shingles of the analyzer are looked at, and pairs alone are no words', async () => {
  const ask = await start(CAPTAIN);
  const options = { confidence: 0, direct_generator: [always('text')] };
  const usual = await suggest(ask, 'captain amerika comes', { field: 'text.rows', ...options });
  deepEqual(usual, await suggest(ask, 'captain amerika comes', { field: 'text.rows', gram_size: 3, ...options }));
  equal(
    JSON.stringify(usual) ===
      JSON.stringify(await suggest(ask, 'captain amerika comes', { field: 'text.rows', gram_size: 1, ...options })),
    false,
  );
  const refused = await ask('POST /t/_search', { suggest: { s: { text: 'a b', phrase: { field: 'text.pairs' } } } });
  equal(refused.status, 400);
  match(refused.text, /doesn't emit unigrams/);
  const generated = { field: 'text.pairs', direct_generator: [always('text')] };
  const none = await ask('POST /t/_search', { suggest: { s: { text: 'captian amerika', phrase: generated } } });
  equal(none.status, 400);
  match(none.text, /At least one unigram is required/);
});

test("the index's own filter of shingles tells the length of rows even if it is named like its type", async () => {
  const ask = await start(CAPTAIN);
  const filter = { shingle: { type: 'shingle', max_shingle_size: 2 } };
  const none = { lowercase: { type: 'lowercase' } };
  const analyzer = { rows: { tokenizer: 'standard', filter: ['lowercase', 'shingle'] } };
  const mappings = { properties: { text: { type: 'text', analyzer: 'rows' } } };
  const scores: unknown[] = [];
  for (const [index, definitions] of Object.entries({ own: { shingle: { type: 'shingle' } }, same: filter, none })) {
    const settings = { analysis: { filter: definitions, analyzer } };
    equal((await ask(`PUT /${index}`, { settings, mappings })).status, 200);
    await load(
      ask,
      index,
      CAPTAIN.map((text) => ({ text })),
    );
    const phrase = { field: 'text', confidence: 0, direct_generator: [always('text')] };
    scores.push(await suggest(ask, 'captain amerika comes', phrase, `/${index}/_search`));
  }
  const [own, same, plain] = scores;
  deepEqual(own, same);
  notDeepEqual(own, plain);
});

test('generators look words up as their analyzers say', async () => {
  const ask = await start(CAPTAIN);
  const generators = (more: object) => [
    always('text'),
    { ...always('text.backwards'), pre_filter: 'backwards', post_filter: 'backwards', ...more },
  ];
  // The first letter is wrong, so that only the word read backwards begins as it should.
  const base = { field: 'text.rows', max_errors: 1 };
  const forwards = await suggest(ask, 'captain bmerica', { ...base, direct_generator: [always('text')] });
  deepEqual(forwards, []);
  const both = await suggest(ask, 'captain bmerica', { ...base, direct_generator: generators({}) });
  equal(both[0]!.text, 'captain america');
});

test('synonyms of a word are candidates', async () => {
  const ask = await start(['fall leaves', 'leaves fall', 'fall leaves']);
  const found = await suggest(ask, 'autumn leaves', {
    field: 'text.rows',
    analyzer: 'same',
    direct_generator: [always('text')],
  });
  deepEqual(
    found.map(({ text }) => text),
    ['fall leaves'],
  );
});

test('texts of too many words are left alone', async () => {
  const ask = await start(CAPTAIN);
  const phrase = { field: 'text.rows', direct_generator: [always('text')] };
  deepEqual(await suggest(ask, 'captain amerika comes', { ...phrase, token_limit: 3 }), []);
  equal((await suggest(ask, 'captain amerika comes', { ...phrase, token_limit: 4 }))[0]!.text, 'captain america comes');
});

test('several indices propose by their own words, the best score of each counts', async () => {
  const ask = await start(CAPTAIN, ['t', 'u']);
  await load(ask, 'u', [{ text: 'captain amerigo' }]);
  const phrase = { field: 'text.rows', confidence: 0, size: 10, direct_generator: [always('text')] };
  const [both, first, second] = [
    await suggest(ask, 'captain ameriga', phrase, '/t,u/_search'),
    await suggest(ask, 'captain ameriga', phrase, '/t/_search'),
    await suggest(ask, 'captain ameriga', phrase, '/u/_search'),
  ];
  const best = new Map<string, number>();
  for (const { text, score } of [...first, ...second]) best.set(text, Math.max(best.get(text) ?? 0, score));
  deepEqual(
    both.map(({ text, score }) => [text, score]),
    [...best].sort(([, a], [, b]) => b - a),
  );
});

test('deleted documents and those that the caller may not see leave no words and no counts', async () => {
  const phrase = { field: 'text.rows', confidence: 0, size: 10, direct_generator: [always('text')] };
  const body = { size: 0, suggest: { text: 'captain amerika', s: { phrase } } };
  const more = { view: () => ({ rows: { kind: 'term', field: 'n', term: '1' } as never }) };
  const told = async (documents: readonly object[]): Promise<unknown> => {
    const ask = await startRest();
    await ask('PUT /t', {
      settings: SETTINGS,
      mappings: { properties: { ...MAPPINGS.properties, n: { type: 'keyword' } } },
    });
    for (const document of documents) await load(ask, 't', [document]);
    await load(ask, 't', documents);
    return (await ask('POST /t/_search', body, more)).json.suggest;
  };
  const seen = CAPTAIN.map((text) => ({ text, n: '1' }));
  const hidden = [
    { text: 'captain amerika', n: '2' },
    { text: 'capitan americo comes', n: '2' },
  ];
  deepEqual(await told([...hidden, ...seen]), await told([{ n: '2' }, { n: '2' }, ...seen]));
});

test('corrections that find no document are left out, or marked', async () => {
  const ask = await start(CAPTAIN);
  const phrase = { field: 'text', max_errors: 2, confidence: 0, size: 3 };
  const collated = async (collate: object) =>
    (await suggest(ask, 'captan amerca', { ...phrase, collate })).map((each) => [
      each.text,
      (each as { readonly collate_match?: boolean }).collate_match,
    ]);
  const source = { match_phrase: { '{{field}}': '{{suggestion}}' } };
  const params = { field: 'text' };
  deepEqual(await collated({ query: { source }, params }), [['captain america', undefined]]);
  deepEqual(await collated({ query: { source: JSON.stringify(source) }, params, prune: true }), [
    ['captain america', true],
    ['captain american', false],
    ['captain amerca', false],
  ]);
  const sections = '{"match_phrase":{"text":"{{#strict}}{{suggestion}}{{/strict}}{{^strict}}nothing{{/strict}}"}}';
  equal((await collated({ query: sections, params: { strict: true } })).length, 1);
  equal((await collated({ query: sections, params: { strict: false } })).length, 0);
  deepEqual(await collated({}), await collated({ params }));
  const refused = async (collate: object): Promise<string> => {
    const body = { suggest: { s: { text: 'captan', phrase: { ...phrase, collate } } } };
    const { json, status, text } = await ask('POST /t/_search', body);
    equal(status, 400, text);
    return `${json.error.type} ${json.error.root_cause[0].type}`;
  };
  equal(await refused({ prune: 'perhaps' }), 'parsing_exception parsing_exception');
  equal(await refused({ query: 7 }), 'x_content_parse_exception x_content_parse_exception');
  equal(await refused({ query: { source: '{' } }), 'search_phase_execution_exception exception');
  equal(await refused({ query: { source: { foo: {} } } }), 'search_phase_execution_exception parsing_exception');
  equal(
    await refused({ query: { source: { match: { text: '{{#open}}' } } } }),
    'search_phase_execution_exception illegal_argument_exception',
  );
});

test('what a phrase suggestion cannot do is refused by name', async () => {
  const ask = await start(CAPTAIN);
  const refuses = async (phrase: object, reason: RegExp): Promise<void> => {
    const reply = await ask('POST /t/_search', { suggest: { s: { text: 'captian', phrase } } });
    equal(reply.status, 400, reply.text);
    match(reply.text, reason);
  };
  const field = 'text.rows';
  await refuses({}, /required field option \[field\] is missing/);
  await refuses({ field: 'nope' }, /no mapping found for field \[nope\]/);
  await refuses({ field, gram_siz: 2 }, /\[gram_siz\].*gram_size/);
  await refuses({ field, gram_size: 0 }, /gramSize must be >= 1/);
  await refuses({ field, max_errors: 0 }, /max_error must be > 0/);
  await refuses({ field, confidence: -1 }, /confidence must be >= 0/);
  await refuses({ field, real_word_error_likelihood: 0 }, /real_word_error_likelihood must be > 0/);
  await refuses({ field, analyzer: 'nope' }, /analyzer \[nope\] doesn't exist/);
  await refuses({ field, highlight: { pre_tag: '<' } }, /Pre and post tag/);
  await refuses({ field, smoothing: { guessing: {} } }, /\[guessing\].*stupid_backoff/);
  await refuses(
    { field, smoothing: { linear: { trigram_lambda: 1, bigram_lambda: 1, unigram_lambda: 1 } } },
    /must sum to 1/,
  );
  await refuses({ field, direct_generator: [{}] }, /Required \[field\]/);
  await refuses({ field, direct_generator: [{ field: 'text', max_edits: 3 }] }, /Illegal max_edits value 3/);
  await refuses(
    { field, direct_generator: [{ field: 'text', string_distance: 'far' }] },
    /Illegal distance option far/,
  );
});
