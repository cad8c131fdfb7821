// Finds the CHECK constraints in the SQL of an SQLite table, which no pragma lists.

/** A quoted name or text, a comment, a bracket, or a word. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?\*\/|[()]|\w+/g;

/** The conditions, without `CHECK` and its brackets. */
export function findChecks(sql: string): readonly string[] {
  const checks: string[] = [];
  const tokens = [...sql.matchAll(TOKEN)];
  for (const [at, token] of tokens.entries()) {
    if (token[0].toUpperCase() !== 'CHECK' || tokens[at + 1]?.[0] !== '(') continue;
    let depth = 0;
    for (const other of tokens.slice(at + 1)) {
      if (other[0] === '(') depth += 1;
      else if (other[0] === ')') depth -= 1;
      if (depth > 0) continue;
      checks.push(sql.slice(tokens[at + 1]!.index + 1, other.index).trim());
      break;
    }
  }
  return checks;
}
