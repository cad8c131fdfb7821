// The stemmer of Elasticsearch's `lithuanian` analyzer: Snowball's by Dainius Jocas, as Lucene 8 has it, whose stems it gives. One ending
// of a noun, adjective or verb goes, then suffixes one after the other, and softened consonants are written hard.
import { applyRules, longestOf, rules } from './suffix-rules.ts';

const ending = longestOf(`
  a ia eria osna iosna uosna iuosna ysna ėsna e ie enie erie oje ioje uje iuje yje enyje eryje ėje ame iame sime ome ėme
  tumėme ose iose uose iuose yse enyse eryse ėse ate iate ite kite site ote tute ėte tumėte i ai iai eriai ei tumei ki
  imi erimi umi iumi si asi iasi esi iesi siesi isi aisi eisi tumeisi uisi osi ėjosi uosi iuosi siuosi usi ausi čiausi
  ąsi ėsi ųsi tųsi ti enti inti oti ioti uoti iuoti auti iauti yti ėti telėti inėti terėti ui iui eniui oj ėj k am iam
  iem im sim om tum ėm tumėm an on ion un iun ėn o io enio ėjo uo s as ias es ies is ais iais tumeis imis enimis omis
  iomis umis ėmis enis asis ysis ams iams iems ims enims erims oms ioms ums ėms ens os ios uos iuos ers us aus iaus ius
  ys enys erys ąs iąs ės amės iamės imės kimės simės omės ėmės tumėmės atės iatės sitės otės ėtės tumėtės įs ūs tųs at
  iat it sit ot ėt tumėt u au iau čiau iu eniu siu y ą ią ė ę į enį erį ų ių erų`);
const suffix = longestOf(`
  ing aj iaj iej oj ioj uoj iuoj auj ąj iąj ėj ųj iųj ok iok iuk uliuk učiuk išk iul yl ėl am dam jam zgan ain esn op
  iop ias ies ais iais os ios uos iuos aus iaus ąs iąs ęs utėait ant iant siant int ot uot iuot yt ėt ykšt iau dav sv šv
  ykšč ę ėję`);

/** Words whose ending looks like another's. */
const CONFLICTS = rules(`
  0 aitės|aite aitė, 0 uotės|uote uotė, 0 okatės|okate okatė, 0 ėjime ėjimas, 0 avime avimas, 0 ojime ojimas,
  0 esiu esys, 0 asius asys`);
const HARD = rules('0 č t, 0 dž d');

/** `lithuanian`. */
export function lithuanian(word: string): string {
  // Endings lie after the first consonant that follows a vowel, in long words another than a prefixed `a`.
  const prefixed = word.length > 6 && word.startsWith('a') ? 'a' : '';
  const region = /^.*?[aeiyouąęįųėū]+[^aeiyouąęįųėū]/su.exec(word.slice(prefixed.length));
  const from = region === null ? word.length : prefixed.length + region[0].length;
  const cut = (left: string, find: typeof ending): string =>
    left.slice(0, left.length - find(left, left.length - from).length);
  let left = applyRules(HARD, cut(applyRules(CONFLICTS, word), ending));
  for (let before = ''; before !== left;) {
    before = left;
    left = cut(left, suffix);
  }
  return applyRules(HARD, left).replace(/gd$/, 'g');
}
