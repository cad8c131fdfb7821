// Replays requests on two empty engines, to see whether the last of them is still answered differently.
import { askHttp, type Step } from './ask.ts';
import { CLEAN } from './compare-histories.ts';
import type { Difference } from './comparison.ts';
import { kindOf } from './group-differences.ts';
import { startOurs } from './ours.ts';
import { reduceDifference } from './reduce-difference.ts';

/** Cuts differences down. @param url of the other engine, which loses all it has @param onReduced takes what is left of each */
export async function reduceAll(
  url: string,
  differences: readonly Difference[],
  onReduced: (difference: Difference, steps: readonly Step[]) => void,
): Promise<void> {
  const theirs = askHttp(url);
  const ours = await startOurs();
  try {
    for (const difference of differences) {
      const kind = kindOf(difference);
      const stillDiffers = async (steps: readonly Step[]): Promise<boolean> => {
        for (const each of CLEAN) await theirs(each);
        await ours.restart();
        for (const each of steps.slice(0, -1)) await Promise.all([theirs(each), ours.ask(each)]);
        const [last] = steps.slice(-1);
        if (last === undefined) return false;
        const [told, own] = await Promise.all([theirs(last), ours.ask(last)]);
        const { normalize } = difference;
        return (
          normalize(told, last.target) !== normalize(own, last.target) && kindOf({ theirs: told, ours: own }) === kind
        );
      };
      onReduced(difference, await reduceDifference(difference.steps, stillDiffers));
    }
  } finally {
    await ours.close();
  }
}
