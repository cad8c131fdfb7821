// Spellings that words of Scandinavian languages and of Serbian are made alike in: å, æ and ø however they are written, with their dots, as
// two letters or without either; and Serbian in one alphabet. They give what Lucene 8's filters give.
import { letters } from './suffix-rules.ts';

const toDanish = letters(['ä', 'æ'], ['Ä', 'Æ'], ['ö', 'ø'], ['Ö', 'Ø']);
const PAIRS: Readonly<Record<string, string>> = { aa: 'å', ao: 'å', ae: 'æ', oe: 'ø', oo: 'ø' };

/** `scandinavian_normalization`: `blåbærsyltetøj` however it is written. */
export function scandinavianNormalization(word: string): string {
  return toDanish(word).replace(/a[aoe]|o[oe]/gi, (pair) => {
    const letter = PAIRS[pair.toLowerCase()]!;
    return pair[0] === 'a' || pair[0] === 'o' ? letter : letter.toUpperCase();
  });
}

const toPlain = letters(['åäæ', 'a'], ['ÅÄÆ', 'A'], ['öø', 'o'], ['ÖØ', 'O']);

/** `scandinavian_folding`: the same without letters that others have not. */
export function scandinavianFolding(word: string): string {
  // Pairs are those of the word as it was written.
  return word.replace(/[åäæÅÄÆöøÖØ]|a[aoe]|o[oe]/gi, (found) => toPlain(found[0]!));
}

const SERBIAN =
  'аa бb вv гg дd ђdj đdj еe жz žz зz иi јj кk лl љlj мm нn њnj оo пp рr сs тt ћc ćc уu фf хh цc чc čc џdz шs šs';

/** `serbian_normalization`: Latin letters without marks. */
export const serbianNormalization = letters(...SERBIAN.split(' ').map((pair) => [pair[0]!, pair.slice(1)] as const));
