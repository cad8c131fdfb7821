// The analyzers of languages give the words that Lucene 8.7's give: the expected ones are its answers.
import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { createAnalysis, standardAnalysis } from '../../src/analysis/analysis-registry.ts';
import { startRest } from '../rest/harness.ts';

const terms = (analyzer: string, text: string): readonly string[] =>
  standardAnalysis.analyzer(analyzer)!.analyze(text).terms;

const EXPECTED: readonly (readonly [language: string, text: string, terms: string])[] = [
  [
    'french',
    "L'amélioration des chevaux nationaux et les actrices qu'il cherchait rapidement Jusqu’aux quatrièmes créateurs, joyeuses et folles",
    'amelio cheval national acteu cherchait rapid quat crer joyeu fou',
  ],
  [
    'german',
    'Die schönsten Häuser der Strassen und Straßen Möbel, Moebel und die neuen Bücher des Lehrers',
    'schon haus strass strass mobel mobel neu buch lehrers',
  ],
  [
    'spanish',
    'Los peces y las canciones de los ingleses Una habitación con vistas',
    'pez cancion ingles habitacion vist',
  ],
  [
    'italian',
    "All'improvviso gli amici dell'uomo parlarono Le ricche famiglie e i vecchi giochi",
    'improvvis amici uomo parlaron ricc famigl vecc gioc',
  ],
  [
    'portuguese',
    'As canções dos pães e das meninas bonitas Os animais rapidamente voadores',
    'canca pao menin bonit animal rapid voador',
  ],
  ['dutch', 'De fietsen van het kind en de lopende mensen Ei en bromfiets', 'fiets kinder lopend mens eier bromfiets'],
  ['arabic', 'الكتاب والمدرسة في المدينة وبالكتب ٢٠٢٦', 'كتاب مدرس مدين بالكتب 2026'],
  ['persian', 'کتاب‌های خوب در کتابخانه می‌خواهم ۱۲', 'كتاب خوب كتابخانه خواهم 12'],
  ['czech', 'Pražští studenti a otcovy knihy O velkých městech', 'pražsk student otcov knih velk měst'],
  ['turkish', "İstanbul'un kitapları ve ISLAK ağaçlar bir evde", 'istanbul kitap ıslak ağaç ev'],
  [
    'irish',
    "Bhí an tAthair sa nGaeltacht, d'fhág sé na síceapatacha h-Éireann",
    'bí athair gaeltacht fág síceapaite éireann',
  ],
  ['catalan', "L'home de les cases grans Parlava molt", 'hom case gran parl'],
  [
    'russian',
    'Вместе с тем о силе электромагнитной энергии имели представление',
    'вмест сил электромагнитн энерг имел представлен',
  ],
  ['swedish', 'De stora husen och flickornas böcker jaktkarlens', 'stor hus flick böck jaktkarl'],
  ['finnish', 'Talossa oli kirjoja ja edeltäjistään hän puhui', 'talo kirj edeltäj puhui'],
  ['norwegian', 'Havnedistriktene og de store husene jeg leste', 'havnedistrikt stor hus lest'],
  ['danish', 'Undersøgelserne af de store huse undersøg', 'undersøg stor hus undersøg'],
  ['romanian', 'Copiii absenți și casele frumoase absența', 'copii absenț și cas frumoas absenț'],
  ['hungarian', 'A kiskutyák a házakban vannak babakocsijáért', 'kiskutya ház babakocs'],
  ['armenian', 'Արծիվներ և այլն արծիվ', 'արծ այլն արծ'],
  ['basque', 'Zaldiak eta zaldia izan', 'zaldi zaldia'],
  ['english', "The books' covers aren't John's running", "book cover aren't john run"],
];

for (const [language, text, expected] of EXPECTED) {
  test(`the ${language} analyzer drops, folds and stems as Lucene's`, () => {
    equal(terms(language, text).join(' '), expected);
  });
}

test('words of stem_exclusion stay whole, and stopwords replace the list of the language', () => {
  const analysis = createAnalysis({
    analyzer: {
      mine: { type: 'german', stem_exclusion: ['häuser'], stopwords: ['und'] },
      none: { type: 'french', stopwords: '_none_' },
    },
  });
  deepEqual(analysis.analyzer('mine')!.analyze('Die Häuser und Gärten').terms, ['die', 'hauser', 'gart']);
  deepEqual(analysis.analyzer('none')!.analyze('les chevaux').terms, ['les', 'cheval']);
});

test('stemmers go by their names, and one that is absent is not replaced by one that is near', () => {
  const analysis = createAnalysis({});
  const stem = (language: string, word: string): string | undefined =>
    analysis.custom({ tokenizer: 'keyword', filters: [{ type: 'stemmer', language }] }).filters![0]!([
      { term: word, start: 0, end: word.length, position: 0, type: 'word' },
    ])[0]?.term;
  // Snowball's French and the light one differ.
  deepEqual([stem('french', 'chevaux'), stem('light_french', 'chevaux')], ['cheval', 'cheval']);
  deepEqual([stem('french', 'nationalisation'), stem('light_french', 'nationalisation')], ['nationalis', 'national']);
  deepEqual([stem('german', 'schönste'), stem('light_german', 'schönste')], ['schon', 'schon']);
  deepEqual([stem('english', 'skies'), stem('porter2', 'skies')], ['ski', 'sky']);
  for (const absent of ['minimal_french', 'greek', 'german2', 'lovins']) {
    throws(() => stem(absent, 'x'), new RegExp(`stemmer \\[${absent}\\] is not supported`));
  }
  throws(() => stem('frensh', 'x'), /Invalid stemmer class specified: frensh Did you mean "french"/);
});

test('normalizations stand alone as filters', () => {
  const analysis = createAnalysis({});
  const filtered = (filter: string, text: string): string =>
    analysis.custom({ tokenizer: 'keyword', filters: [filter] }).filters![0]!([
      { term: text, start: 0, end: text.length, position: 0, type: 'word' },
    ])[0]!.term;
  equal(filtered('german_normalization', 'weißbier über moebel neue quelle'), 'weissbier uber mobel neue quelle');
  equal(filtered('arabic_normalization', 'مدرسةٌ'), 'مدرسه');
  equal(filtered('persian_normalization', 'کتابی'), 'كتابي');
  equal(filtered('decimal_digit', '٣٤'), '34');
});

test('a language that Elasticsearch has and this engine has not is refused by its name', async () => {
  const ask = await startRest();
  for (const analyzer of ['greek', 'hindi', 'brazilian', 'lithuanian']) {
    const reply = await ask('POST /_analyze', { analyzer, text: 'x' });
    equal(reply.status, 400, reply.text);
    match(reply.text, new RegExp(`analyzer \\[${analyzer}\\] is not supported`));
    const made = await ask('PUT /t', { mappings: { properties: { f: { type: 'text', analyzer } } } });
    equal(made.status, 400, made.text);
  }
});
