// `_analyze`, with the answers of Elasticsearch 7.10.2.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, type Reply, startRest } from './harness.ts';

async function started(): Promise<Ask> {
  const ask = await startRest();
  const analysis = {
    char_filter: { and: { type: 'mapping', mappings: ['& => and'] } },
    analyzer: { mine: { tokenizer: 'standard', char_filter: ['html_strip', 'and'], filter: ['lowercase', 'stop'] } },
    normalizer: { low: { type: 'custom', char_filter: ['and'], filter: ['lowercase'] } },
  };
  const properties = {
    t: { type: 'text', analyzer: 'mine' },
    k: { type: 'keyword', normalizer: 'low' },
    n: { type: 'long' },
    c: { type: 'completion' },
    g: { type: 'geo_point' },
  };
  await ask('PUT /a', { settings: { analysis }, mappings: { properties } });
  return ask;
}

const tokens = (reply: Reply): readonly string[] => reply.json.tokens.map(({ token }: { token: string }) => token);
const named = (steps: readonly { name: string; tokens: readonly { token: string }[] }[]) =>
  steps.map((step) => [step.name, ...step.tokens.map(({ token }) => token)]);

test('explain shows what each step makes of a text, character filters of the request among them', async () => {
  const ask = await started();
  const { json } = await ask('POST /_analyze', {
    tokenizer: { type: 'edge_ngram', min_gram: 1, max_gram: 2, token_chars: ['letter'] },
    filter: [{ type: 'stop', stopwords: ['b'] }, 'reverse'],
    char_filter: [
      { type: 'mapping', mappings: ['a => b'] },
      { type: 'pattern_replace', pattern: 'x', replacement: 'y' },
    ],
    text: 'ax',
    explain: true,
  });
  deepEqual(json.detail.charfilters, [
    { name: '__anonymous__mapping', filtered_text: ['bx'] },
    { name: '__anonymous__pattern_replace', filtered_text: ['by'] },
  ]);
  deepEqual(json.detail.tokenizer, {
    name: '__anonymous__edge_ngram',
    tokens: [
      {
        token: 'b',
        start_offset: 0,
        end_offset: 1,
        type: 'word',
        position: 0,
        bytes: '[62]',
        positionLength: 1,
        termFrequency: 1,
      },
      {
        token: 'by',
        start_offset: 0,
        end_offset: 2,
        type: 'word',
        position: 1,
        bytes: '[62 79]',
        positionLength: 1,
        termFrequency: 1,
      },
    ],
  });
  deepEqual(named(json.detail.tokenfilters), [
    ['__anonymous__stop', 'by'],
    ['reverse', 'yb'],
  ]);
});

test('explain takes the analyzers and normalizers of an index apart', async () => {
  const ask = await started();
  for (const asked of [{ field: 't' }, { analyzer: 'mine' }]) {
    const { json } = await ask('POST /a/_analyze', { ...asked, text: 'The <b>Fox</b> & co', explain: true });
    equal(json.detail.custom_analyzer, true);
    deepEqual(json.detail.charfilters, [
      { name: 'html_strip', filtered_text: ['The Fox & co'] },
      { name: 'and', filtered_text: ['The Fox and co'] },
    ]);
    deepEqual(named([json.detail.tokenizer, ...json.detail.tokenfilters]), [
      ['standard', 'The', 'Fox', 'and', 'co'],
      ['lowercase', 'the', 'fox', 'and', 'co'],
      ['stop', 'fox', 'co'],
    ]);
  }
  const { json } = await ask('POST /a/_analyze', { field: 'k', text: 'A & B', explain: true });
  deepEqual(named([json.detail.tokenizer, ...json.detail.tokenfilters]), [
    ['keyword', 'A and B'],
    ['lowercase', 'a and b'],
  ]);
});

test('explain shows the marks of keywords where a filter knows them, and the attributes asked for', async () => {
  const ask = await started();
  const filter = [{ type: 'keyword_marker', keywords: ['running'] }, 'porter_stem'];
  const body = { tokenizer: 'whitespace', filter, text: 'running dogs', explain: true };
  const { json } = await ask('POST /_analyze', body);
  deepEqual(
    json.detail.tokenfilters[1].tokens.map((each: { token: string; keyword: boolean }) => [each.token, each.keyword]),
    [
      ['running', true],
      ['dog', false],
    ],
  );
  equal('keyword' in json.detail.tokenizer.tokens[0], false);
  const asked = await ask('POST /_analyze', { ...body, attributes: ['keyword'] });
  deepEqual(asked.json.detail.tokenfilters[1].tokens[0], {
    token: 'running',
    start_offset: 0,
    end_offset: 7,
    type: 'word',
    position: 0,
    keyword: true,
  });
});

