// Reads the commands of a block of shell, as far as documents use it: lines, continued lines, quotes, comments, assignments in front.

export interface ShellCommand {
  readonly words: readonly string[];
  /** What stands behind it: `401` where a request is meant to be refused. */
  readonly comment: string | undefined;
}

/** The commands of a block, without what they are piped into. */
export function readCommands(code: string): readonly ShellCommand[] {
  const commands: ShellCommand[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let comment: string | undefined;
  let inPipe = false;
  const endWord = (): void => {
    if (word !== undefined && !inPipe) words.push(word);
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    const first = words.findIndex((each) => !/^[A-Z_]+=/.test(each));
    if (first !== -1) commands.push({ words: words.slice(first), comment });
    words = [];
    comment = undefined;
    inPipe = false;
  };
  // A quoted part, a comment, an escaped line break, the end of a line, blanks, a pipe, or one other character.
  for (const [part] of code.matchAll(/'[^']*'|"[^"]*"|(?<=^|\s)#.*|\\\n\s*|\n|[ \t]+|&&|\||[^]/g)) {
    if (part === '\n' || part === '&&') endCommand();
    else if (part === '|') {
      endWord();
      inPipe = true;
    } else if (part.startsWith('#')) comment = part.slice(1).trim();
    else if (/^\s|^\\\n/.test(part)) endWord();
    else word = (word ?? '') + (/^['"]/.test(part) && part.length > 1 ? part.slice(1, -1) : part);
  }
  endCommand();
  return commands;
}
