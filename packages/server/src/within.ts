// A time limit for promises.

/** Returned if the promise is still pending. */
export const LATE = Symbol('late');

/** Awaits a promise for a limited time, or returns LATE; the promise can be awaited again. */
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
