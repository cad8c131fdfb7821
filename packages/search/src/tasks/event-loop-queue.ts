// Queue of time slices and requests on the main thread. A turn of the event loop runs as many as fit into a few milliseconds.
// Without the queue all of them would continue in the next turn: 200 searches of a few milliseconds each blocked the loop for a second.

/** Milliseconds after which a turn starts no more work. A slice or search that began before takes up to eight more. */
const TURN_MS = 4;

const line: (() => void)[] = [];
const { nodeTiming } = performance;
/** The latest known turn of the event loop, when it began, and the latest turn that ran something of the queue. */
let turn = -1;
let since = 0;
let served = -1;

/** Whether this turn is used up, or others wait. Then await `yieldTurn`. */
export function isTurnTaken(): boolean {
  return line.length > 0 || isOver();
}

/** Resolves in a later turn of the event loop, after earlier callers. */
export function yieldTurn(): Promise<void> {
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

/** Called once per waiter; each finishes before the next starts. */
function callNext(): void {
  // Every turn runs at least one, whatever else it ran.
  if (isOver() && served === turn) {
    setImmediate(callNext);
    return;
  }
  served = turn;
  line.shift()?.();
}
