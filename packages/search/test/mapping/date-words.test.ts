import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { dateFormat } from '../../src/mapping/date-format.ts';
import { piecesOf } from '../../src/mapping/pieces.ts';

/** A Wednesday. */
const DAY = Date.UTC(2000, 11, 6, 14, 5);

test('names of months and days are read and written in the language of a format', () => {
  for (const [pattern, locale, text] of [
    ['E, d MMM yyyy HH:mm', 'de', 'Mi., 6 Dez. 2000 14:05'],
    ['EEEE dd MMMM yyyy HH:mm', 'fr', 'mercredi 06 décembre 2000 14:05'],
    ['EEEE, d MMMM yyyy HH:mm', 'ru_RU', 'среда, 6 декабря 2000 14:05'],
    ['yyyy MMMM d h:mm a', 'ja', '2000 12月 6 2:05 午後'],
    ['E, d MMM yyyy h:mm a', 'en_US', 'Wed, 6 Dec 2000 2:05 PM'],
    ['E, d MMM yyyy h:mm a', 'deu', 'Wed, 6 Dec 2000 2:05 PM'],
    ['E, d MMM yyyy h:mm a', '', 'Wed, 6 Dec 2000 2:05 PM'],
  ] as const) {
    const format = dateFormat(pattern, locale);
    equal(format.print(DAY), text);
    equal(format.parse(text), DAY, `${locale}: ${text}`);
    equal(format.parse(text.toUpperCase()), DAY, `${locale}: ${text}`);
  }
});

test('a name without its dot is read, and one of another language is not', () => {
  const german = dateFormat('E, d MMM yyyy HH:mm', 'de');
  equal(german.parse('Mi, 6 Dez 2000 14:05'), DAY);
  equal(german.parse('Wed, 6 Dec 2000 14:05'), undefined);
  equal(dateFormat('E, d MMM yyyy HH:mm').parse('Mi, 6 Dez 2000 14:05'), undefined);
});

/** How many formatters something makes. */
function formattersOf(make: () => void): number {
  const Original = Intl.DateTimeFormat;
  let count = 0;
  Intl.DateTimeFormat = new Proxy(Original, {
    construct(target, given: ConstructorParameters<typeof Original>) {
      count++;
      return new target(...given);
    },
  });
  try {
    make();
  } finally {
    Intl.DateTimeFormat = Original;
  }
  return count;
}

test('a locale takes a formatter for each form and size that its patterns have, and regions share them', () => {
  equal(
    formattersOf(() => dateFormat('yyyy-MM-dd', 'lt_LT')),
    0,
  );
  // One says which locale it is; Croatian of France is that of Croatia.
  equal(
    formattersOf(() => dateFormat('MMM yyyy', 'hr')),
    3,
  );
  equal(
    formattersOf(() => dateFormat('d MMM', 'hr_FR')),
    1,
  );
  equal(
    formattersOf(() => dateFormat('E, d MMM MMMM EEEE h a', 'hr')),
    7,
  );
  equal(
    formattersOf(() => dateFormat('d.MMM.yyyy', 'hr_FR')),
    0,
  );
});

test('a mapping of many locales is merged in many pieces', () => {
  const field = { type: 'date', format: 'MMM', locale: 'de_AT' };
  const many = (locale: object): object => ({
    properties: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, { ...field, ...locale }])),
  });
  const pieces = (definition: object): number => [...piecesOf({ ...definition })].length;
  equal(pieces(many({ locale: undefined })), 2);
  equal(pieces(many({})), 26);
  equal(pieces({ properties: { o: many({}), p: many({}) } }), 54);
});
