// Remembers texts of editors between visits, until the user signs out. Does nothing in a browser that forbids storage.

const PREFIX = 'lockstitch.';

/** Reads a remembered text. */
export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(`${PREFIX}${key}`) ?? undefined;
  } catch {
    // Storage is forbidden.
    return undefined;
  }
}

/** Remembers a text. */
export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`${PREFIX}${key}`, value);
  } catch {
    // Storage is full or forbidden; the text stays in the editor.
  }
}

/** Forgets everything: the next user must not read what this one typed. */
export function forgetAll(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  } catch {
    // Storage is forbidden, so nothing was stored.
  }
}
