// What `\p{…}` names in patterns of Java, as members of a character class of JavaScript.

/** Classes of POSIX: of ASCII, and with the flag `UNICODE_CHARACTER_CLASS` of all letters. */
const POSIX: Readonly<Record<string, readonly [ascii: string, all: string]>> = {
  Lower: ['a-z', String.raw`\p{Lowercase}`],
  Upper: ['A-Z', String.raw`\p{Uppercase}`],
  ASCII: [String.raw`\x00-\x7f`, String.raw`\x00-\x7f`],
  Alpha: ['a-zA-Z', String.raw`\p{Alphabetic}`],
  Digit: ['0-9', String.raw`\p{Nd}`],
  Alnum: ['a-zA-Z0-9', String.raw`\p{Alphabetic}\p{Nd}`],
  Punct: [String.raw`\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e`, String.raw`\p{P}`],
  Graph: [String.raw`\x21-\x7e`, String.raw`\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Co}`],
  Print: [String.raw`\x20-\x7e`, String.raw`\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Co}\p{Zs}`],
  Blank: [String.raw`\x20\t`, String.raw`\p{Zs}\t`],
  Cntrl: [String.raw`\x00-\x1f\x7f`, String.raw`\p{Cc}`],
  XDigit: ['0-9a-fA-F', String.raw`\p{Nd}\p{Hex_Digit}`],
  Space: [String.raw`\x20\t\n\x0b\f\r`, String.raw`\p{White_Space}`],
};

/** Names of Java's own, and those of categories that Unicode does not have. */
const OTHERS: Readonly<Record<string, string>> = {
  L1: String.raw`\x00-\xff`,
  LC: String.raw`\p{Lu}\p{Ll}\p{Lt}`,
  LD: String.raw`\p{L}\p{Nd}`,
  all: String.raw`\u{0}-\u{10ffff}`,
  javaLowerCase: String.raw`\p{Lowercase}`,
  javaUpperCase: String.raw`\p{Uppercase}`,
  javaTitleCase: String.raw`\p{Lt}`,
  javaAlphabetic: String.raw`\p{Alphabetic}`,
  javaLetter: String.raw`\p{L}`,
  javaDigit: String.raw`\p{Nd}`,
  javaLetterOrDigit: String.raw`\p{L}\p{Nd}`,
  javaSpaceChar: String.raw`\p{Z}`,
  javaWhitespace: String.raw`\t-\r\x1c-\x1f\x20\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000`,
};

/** Binary properties behind `Is`, in lower case. */
const BINARY: Readonly<Record<string, string>> = {
  alphabetic: 'Alphabetic',
  letter: 'L',
  ideographic: 'Ideographic',
  lowercase: 'Lowercase',
  uppercase: 'Uppercase',
  titlecase: 'Lt',
  punctuation: 'P',
  control: 'Cc',
  white_space: 'White_Space',
  digit: 'Nd',
  hex_digit: 'Hex_Digit',
  join_control: 'Join_Control',
  assigned: 'Assigned',
};

/** The blocks that people name, in lower case without what parts their words. JavaScript knows none. */
const BLOCKS: Readonly<Record<string, string>> = {
  basiclatin: String.raw`\x00-\x7f`,
  latin1supplement: String.raw`\x80-\xff`,
  latinextendeda: String.raw`\u0100-\u017f`,
  latinextendedb: String.raw`\u0180-\u024f`,
  combiningdiacriticalmarks: String.raw`\u0300-\u036f`,
  greek: String.raw`\u0370-\u03ff`,
  greekandcoptic: String.raw`\u0370-\u03ff`,
  cyrillic: String.raw`\u0400-\u04ff`,
  armenian: String.raw`\u0530-\u058f`,
  hebrew: String.raw`\u0590-\u05ff`,
  arabic: String.raw`\u0600-\u06ff`,
  devanagari: String.raw`\u0900-\u097f`,
  thai: String.raw`\u0e00-\u0e7f`,
  generalpunctuation: String.raw`\u2000-\u206f`,
  hiragana: String.raw`\u3040-\u309f`,
  katakana: String.raw`\u30a0-\u30ff`,
  cjksymbolsandpunctuation: String.raw`\u3000-\u303f`,
  cjkunifiedideographs: String.raw`\u4e00-\u9fff`,
  hangulsyllables: String.raw`\uac00-\ud7af`,
};

const ALL_CASES = String.raw`\p{Lu}\p{Ll}\p{Lt}`;

/**
 * Members of a class; undefined for an unknown name.
 *
 * @param name between the braces
 * @param ignoresCase whether a property of one case is one of all
 * @param isUnicode whether classes of POSIX hold letters of all scripts
 */
export function propertyMembers(name: string, ignoresCase: boolean, isUnicode: boolean): string | undefined {
  if (ignoresCase && /^(?:Is)?L[ult]$|^java(?:Lower|Upper|Title)Case$|^Is(?:lower|upper|title)case$/i.test(name))
    return ALL_CASES;
  if (Object.hasOwn(POSIX, name)) {
    const [ascii, all] = POSIX[ignoresCase && /^(?:Low|Upp)er$/.test(name) ? 'Alpha' : name]!;
    return isUnicode ? all : ascii;
  }
  if (Object.hasOwn(OTHERS, name)) return OTHERS[name];
  const [, key = '', value = name] = /^(\w+)=(.*)$/.exec(name) ?? [];
  if (/^(?:sc|script)$/i.test(key)) return known(`Script=${scriptName(value)}`);
  if (/^(?:blk|block)$/i.test(key)) return BLOCKS[blockName(value)];
  if (/^(?:gc|general_category)$/i.test(key)) return known(`gc=${value}`);
  if (key !== '') return undefined;
  if (name.startsWith('In')) return BLOCKS[blockName(name.slice(2))];
  if (!name.startsWith('Is')) return name.length <= 2 ? known(`gc=${name}`) : undefined;
  const plain = name.slice(2);
  const binary = BINARY[plain.toLowerCase()];
  if (binary !== undefined) return `\\p{${binary}}`;
  return (plain.length <= 2 ? known(`gc=${plain}`) : undefined) ?? known(`Script=${scriptName(plain)}`);
}

/** Java reads names of scripts in any case. */
function scriptName(name: string): string {
  return name.toLowerCase().replaceAll(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
}

function blockName(name: string): string {
  return name.toLowerCase().replaceAll(/[ _-]/g, '');
}

/** A property, where JavaScript knows it. */
function known(property: string): string | undefined {
  const text = `\\p{${property}}`;
  try {
    RegExp(text, 'u');
    return text;
  } catch {
    // No such name.
    return undefined;
  }
}
