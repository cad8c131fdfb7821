// What the console remembers between visits: texts of editors. A browser that forbids it only forgets.

/** Reads a remembered text. */
export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(`lockstitch.${key}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Remembers a text. */
export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`lockstitch.${key}`, value);
  } catch {
    // Storage is full or forbidden; what is typed stays in the editor.
  }
}
