// For what has to be quick to be seen at all, within the pause of somebody else for example: no time is long enough on every machine.

/** How many times longer each attempt has than the one before. */
const GROWTH = 4;
const ATTEMPTS = 5;

/**
 * Runs a check with a time, and as long as it fails again with a longer one. What is wrong fails at every length; what only waited for the
 * processor holds at one of them.
 *
 * @param first milliseconds that the first attempt is given; the last one has 256 times as many
 * @throws the error of the last attempt
 */
export async function withLongerTimes(first: number, check: (time: number) => Promise<void>): Promise<void> {
  for (let attempt = 1, time = first; ; attempt++, time *= GROWTH) {
    try {
      return await check(time);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}
