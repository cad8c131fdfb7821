// Articles that some languages elide before a vowel, as Lucene's analyzers cut them off: l'avion, dell'arte.

/** Language → what may stand before the apostrophe. */
export const ARTICLES = {
  french: ['l', 'm', 't', 'qu', 'n', 's', 'j', 'd', 'c', 'jusqu', 'quoiqu', 'lorsqu', 'puisqu'],
  italian: [
    'c',
    'l',
    'all',
    'dall',
    'dell',
    'nell',
    'sull',
    'coll',
    'pell',
    'gl',
    'agl',
    'dagl',
    'degl',
    'negl',
    'sugl',
    'un',
    'm',
    't',
    's',
    'v',
    'd',
  ],
  catalan: ['d', 'l', 'm', 'n', 's', 't'],
} as const;
