// The analyzers of languages give the words that Lucene 8.7's give: the expected ones are its answers.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createAnalysis, standardAnalysis } from '../../src/analysis/analysis-registry.ts';
import { runParts } from '../../src/analysis/analyzer.ts';
import type { Token } from '../../src/analysis/token.ts';

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
  [
    'bengali',
    'আমি বাংলাদেশের গ্রামগুলোতে ছেলেদের সাথে ২০২৬ সালে কাজ করিতেছিলাম এবং লোকেরা বিশ্বাস করে',
    'আম বাংলাদেস গ্রামগুলো ছেল সাথ 2026 সা কর এবং লোক বিসসাস',
  ],
  [
    'brazilian',
    'As crianças brasileiras jogavam alegremente nas ruas da cidade e os vendedores gritaram suas promoções',
    'crianc brasileir jog alegr ruas cidad vendedor grit promoco',
  ],
  [
    'bulgarian',
    'Градовете на България са красиви и учителите четат книгите на децата в училището',
    'град българ красив учитял четат книг дец училищ',
  ],
  [
    'estonian',
    'Teadlasele meeldisid raamatutega täidetud toad ja lapsed jooksevad metsadesse söömata',
    'teadlase meeldi raama täide toad lapse jookse metsa söö',
  ],
  [
    'galician',
    'As nenas galegas cantaban nas rúas da vila e os mariñeiros traballan na mar',
    'nen galeg cant rua vil mariñ traball mar',
  ],
  [
    'greek',
    'Οι Έλληνες αγαπούσαν τους ΔΡΟΜΟΥΣ της πόλης και οι μαθητές διαβάζουν τα βιβλία',
    'ελλην αγαπ τ δρομ πολ μαθητ διαβαζ βιβλ',
  ],
  ['hindi', 'लड़कियाँ हिन्दी की किताबें पढ़ती हैं और लड़कों ने २०२६ में खाना खाया', 'लडक हिंद किताब पढत लडक 2026 खा खाय'],
  [
    'indonesian',
    'Anak-anak itu mempermainkan bola di lapangan, bukunya dibacakan oleh pengajar yang berkelakuan baik',
    'anak anak main bola lapang buku baca ajar kelaku baik',
  ],
  [
    'latvian',
    'Latvijas pilsētām ir skaistas ielas, bērniem patīk lasīt grāmatas un brāļu dziesmas',
    'latvij pilsēt skaist iel bērn patīk lasīt grāmat brāl dziesm',
  ],
  [
    'lithuanian',
    'Lietuvos miestuose gyvena žmonės, kurie skaitydavo knygas ir dainuoja apie didžiuosius kunigaikščius',
    'lietuv miest gyven žmon skaity knyg dain did kunigaikšt',
  ],
  [
    'sorani',
    'کتێبەکانی منداڵان لە شارەکەدا دەخوێننەوە و پیاوێکی باش لە ٢٠٢٦ هات',
    'کتێبەک منداڵ شارە دەخوێنن پیاو باش 2026 هات',
  ],
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

test('stemmers go by their names, and one that is unknown is refused', () => {
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
  deepEqual([stem('lightFrench', 'chevaux'), stem('Dutch_KP', 'manen')], ['cheval', 'maan']);
  deepEqual([stem('kstem', 'italians'), stem('light_english', 'planed')], ['italy', 'plan']);
  throws(() => stem('frensh', 'x'), /Invalid stemmer class specified: Frensh Did you mean "french"/);
});

