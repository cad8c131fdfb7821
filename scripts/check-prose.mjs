// Checks the prose of documents and comments: spelling against a British dictionary and the project's own words (prose-words.txt),
// words with plainer substitutes, and in documents the length of sentences.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import dictionary from 'dictionary-en-gb';
import nspell from 'nspell';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Words in one clause (up to a full stop, semicolon or colon) of a document; code and links count as nothing. */
const LONGEST_CLAUSE = 40;

/** Words that readers stumble over, and what to write. */
const PLAINER = [
  [/\banew\b/i, 'again'],
  [/\b(?:whoever|whosoever)\b/i, 'the caller, the reader, …: name the actor'],
  [/\b(?:he|his|him|she|her)\b/i, 'they, their'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\bfor want of\b/i, 'without'],
  [/\b(?:is|are|was|were) told (?:of|to)\b/i, 'report, notify'],
  [/\bat a stroke\b/i, 'in one step'],
];

/** Takes the place of code in a sentence: a capital, as code may begin one. */
const CODE = 'Q';

const speller = nspell(Buffer.from(dictionary.aff), Buffer.from(dictionary.dic));
const words = new Set(readFileSync(join(root, 'scripts', 'prose-words.txt'), 'utf8').split('\n'));
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const mistakes = [];

for (const file of trackedFiles()) {
  const text = readFileSync(join(root, file), 'utf8');
  const isDocument = file.endsWith('.md');
  const prose = isDocument ? proseOf(text) : commentsOf(text);
  for (const [at, line] of prose.split('\n').entries()) {
    for (const [pattern, instead] of PLAINER) {
      const found = pattern.exec(line);
      if (found !== null) mistakes.push(`${file}:${at + 1}: "${found[0]}": write ${instead}`);
    }
    for (const word of unknownWords(line)) mistakes.push(`${file}:${at + 1}: unknown word "${word}"`);
  }
  if (isDocument) checkClauses(file, prose);
}
for (const mistake of mistakes) process.stdout.write(`${mistake}\n`);
if (mistakes.length > 0) {
  process.stdout.write('A word of the field goes into scripts/prose-words.txt.\n');
  process.exit(1);
}

function trackedFiles() {
  const listed = execFileSync('git', ['ls-files', '-z', '*.md', '*.ts', '*.mjs'], { cwd: root, encoding: 'utf8' });
  return listed.split('\0').filter((file) => !/^$|\/data\/|lucene-|THIRD-PARTY/.test(file));
}

/** The text of a document with code, links and markup blanked; lines stay where they are. */
function proseOf(text) {
  return text
    .replaceAll(/^```[\s\S]*?^```/gm, blank)
    .replaceAll(/`[^`\n]*`/g, CODE)
    .replaceAll(/\]\([^)\s]*\)/g, ']')
    .replaceAll(/https?:\S+|<[^>\n]+>/g, ' ');
}

/** The comments of a source with code, names of files, tags and links blanked; lines stay where they are. */
function commentsOf(text) {
  let kept = '';
  let end = 0;
  for (const { 0: comment, index } of text.matchAll(/(?<=^|\s)\/\/[^\n]*|\/\*\*?\s[\s\S]*?\*\//gm)) {
    kept += blank(text.slice(end, index)) + comment;
    end = index + comment.length;
  }
  return (kept + blank(text.slice(end)))
    .replaceAll(/`[^`\n]*`|'[^'\n]*'|"[^"\n]*"/g, ' ')
    .replaceAll(/https?:\S+|\{[^}\n]*\}|@\w+(?: [\w,.]+)?/g, ' ')
    .replaceAll(/[\w/*.-]+\.(?:ts|md|json|mjs|txt|java|html)\b/g, ' ');
}

function blank(text) {
  return text.replaceAll(/[^\n]/g, '');
}

/** Names in code (camelCase, CAPITALS, snake_case, with digits) are not words. */
function* unknownWords(line) {
  for (const [token] of line.matchAll(/[\p{L}\p{N}_][\p{L}\p{N}_'’]*/gu)) {
    const word = token.replaceAll('’', "'").replace(/'s?$/, '');
    if (word.length < 3 || /[\p{N}_]|\p{Ll}\p{Lu}|^\p{Lu}+s?$|[\u0250-\uffff]/u.test(word)) continue;
    if (!speller.correct(word) && !words.has(word) && !words.has(word.toLowerCase())) yield word;
  }
}

function checkClauses(file, prose) {
  for (const block of prose.split(/\n\s*\n|\n(?=\s*(?:[-*|#>]|\d+\.))/)) {
    if (/^\s*\|/.test(block)) continue;
    const text = block.replaceAll(/\s+/g, ' ').replaceAll(/[;:] /g, '. A');
    for (const { segment } of sentences.segment(text)) {
      const length =
        segment.match(/[\p{L}\p{N}][\p{L}\p{N}'’.,-]*/gu)?.filter((word) => !/^Q[',.’-]*$/.test(word)).length ?? 0;
      if (length > LONGEST_CLAUSE)
        mistakes.push(`${file}: ${length} words in a sentence, at most ${LONGEST_CLAUSE}: "${segment.slice(0, 60)}…"`);
    }
  }
}
