import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../../../kernel/test/code-point.ts';
import type { Analyzer } from '../../src/analysis/analyzer.ts';
import { createAnalysis, standardAnalysis } from '../../src/analysis/analysis-registry.ts';

const terms = (analyzer: string, text: string): string[] => standardAnalysis.analyzer(analyzer)!.analyze(text).terms;

test('the standard analyzer cuts words by UAX #29 and lower-cases them', () => {
  deepEqual(terms('standard', "The 2 QUICK Brown-Foxes jumped, dog's 3.14 1,000 a_b foo:bar can't"), [
    'the',
    '2',
    'quick',
    'brown',
    'foxes',
    'jumped',
    "dog's",
    '3.14',
    '1,000',
    'a_b',
    'foo:bar',
    "can't",
  ]);
});

test('ideographs are single tokens, katakana and emoji sequences stay whole', () => {
  deepEqual(terms('standard', '日本 カタカナ ひら 👩‍👩‍👧 🇩🇪'), ['日', '本', 'カタカナ', 'ひ', 'ら', '👩‍👩‍👧', '🇩🇪']);
});

test('a word longer than 255 characters is cut, not dropped', () => {
  deepEqual(
    terms('standard', 'x'.repeat(300)).map((term) => term.length),
    [255, 45],
  );
});

test('stop words leave a hole in the positions', () => {
  const list = standardAnalysis.analyzer('english')!.analyze('the running dogs of war');
  deepEqual(
    [list.terms, list.positions],
    [
      ['run', 'dog', 'war'],
      [1, 2, 4],
    ],
  );
});

test('language analyzers stem by their own rules', () => {
  deepEqual(terms('english', "John's relational books are flying"), ['john', 'relat', 'book', 'fly']);
  deepEqual(terms('german', 'Die Häuser'), ['haus']);
  deepEqual(terms('french', "L'avion et les chevaux"), ['avion', 'cheval']);
});

test('a text of millions of characters without a break is cut in linear time', () => {
  for (const letter of ['a', 'ก']) equal(terms('standard', letter.repeat(2_550_000)).length, 10_000);
});

test('pushing terms to the index gives the same terms and positions as analysing', () => {
  const analysis = createAnalysis({ analyzer: { short: { type: 'standard', max_token_length: 3 } } });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: codePoint }),
        fc.lorem(),
        // What binds and what breaks in ASCII.
        fc.string({ unit: fc.constantFrom('a', 'Z', '0', '9', '_', ':', '.', ',', ';', "'", ' ', '-'), maxLength: 40 }),
        // What binds to ASCII and is none: letters that grow when lower-cased, marks, joiners, other scripts.
        fc.string({
          unit: fc.constantFrom(..."a|B|7| |.|'|_|\n|É|İ|Σ|\u0301|\u200d|\u00b7|’|中|カ|한|👍".split('|')),
          maxLength: 30,
        }),
      ),
      fc.constantFrom('standard', 'short', 'english', 'simple', 'whitespace'),
      (text, name) => samePushed(analysis.analyzer(name)!, text),
    ),
    {
      examples: [
        ["a9'0", 'short'],
        ["1a9'0", 'short'],
        ['0000____00', 'short'],
      ],
    },
  );
});

test('a long text gives the same terms wherever it is divided to be read', () => {
  const analyzer = standardAnalysis.analyzer('standard')!;
  const parts = ['a_b it’s ', 'plain words, 3.14 of them. ', 'x'.repeat(40_000), ' ', 'слово и ', '漢字かな', '\n'];
  const text = Array.from({ length: 4000 }, (_, i) =>
    i === 2500 ? parts[2] : parts[(i * i) % 7 === 2 ? 3 : (i * i) % 7],
  ).join('');
  samePushed(analyzer, text);
  for (const size of [1 << 14, (1 << 14) + 1, 1 << 15]) samePushed(analyzer, text.slice(0, size));
});

/** What is pushed, from position 7 on, is what analysing gives. */
function samePushed(analyzer: Analyzer, text: string): void {
  const pushed: [string, number][] = [];
  const decoder = new TextDecoder();
  const end = analyzer.push(text, 7, {
    add: (term, position) => void pushed.push([term, position]),
    addRow: ({ bytes, bounds, count }, from) => {
      for (let i = 0; i < count; i++) {
        pushed.push([decoder.decode(bytes.slice(bounds[2 * i], bounds[2 * i + 1])), from + i]);
      }
    },
  });
  const list = analyzer.analyze(text);
  deepEqual(
    pushed.map(([term]) => term),
    list.terms,
  );
  deepEqual(
    pushed.map(([, position]) => position - 7),
    list.positions,
  );
  equal(end - 7, list.endPosition);
}

