// Waiting for something no longer than for a while.

/** Nothing has come yet. */
export const LATE = Symbol('late');

/** What a promise comes to, or LATE; the promise may be asked again. */
export async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, milliseconds, LATE);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
