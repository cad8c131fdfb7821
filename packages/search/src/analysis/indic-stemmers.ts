// Stemmers of Bengali (after P. Sengupta and B. B. Chaudhuri, and Jacques Savoy's light stemmer) and of Hindi (A. Ramanathan and D. D. Rao,
// "A Lightweight Stemmer for Hindi"): the longest ending goes that leaves two characters. How words of these languages are spelled
// alike before is in `indic-normalization.ts`. They give what Lucene 8's give.
import { applyRules, longestFirst } from './suffix-rules.ts';

const BENGALI = longestFirst(
  2,
  `
  িয়াছিলাম িতেছিলাম িতেছিলেন ইতেছিলেন িয়াছিলেন ইয়াছিলেন
  িতেছিলি িতেছিলে িয়াছিলা িয়াছিলে িতেছিলা িয়াছিলি য়েদেরকে
  িতেছিস িতেছেন িয়াছিস িয়াছেন েছিলাম েছিলেন েদেরকে
  িতেছি িতেছা িতেছে ছিলাম ছিলেন িয়াছি িয়াছা িয়াছে েছিলে েছিলা য়েদের দেরকে
  িলাম িলেন িতাম িতেন িবেন ছিলি ছিলে ছিলা তেছে িতেছ খানা খানি গুলো গুলি য়েরা েদের
  লাম িলি ইলি িলে ইলে লেন িলা ইলা তাম িতি ইতি িতে ইতে তেন িতা িবা ইবা িবি ইবি বেন িবে ইবে ছেন য়োন য়ের েরা দের
  িস েন লি লে লা তি তে তা বি বে বা ছি ছা ছে ুন ুক টা টি নি ের রা কে
  ি ী া ো ে ব ত`,
);

/** `bengali`. */
export function bengali(word: string): string {
  return applyRules(BENGALI, word);
}

const HINDI = longestFirst(
  2,
  `
  ाएंगी ाएंगे ाऊंगी ाऊंगा ाइयाँ ाइयों ाइयां
  ाएगी ाएगा ाओगी ाओगे एंगी ेंगी एंगे ेंगे ूंगी ूंगा ातीं नाओं नाएं ताओं ताएं ियाँ ियों ियां
  ाकर ाइए ाईं ाया ेगी ेगा ोगी ोगे ाने ाना ाते ाती ाता तीं ाओं ाएं ुओं ुएं ुआं
  कर ाओ िए ाई ाए ने नी ना ते ीं ती ता ाँ ां ों ें
  ो े ू ु ी ि ा`,
);

/** `hindi`. */
export function hindi(word: string): string {
  return applyRules(HINDI, word);
}
