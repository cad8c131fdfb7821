// The stemmer of Elasticsearch's `greek` analyzer: Georgios Ntais, "Development of a Stemmer for the Greek Language" (2006), over words
// without accents in small letters. It gives what Lucene 8's gives.
import { lowerCase } from './letter-case.ts';
import { applyRules, endings, letters, longestFirst, type SuffixRule, wordsOf } from './suffix-rules.ts';

const withoutAccents = letters(
  ['άΆ', 'α'],
  ['έΈ', 'ε'],
  ['ήΉ', 'η'],
  ['ίΊϊΪΐ', 'ι'],
  ['ύΎϋΫΰ', 'υ'],
  ['όΌ', 'ο'],
  ['ώΏ', 'ω'],
  ['ς', 'σ'],
);

/** `lowercase` for Greek: without accents, and with one sigma. */
export function greekLowercase(word: string): string {
  return withoutAccents(lowerCase(word));
}

/**
 * Endings that go, and what of them comes back, after which stems. A stem is written whole, or with a hyphen by its end: `-` alone is each.
 */
interface Rule {
  readonly cut: readonly SuffixRule[];
  readonly back?: string;
  readonly after?: string;
  readonly notAfter?: string;
}

const VOWELS = '-α -ε -η -ι -ο -υ -ω';
const VOWELS_BUT_Y = '-α -ε -η -ι -ο -ω';