test('every token of the standard tokenizer stands at its offsets in the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      const list = standardAnalysis.analyzer('standard')!.analyze(text);
      list.terms.forEach((term, at) => equal(term, text.slice(list.starts[at], list.ends[at]).toLowerCase()));
    }),
  );
});

test('custom chains run character filters, tokenizer and filters in order, with offsets into the original', () => {
  const analysis = createAnalysis({
    analyzer: {
      mine: { tokenizer: 'standard', char_filter: ['html_strip'], filter: ['lowercase', 'syn', 'asciifolding'] },
    },
    filter: { syn: { type: 'synonym', synonyms: ['united states => usa', 'big, large'] } },
  });
  const text = '<b>United</b> States is BIG Café &amp; more';
  const list = analysis.analyzer('mine')!.analyze(text);
  deepEqual(list.terms, ['usa', 'is', 'big', 'large', 'cafe', 'more']);
  equal(text.slice(list.starts[4], list.ends[4]), 'Café');
});

test('n-gram tokenizers yield the grams of each place', () => {
  const analysis = createAnalysis({
    analyzer: { n: { tokenizer: 'n' }, e: { tokenizer: 'e' } },
    tokenizer: {
      n: { type: 'ngram', min_gram: 2, max_gram: 3 },
      e: { type: 'edge_ngram', min_gram: 1, max_gram: 3, token_chars: ['letter'] },
    },
  });
  deepEqual(analysis.analyzer('n')!.analyze('abc').terms, ['ab', 'abc', 'bc']);
  deepEqual(analysis.analyzer('e')!.analyze('abcd 1').terms, ['a', 'ab', 'abc']);
});

test('shingles join neighbours and fill the holes of removed words', () => {
  const analysis = createAnalysis({
    analyzer: { s: { tokenizer: 'standard', filter: ['stop', { type: 'shingle', output_unigrams: false }] } },
  });
  deepEqual(analysis.analyzer('s')!.analyze('war and peace now').terms, ['war _', '_ peace', 'peace now']);
});

test('shingles of very many sizes are refused: each word would begin one of every size', () => {
  const define = (sizes: Readonly<Record<string, number>>) => () =>
    createAnalysis({ analyzer: { s: { tokenizer: 'standard', filter: [{ type: 'shingle', ...sizes }] } } });
  throws(define({ max_shingle_size: 6 }), /less than or equal to: \[3\] but was \[4\]/);
  throws(define({ min_shingle_size: 4, max_shingle_size: 3 }), /must be <= max shingle size/);
  throws(define({ min_shingle_size: 1 }), /must be >= 2/);
  throws(define({ min_shingle_size: 9_999, max_shingle_size: 10_000 }), /at most 100/);
  define({ max_shingle_size: 5 })();
});

test('an unknown filter is refused by name with the nearest known one', () => {
  throws(
    () => createAnalysis({ analyzer: { x: { tokenizer: 'standard', filter: ['lowercas'] } } }),
    /\[lowercas\].*Did you mean "lowercase"/,
  );
});

test('spaces that do not break a line are no white space, and controls that part texts are, as in Lucene', () => {
  const text = 'a\u00a0b\u2007c\u202fd\ufeffe\u001cf\u2003g\u3000h\u000bi';
  deepEqual(terms('whitespace', text), ['a\u00a0b\u2007c\u202fd\ufeffe', 'f', 'g', 'h', 'i']);
  const trimmed = createAnalysis({ analyzer: { x: { tokenizer: 'keyword', filter: ['trim'] } } }).analyzer('x')!;
  deepEqual(trimmed.analyze('\u2003\u00a0 a \u001f\n').terms, ['\u00a0 a']);
});

test('cases change letter by letter, and signs are folded to ASCII, as in Lucene', () => {
  deepEqual(terms('standard', 'ΟΔΟΣ İzmir'), ['οδοσ', 'izmir']);
  const filtered = (filter: string, text: string) =>
    createAnalysis({ analyzer: { x: { tokenizer: 'keyword', filter: [filter] } } })
      .analyzer('x')!
      .analyze(text).terms[0];
  deepEqual(filtered('lowercase', 'ΣΑΣ ΑΣ İ'), 'σασ ασ i');
  deepEqual(filtered('uppercase', 'straße ᾳ ᾀ ŉ'), 'STRAßE ᾼ ᾈ ŉ');
  deepEqual(filtered('asciifolding', 'Ɓ ª ⒜ Ǣ ﬃ «x» ③ e\u0301'), 'B ª (a) AE ffi "x" 3 e\u0301');
});

