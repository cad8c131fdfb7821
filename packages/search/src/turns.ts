// Who goes on next on the main thread. Work in slices and requests that come in stand in one line, and a turn of the event loop takes as many
// of them as fit into some milliseconds: otherwise all that wait would go on in the very next turn, and 200 searches that came together, of
// which each takes a few milliseconds, held the loop for a second. How long a slice is, is decided in drive.ts.

/** Milliseconds of a turn after which nobody else goes on in it. A slice or the turn of a search that began before takes up to eight more. */
const TURN_MS = 4;

const line: (() => void)[] = [];
const { nodeTiming } = performance;
/** The turn of the event loop that was looked at last, when that was first, and the last one in which somebody out of the line went on. */
let turn = -1;
let since = 0;
let served = -1;

/** Whether this turn is taken: so much was done in it since it was first asked, or others wait. Then `nextTurn` is to be awaited. */
export function isTurnTaken(): boolean {
  return line.length > 0 || isOver();
}

/** Resolves in a later turn of the event loop, when those who waited before have gone on. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    line.push(resolve);
    setImmediate(callNext);
  });
}

function isOver(): boolean {
  const now = performance.now();
  const { loopCount } = nodeTiming.uvMetricsInfo;
  if (loopCount !== turn) {
    turn = loopCount;
    since = now;
  }
  return now - since > TURN_MS;
}

/** Once for each who waits: what one does is done by the time that the next is called. */
function callNext(): void {
  // Somebody goes on in every turn, whatever else it was taken by.
  if (isOver() && served === turn) {
    setImmediate(callNext);
    return;
  }
  served = turn;
  line.shift()?.();
}