const RULES: readonly Rule[] = [
  {
    cut: [
      ...endings(0, 'καθεστωτοσ καθεστωτων καθεστωτα καθεστωσ', 'καθεστ'),
      ...endings(0, 'γεγονοτοσ γεγονοτων γεγονοτα γεγονοσ', 'γεγον'),
      ...endings(0, 'τατογιου τατογιων τατογια', 'τατο'),
      ...endings(0, 'σκαγιου σκαγιων σκαγια', 'σκα'),
      ...endings(0, 'ολογιου ολογιων ολογια', 'ολο'),
      ...endings(0, 'κρεατοσ κρεατων κρεατα', 'κρε'),
      ...endings(0, 'περατοσ περατων περατα', 'περ'),
      ...endings(0, 'τερατοσ τερατων τερατα', 'τερ'),
      ...endings(0, 'φαγιου φαγιων φαγια', 'φα'),
      ...endings(0, 'σογιου σογιων σογια', 'σο'),
      ...endings(0, 'φωτοσ φωτων φωτα φωσ', 'φω'),
      ...endings(0, 'κρεασ', 'κρε'),
      ...endings(0, 'περασ', 'περ'),
      ...endings(0, 'τερασ', 'τερ'),
    ],
  },
  {
    cut: endings(4, 'αδεσ αδων'),
    back: 'αδ',
    after: '-',
    notAfter: '-οκ -μαμ -μαν -μπαμπ -πατερ -γιαγι -νταντ -κυρ -θει -πεθερ',
  },
  { cut: endings(4, 'εδεσ εδων'), back: 'εδ', after: '-οπ -ιπ -εμπ -υπ -γηπ -δαπ -κρασπ -μιλ' },
  {
    cut: endings(5, 'ουδεσ ουδων'),
    back: 'ουδ',
    after: '-αρκ -καλιακ -πεταλ -λιχ -πλεξ -σκ -σ -φλ -φρ -βελ -λουλ -χν -σπ -τραγ -φε',
  },
  { cut: endings(3, 'εωσ εων'), back: 'ε', after: 'θ δ ελ γαλ ν π ιδ παρ' },
  { cut: [...endings(2, 'ια'), ...endings(3, 'ιου ιων')], back: 'ι', after: VOWELS },
  {
    cut: [...endings(3, 'ικα ικο'), ...endings(4, 'ικου ικων')],
    back: 'ικ',
    after: `${VOWELS} αλ αδ ενδ αμαν αμμοχαλ ηθ ανηθ αντιδ φυσ βρωμ γερ εξωδ καλπ καλλιν καταδ μουλ μπαν μπαγιατ μπολ μποσ νιτ ξικ
      συνομηλ πετσ πιτσ πικαντ πλιατσ ποστελν πρωτοδ σερτ συναδ τσαμ υποδ φιλον φυλοδ χασ`,
  },
  {
    cut: [...endings(7, 'ηθηκαμε'), ...endings(6, 'ουσαμε'), ...endings(5, 'αγαμε ησαμε ηκαμε'), [4, 'αγαμε', 'αγαμ']],
  },
  {
    cut: endings(3, 'αμε'),
    back: 'αμ',
    after: 'αναπ αποθ αποκ αποστ βουβ ξεθ ουλ πεθ πικρ ποτ σιχ χ',
  },
  {
    cut: [
      ...endings(8, 'ιουντανε'),
      ...endings(7, 'ιοντανε'),
      ...endings(0, 'ουντανε ηθηκανε'),
      ...endings(6, 'ιοτανε'),
      ...endings(0, 'οντανε ουσανε'),
      ...endings(5, 'αγανε'),
      ...endings(0, 'ησανε οτανε ηκανε'),
    ],
    back: 'αγαν',
    after: 'τρ τσ',
  },
  {
    cut: endings(3, 'ανε'),
    back: 'αν',
    after: `${VOWELS_BUT_Y} βετερ βουλκ βραχμ γ δραδουμ θ καλπουζ καστελ κορμορ λαοπλ μωαμεθ μ μουσουλμ ν ουλ π πελεκ πλ πολισ πορτολ
      σαρακατσ σουλτ τσαρλατ ορφ τσιγγ τσοπ φωτοστεφ χ ψυχοπλ αγ γαλ γερ δεκ διπλ αμερικαν ουρ πιθ πουριτ σ ζωντ ικ καστ κοπ λιχ
      λουθηρ μαιντ μελ σιγ σπ στεγ τραγ τσαγ φ ερ αδαπ αθιγγ αμηχ ανικ ανοργ απηγ απιθ ατσιγγ βασ βασκ βαθυγαλ βιομηχ βραχυκ διατ διαφ
      ενοργ θυσ καπνοβιομηχ καταγαλ κλιβ κοιλαρφ λιβ μεγλοβιομηχ μικροβιομηχ νταβ ξηροκλιβ ολιγοδαμ ολογαλ πενταρφ περηφ περιτρ πλατ
      πολυδαπ πολυμηχ στεφ ταβ τετ υπερηφ υποκοπ χαμηλοδαπ ψηλοταβ`,
  },
  { cut: endings(5, 'ησετε') },
  {
    cut: endings(3, 'ετε'),
    back: 'ετ',
    after: `${VOWELS_BUT_Y} αβαρ βεν εναρ αβρ αδ αθ αν απλ βαρον ντρ σκ κοπ μπορ νιφ παγ παρακαλ σερπ σκελ συρφ τοκ υ δ εμ θαρρ θ -οδ -αιρ
      -φορ -ταθ -διαθ -σχ -ενδ -ευρ -τιθ -υπερθ -ραθ -ενθ -ροθ -σθ -πυρ -αιν -συνδ -συν -συνθ -χωρ -πον -βρ -καθ -ευθ -εκθ -νετ -ρον
      -αρκ -βαρ -βολ -ωφελ`,
  },
  // Stems that keep what looks like an ending.
  {
    cut: [[0, 'κρεοντασ', 'κρεωντ'], [0, 'κρεωντασ', 'κρεωντ'], ...endings(5, 'οντασ ωντασ')],
    back: 'οντ',
    after: 'αρχ',
  },
  { cut: endings(6, 'ομαστε'), back: 'ομαστ', after: 'ον' },
  { cut: endings(5, 'ιεστε'), back: 'ιεστ', after: 'π απ συμπ ασυμπ ακαταπ αμεταμφ' },
  { cut: endings(4, 'εστε'), back: 'εστ', after: 'αλ αρ εκτελ ζ μ ξ παρακαλ προ νισ' },
  { cut: [...endings(6, 'ηθηκεσ'), ...endings(5, 'ηθηκα ηθηκε')] },
  {
    cut: [...endings(4, 'ηκεσ'), ...endings(3, 'ηκα ηκε')],
    back: 'ηκ',
    after: 'διαθ θ παρακαταθ προσθ συνθ -σκωλ -σκουλ -ναρθ -σφ -οθ -πιθ',
  },
  {
    cut: [...endings(5, 'ουσεσ'), ...endings(4, 'ουσα ουσε')],
    back: 'ουσ',
    after: `${VOWELS} φαρμακ χαδ αγκ αναρρ βρομ εκλιπ λαμπιδ λεχ μ πατ ρ λ μεδ μεσαζ υποτειν αμ αιθ ανηκ δεσποζ ενδιαφερ δε δευτερευ
      καθαρευ πλε τσα -ποδαρ -βλεπ -πανταχ -φρυδ -μαντιλ -μαλλ -κυματ -λαχ -ληγ -φαγ -ομ -πρωτ`,
  },
  {
    cut: [...endings(4, 'αγεσ'), ...endings(3, 'αγα αγε')],
    back: 'αγ',
    after: `αβαστ πολυφ αδηφ παμφ ρ ασπ αφ αμαλ αμαλλι ανυστ απερ ασπαρ αχαρ δερβεν δροσοπ ξεφ νεοπ νομοτ ολοπ ομοτ προστ προσωποπ συμπ
      συντ τ υποτ χαρ αειπ αιμοστ ανυπ αποτ αρτιπ διατ εν επιτ κροκαλοπ σιδηροπ λ ναυ ουλαμ ουρ π τρ μ -οφ -πελ -χορτ -λλ -σφ -ρπ -φρ
      -πρ -λοχ -σμην`,
    notAfter: 'ψοφ ναυλοχ -κολλ',
  },
  {
    cut: [...endings(4, 'ησου'), ...endings(3, 'ησε ησα')],
    back: 'ησ',
    after: 'ν χερσον δωδεκαν ερημον μεγαλον επταν',
  },
  { cut: endings(4, 'ηστε'), back: 'ηστ', after: 'ασβ σβ αχρ χρ απλ αειμν δυσχρ ευχρ κοινοχρ παλιμψ' },
  {
    cut: [...endings(6, 'ησουνε ηθουνε'), ...endings(4, 'ουνε')],
    back: 'ουν',
    after: 'ν ρ σπι στραβομουτσ κακομουτσ εξων',
  },
  {
    cut: [...endings(6, 'ησουμε ηθουμε'), ...endings(4, 'ουμε')],
    back: 'ουμ',
    after: 'παρασουσ φ χ ωριοπλ αζ αλλοσουσ ασουσ',
  },
  { cut: [...endings(5, 'ματων ματοσ', 'μα'), [4, 'ματα', 'μα']] },
];