test('Porter of Snowball is that of 1980, and porter_stem is Lucene’s', () => {
  const stems = (filter: unknown): readonly string[] =>
    ['s', 'is', 'analogy', 'possibly', 'caresses', 'hoping'].map(
      (word) => runParts(standardAnalysis.custom({ filters: [filter] }), word).tokens[0]?.term ?? '',
    );
  deepEqual(stems('porter_stem'), ['s', 'is', 'analog', 'possibl', 'caress', 'hope']);
  deepEqual(stems({ type: 'snowball', language: 'Porter' }), ['', 'i', 'analogi', 'possibli', 'caress', 'hope']);
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

for (const file of readdirSync(new URL('lucene-stems', import.meta.url))) {
  const language = file.replace('.txt', '');
  test(`the stemmer ${language} gives Lucene's stems of a sample of words that it changes in all its ways`, () => {
    const { filters } = createAnalysis({}).custom({
      filters: [...(language === 'greek' ? [{ type: 'lowercase', language }] : []), { type: 'stemmer', language }],
    });
    const lines = readFileSync(new URL(`lucene-stems/${file}`, import.meta.url), 'utf8')
      .trim()
      .split('\n');
    const stems = lines.map((line) => {
      const [term] = line.split(' ') as [string];
      let tokens: Token[] = [{ term, start: 0, end: term.length, position: 0, type: 'word' }];
      for (const filter of filters!) tokens = filter(tokens);
      return `${term} ${tokens[0]!.term}`;
    });
    deepEqual(stems, lines);
  });
}

test('german_stem gives Lucene’s stems, and leaves marked words alone', () => {
  const { filters } = createAnalysis({}).custom({ filters: ['german_stem'] });
  const lines = readFileSync(new URL('german-stem.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const stems = lines.map((line) => {
    const [word] = line.split(' ') as [string];
    let tokens: Token[] = [{ term: word, start: 0, end: word.length, position: 0, type: 'word' }];
    for (const filter of filters!) tokens = filter(tokens);
    return `${word} ${tokens[0]!.term}`;
  });
  deepEqual(stems, lines);
});

test('delimited_payload takes off what stands behind the sign, and refuses what it cannot read', () => {
  const terms = (filter: object, text: string): readonly string[] =>
    createAnalysis({
      filter: { own: { type: 'delimited_payload', ...filter } },
      analyzer: { own: { tokenizer: 'whitespace', filter: ['own'] } },
    })
      .analyzer('own')!
      .analyze(text).terms;
  deepEqual(terms({}, 'the|0 brown|1.5e2 fox'), ['the', 'brown', 'fox']);
  deepEqual(terms({ delimiter: '+', encoding: 'int' }, 'a+1 b+-2 c|3'), ['a', 'b', 'c|3']);
  deepEqual(terms({ encoding: 'identity' }, 'a|b|c'), ['a']);
  throws(() => terms({}, 'fox|red'), /For input string: "red"/);
  throws(() => terms({ encoding: 'int' }, 'fox|1.5'), /Unable to parse/);
  throws(() => terms({ delimiter: '||' }, ''), /is one character/);
  throws(() => terms({ encoding: 'bits' }, ''), /one of \[float, int, identity\]/);
});

test('words of stem_exclusion keep their spelling in Bengali and Hindi, too', () => {
  const analysis = createAnalysis({ analyzer: { mine: { type: 'hindi', stem_exclusion: ['लड़कियाँ'] } } });
  deepEqual(analysis.analyzer('mine')!.analyze('लड़कियाँ लड़कियों').terms, ['लड़कियाँ', 'लडक']);
});

test('the analyzer snowball takes languages with their capital, and stop words of some of them', () => {
  const text = "The running Foxes dog's und die Häuser avec les chevaux het meisje de";
  const analyzer = (options: object) =>
    createAnalysis({ analyzer: { a: { type: 'snowball', ...options } } }).analyzer('a');
  const found = (options: object = {}): string | undefined => analyzer(options)?.analyze(text).terms.join(' ');
  equal(found(), 'run fox dog und die häuser avec les chevaux het meisj de');
  equal(found({ language: 'German2' }), "the running fox dog's haus avec les chevaux het meisj de");
  equal(found({ language: 'French' }), "the running fox dog' und di häus cheval het meisj");
  equal(found({ language: 'Dutch' }), "the running foxes dog' und hauser avec les chevaux meisj");
  equal(found({ language: 'Porter' }), 'the run fox dog und die häuser avec le chevaux het meisj de');
  equal(found({ name: 'Russian' }), "the running foxes dog's und die häuser avec les chevaux het meisje de");
  equal(found({ stopwords: ['running'] }), 'the fox dog und die häuser avec les chevaux het meisj de');
  for (const language of ['english', 'Wrong', 'GERMAN'])
    throws(() => analyzer({ language }), /Invalid stemmer class specified/);
});

test('only the standard analyzer takes max_token_length, and indices that have it elsewhere are opened', () => {
  const settings = (type: string) => ({ analyzer: { a: { type, max_token_length: 3 } } });
  const terms = (type: string, strict: boolean) =>
    createAnalysis(settings(type), {}, strict).analyzer('a')?.analyze('abcdef').terms;
  deepEqual(terms('standard', true), ['abc', 'def']);
  for (const type of ['english', 'irish', 'simple', 'fingerprint']) {
    throws(() => terms(type, true), /\[max_token_length\] of the analyzer \[a\] is not supported/);
    deepEqual(terms(type, false), ['abcdef']);
  }
});
