// Words near to each word of a text: how near by each measure, which options are refused when, and suggestions in the URL.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, startRest } from '../rest/harness.ts';

async function start(): Promise<Ask> {
  const ask = await startRest();
  const texts = ['captain america', 'american ace', 'captain marvel', 'martha marhta dwayne duane dixon dickson'];
  await load(
    ask,
    't',
    texts.map((t) => ({ t })),
  );
  return ask;
}

/** As Elasticsearch 7.10.2 answers. */
const BY_MEASURE: Readonly<Record<string, Readonly<Record<string, readonly (readonly [string, number])[]>>>> = {
  internal: {
    marthe: [
      ['martha', 0.8333333],
      ['marhta', 0.6666666],
    ],
    dicksonx: [['dickson', 0.85714287]],
  },
  damerau_levenshtein: {
    dwanye: [
      ['dwayne', 0.8333333],
      ['duane', 0.6],
    ],
  },
  levenshtein: {
    marthe: [
      ['martha', 0.8333333],
      ['marhta', 0.5],
    ],
    dwanye: [
      ['duane', 0.6666666],
      ['dwayne', 0.6666666],
    ],
    dicksonx: [['dickson', 0.875]],
  },
  jaro_winkler: {
    marthe: [
      ['martha', 0.9444444],
      ['marhta', 0.8755556],
    ],
    dwanye: [
      ['dwayne', 0.96111107],
      ['duane', 0.84000003],
    ],
    dicksonx: [['dickson', 0.9875]],
  },
  ngram: {
    marthe: [
      ['martha', 0.9166667],
      ['marhta', 0.5833334],
    ],
    dwanye: [
      ['dwayne', 0.6666666],
      ['duane', 0.5833334],
    ],
    dicksonx: [['dickson', 0.875]],
  },
};

test('words are as near as the measure that is named says', async () => {
  const ask = await start();
  for (const [measure, words] of Object.entries(BY_MEASURE)) {
    for (const [text, near] of Object.entries(words)) {
      const term = { field: 't', string_distance: measure, suggest_mode: 'always' };
      const { json } = await ask('POST /t/_search', { suggest: { s: { text, term } } });
      const options = json.suggest.s[0].options.map((each: { text: string; score: number }) => [each.text, each.score]);
      deepEqual(options, near, `${measure} ${text}`);
    }
  }
});

test('the first mistake of a suggestion is refused when it is read, what needs the index on a shard', async () => {
  const ask = await start();
  const refused = async (suggestion: object): Promise<string> => {
    const { json, status, text } = await ask('POST /t/_search', { suggest: { s: { text: 'captan', ...suggestion } } });
    equal(status, 400, text);
    return `${json.error.type}: ${json.error.root_cause[0].reason}`;
  };
  const term = (options: object): Promise<string> => refused({ term: { field: 't', ...options } });
  equal(await term({ accuracy: 3, size: 0 }), 'illegal_argument_exception: accuracy must be between 0 and 1');
  equal(await term({ size: 0, accuracy: 3 }), 'illegal_argument_exception: size must be positive');
  equal(await term({ max_edits: 3 }), 'illegal_argument_exception: maxEdits must be between 1 and 2');
  match(await term({ size: null }), /^parsing_exception: suggester\[term\] parsing failed on \[size\]/);
  match(await term({ lowercase_terms: true }), /^parsing_exception: suggester\[term\] doesn't support field/);
  match(await term({ string_distance: 'far' }), /^illegal_argument_exception: Illegal distance option far/);
  match(await term({ size: 1e10 }), /^input_coercion_exception/);
  match(await term({ shard_size: 0 }), /^search_phase_execution_exception: ShardSize must be positive/);
  match(await refused({ term: { size: 1 } }), /^parse_exception: the required field option \[field\] is missing/);
  const generator = (options: object): Promise<string> =>
    refused({ phrase: { field: 't', direct_generator: [{ field: 't', ...options }] } });
  match(
    await generator({ size: 0 }),
    /^x_content_parse_exception: \[direct_generator\] failed to parse field \[size\]/,
  );
  match(await generator({ suggest_mode: 7 }), /suggest_mode doesn't support values of type: VALUE_NUMBER/);
  match(await generator({ suggest_mode: 'x' }), /^search_phase_execution_exception: \[suggest_mode\]/);
  match(
    await refused({ completion: { field: 7 } }),
    /^x_content_parse_exception: \[completion\] field doesn't support/,
  );
});

test('a suggestion may be called text, and the text of all stands beside it', async () => {
  const ask = await start();
  const s = { term: { field: 't' } };
  const { json } = await ask('POST /t/_search', { suggest: { text: { text: 'captan', ...s } } });
  equal(json.suggest.text[0].options[0].text, 'captain');
  const both = await ask('POST /t/_search', { suggest: { text: 'captan', s } });
  equal(both.json.suggest.s[0].options[0].text, 'captain');
  for (const path of ['t*', 't'])
    equal((await ask(`POST /${path}/_search`, { suggest: { s: { text: 'x', term: { field: '' } } } })).status, 400);
});

test('a suggestion in the URL takes its text from the query, and needs a field', async () => {
  const ask = await start();
  const inUrl = async (query: string) => (await ask(`GET /t/_search?${query}`)).json;
  equal((await inUrl('suggest_field=t&q=captan&suggest_mode=always')).suggest.t[0].options[0].text, 'captain');
  const typed = await inUrl('suggest_field=t&q=none&suggest_text=marvle&suggest_mode=always&typed_keys=true');
  equal(typed.suggest['term#t'][0].options[0].text, 'marvel');
  match((await inUrl('suggest_field=t')).error.root_cause[0].reason, /required text option is missing/);
  match((await inUrl('suggest_text=captan')).error.reason, /unrecognized parameter: \[suggest_text\]/);
});