/** What goes off a word that none of the rules has shortened. */
const REST = longestFirst(
  1,
  `
  ιοντουσαν ιομασταν ιοσασταν ιουμαστε οντουσαν ιεμαστε ιεσαστε ιομουνα ιοσαστε ιοσουνα ιουνται ιουνταν ηθηκατε ομασταν οσασταν ουμαστε
  ιομουν ιονταν ιοσουν ηθειτε ηθηκαν ομουνα οσαστε οσουνα ουνται ουνταν ουσατε αγατε ιεμαι ιεται ιεσαι ιοταν ιουμα ηθεισ ηθουν ηκατε
  ησατε ησουν ομουν ονται ονταν οσουν ουμαι ουσαν αγαν αμαι ασαι αται ειτε εσαι εται ηδεσ ηδων ηθει ηκαν ησαν ησει ησεσ ομαι οταν αει
  εισ ηθω ησω ουν ουσ αν ασ αω ει εσ ησ οι οσ ου υσ ων α ε η ι ο υ ω`,
);

/** Degrees of adjectives. */
const DEGREES = [...endings(0, 'εστερ εστατ'), ...endings(0, 'οτερ οτατ υτερ υτατ ωτερ ωτατ')];

type Stems = (stem: string) => boolean;

function stems(list: string): Stems {
  const whole = new Set<string>();
  const ends: string[] = [];
  for (const word of wordsOf(list)) {
    if (word.startsWith('-')) ends.push(word.slice(1));
    else whole.add(word);
  }
  return (stem) => whole.has(stem) || ends.some((end) => stem.endsWith(end));
}

const no: Stems = () => false;
const steps = RULES.map(({ cut, back = '', after, notAfter }) => ({
  cut,
  back,
  after: after === undefined ? no : stems(after),
  notAfter: notAfter === undefined ? no : stems(notAfter),
}));

/** `greek`, of a word that went through `greekLowercase`; less than four letters stay. */
export function greek(word: string): string {
  if (word.length < 4) return word;
  let left = word;
  for (const { cut, back, after, notAfter } of steps) {
    const stem = applyRules(cut, left);
    if (stem !== left) left = after(stem) && !notAfter(stem) ? stem + back : stem;
  }
  if (left.length === word.length) left = applyRules(REST, left);
  return applyRules(DEGREES, left);
}