test('character filters in a row do not lengthen a text beyond a limit, and keys of a mapping have one, too', () => {
  const grow = (filters: number, rule: string) =>
    createAnalysis({
      char_filter: { c: { type: 'mapping', mappings: [rule] } },
      analyzer: { x: { tokenizer: 'keyword', char_filter: Array.from({ length: filters }, () => 'c') } },
    }).analyzer('x')!;
  deepEqual(grow(5, 'a=>aaaa').analyze('a').terms, ['a'.repeat(1024)]);
  throws(() => grow(30, 'a=>aaaa').analyze('aaaa'), /its replacements are too long/);
  throws(() => grow(2, 'a=>aaaaaaaaaa').analyze('a'.repeat(900_000)), /its replacements are too long/);
  throws(() => grow(1, `${'a'.repeat(257)}=>b`), /more than the limit of \[256\]/);
});

test('a mapping replaces the longest of its keys, also where the beginning of a longer one stands', () => {
  const analysis = createAnalysis({
    char_filter: { c: { type: 'mapping', mappings: ['ab=>1', 'abcd=>2', 'b=>3', 'c=>'] } },
    analyzer: { x: { tokenizer: 'keyword', char_filter: ['c'] } },
  });
  const made = (text: string) => analysis.analyzer('x')!.analyze(text).terms.join();
  deepEqual(['abcd', 'abce', 'bab', 'abc', 'aab', 'dcba'].map(made), ['2', '1e', '31', '1', 'a1', 'd3a']);
});

test('paths of a text that would take more memory than there is are refused', () => {
  for (const reverse of [false, true]) {
    const analysis = createAnalysis({
      tokenizer: { p: { type: 'path_hierarchy', reverse } },
      analyzer: { x: { tokenizer: 'p' } },
    });
    equal(analysis.analyzer('x')!.analyze('/a'.repeat(2000)).terms.length, 2000 + Number(reverse));
    throws(() => analysis.analyzer('x')!.analyze('/a'.repeat(500_000)), /path_hierarchy makes too much/);
  }
});

test('a definition named like its type needs the options that its type requires', () => {
  const analyzer = { a: { tokenizer: 'standard', filter: ['truncate', 'elision'] } };
  createAnalysis({ analyzer });
  for (const [type, reason] of [
    ['truncate', /length parameter must be provided/],
    ['elision', /elision filter requires \[articles\]/],
  ] as const)
    throws(() => createAnalysis({ analyzer, filter: { [type]: { type } } }), reason);
});

test('n-grams and shingles of a text that would take more memory than there is are refused', () => {
  const sizes = { min_gram: 1, max_gram: 50_000 };
  const analysis = createAnalysis(
    {
      tokenizer: { n: { type: 'ngram', ...sizes }, e: { type: 'edge_ngram', ...sizes } },
      filter: {
        n: { type: 'ngram', ...sizes },
        e: { type: 'edge_ngram', ...sizes },
        s: { type: 'shingle', min_shingle_size: 2, max_shingle_size: 90 },
      },
      analyzer: {
        n: { tokenizer: 'n' },
        e: { tokenizer: 'e' },
        fn: { tokenizer: 'keyword', filter: ['n'] },
        fe: { tokenizer: 'keyword', filter: ['e'] },
        s: { tokenizer: 'whitespace', filter: ['s'] },
      },
    },
    { ngramDiff: 50_000, shingleDiff: 100 },
  );
  const analyze = (name: string, text: string) => analysis.analyzer(name)!.analyze(text).terms;
  equal(analyze('n', 'x'.repeat(300)).length, 45_150);
  equal(analyze('fe', 'x'.repeat(300)).length, 300);
  for (const [name, part] of [
    ['n', 'ngram'],
    ['e', 'edge_ngram'],
    ['fn', 'ngram'],
    ['fe', 'edge_ngram'],
  ] as const)
    throws(() => analyze(name, 'x'.repeat(20_000)), new RegExp(`\\[${part}\\] makes more than`));
  throws(() => analyze('s', 'abcdefgh '.repeat(20_000)), /\[shingle\] makes more than/);
});

test('addresses are found in long runs of letters and dots, which are tried once', () => {
  const found = (text: string) => standardAnalysis.custom({ tokenizer: 'uax_url_email' }).tokenizer(text);
  for (const run of ['a', 'a.', '-', '_', 'é.', 'http:/']) {
    const tokens = found(`${run.repeat(50_000)} me@example.org (www.example.com/x)`);
    deepEqual(
      tokens.slice(-2).map(({ term }) => term),
      ['me@example.org', 'www.example.com/x'],
    );
  }
  deepEqual(
    found('é.foo.com .foo.com x@y.de,a.b@c.d http://a.b/c?d a.comb').map(({ term }) => term),
    ['é.foo.com', 'foo.com', 'x@y.de', 'a.b', 'c.d', 'http://a.b/c?d', 'a.comb'],
  );
});