test('fields that are no texts are not analysed', async () => {
  const ask = await started();
  for (const field of ['n', 'c', 'g']) {
    const { json, status } = await ask('POST /a/_analyze', { field, text: 'x' });
    const reason = `Can't process field [${field}], Analysis requests are only supported on tokenized fields`;
    deepEqual([status, json.error.type, json.error.reason], [400, 'illegal_argument_exception', reason]);
  }
});

test('words removed at the end of a text count for the positions of the next one', async () => {
  const ask = await started();
  const { json } = await ask('POST /a/_analyze', { analyzer: 'mine', text: ['fox the', 'dog'] });
  deepEqual(
    json.tokens.map(({ position, start_offset: start }: Record<string, number>) => [position, start]),
    [
      [0, 0],
      [102, 8],
    ],
  );
});

test('a list in an analysis part may be one text with commas', async () => {
  const ask = await started();
  const analyze = async (body: object) => tokens(await ask('POST /_analyze', body));
  deepEqual(
    await analyze({
      tokenizer: { type: 'ngram', min_gram: 1, max_gram: 2, token_chars: 'letter, digit' },
      text: 'ab-12',
    }),
    ['a', 'ab', 'b', '1', '12', '2'],
  );
  deepEqual(
    await analyze({
      tokenizer: 'whitespace',
      filter: [{ type: 'stop', stopwords: '_english_,fox' }],
      text: 'the fox ran',
    }),
    ['ran'],
  );
  deepEqual(
    await analyze({ tokenizer: 'keyword', char_filter: [{ type: 'mapping', mappings: 'a => b,c => d' }], text: 'ac' }),
    ['bd'],
  );
});

test('requests that Elasticsearch finds invalid before it analyses are refused', async () => {
  const ask = await started();
  for (const [body, reason] of [
    [{ text: [] }, 'text is missing'],
    [{ analyzer: 'standard', filter: ['lowercase'], text: 'a' }, 'cannot define extra components on a named analyzer'],
    [{ normalizer: 'lowercase', text: 'a' }, 'index is required if normalizer is specified'],
  ] as const) {
    const { json, status } = await ask('POST /_analyze', body);
    deepEqual([status, json.error.reason], [400, `Validation Failed: 1: ${reason};`]);
    equal(json.error.type, 'action_request_validation_exception');
  }
});

test('a request is read member by member, each of its kind', async () => {
  const ask = await startRest();
  const tokens = async (body: object): Promise<readonly (readonly [string, number])[]> =>
    (await ask('POST /_analyze', body)).json.tokens.map((each: { token: string; position: number }) => [
      each.token,
      each.position,
    ]);
  // Analyzers of no index put nothing between two texts.
  deepEqual(await tokens({ text: ['Foo', 7.5, true] }), [
    ['foo', 0],
    ['7.5', 1],
    ['true', 2],
  ]);
  deepEqual(await tokens({ text: ['A', 'b'], tokenizer: 'standard' }), [
    ['A', 0],
    ['b', 101],
  ]);
  deepEqual(await tokens({ text: '', analyzer: 'keyword' }), [['', 0]]);
  const refused = async (body: object): Promise<string> => {
    const { json, status } = await ask('POST /_analyze', body);
    equal(status, 400, JSON.stringify(body));
    return `${json.error.type} ${json.error.reason}`;
  };
  match(await refused({ text: 7 }), /^x_content_parse_exception .*text doesn't support values of type: VALUE_NUMBER/);
  match(await refused({ text: 'x', filter: 'lowercase' }), /filter doesn't support values of type: VALUE_STRING/);
  match(await refused({ text: 'x', analyzer: null }), /analyzer doesn't support values of type: VALUE_NULL/);
  match(await refused({ texts: 'x' }), /^x_content_parse_exception .*unknown field \[texts\]/);
  match(await refused({ text: 'x', filter: [{}] }), /Missing \[type\] setting for anonymous filter/);
  match(await refused({ text: 'x', filter: ['stop'] }), /Custom normalizer may not use filter \[stop\]/);
  match(await refused({ text: 'x', analyzer: 'standard', filter: ['stop'] }), /extra components on a named analyzer/);
  equal((await ask('GET /_analyze?text=x')).status, 400);
  equal((await ask('POST /_analyze')).json.error.type, 'parse_exception');
  await ask('PUT /one');
  equal((await ask('POST /on*/_analyze', { text: 'x' })).status, 404);
});
