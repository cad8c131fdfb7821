// What `moving_fn` and `moving_avg` compute of the values in a window: Elasticsearch's MovingFunctions, number for number. A value that is
// none is passed over; where there is nothing to compute of, the outcome is no number either.

/** A function of the values in a window and of its settings. */
export interface MovingFunction {
  /** Settings besides the values. */
  readonly settings: number;
  of(values: readonly number[], ...settings: readonly number[]): number;
}

const real = (values: readonly number[]): readonly number[] => values.filter((value) => !Number.isNaN(value));
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function average(values: readonly number[]): number {
  const found = real(values);
  return found.length === 0 ? Number.NaN : sum(found) / found.length;
}

/** The later a value, the more it weighs. The weights' sum begins with 1, as in Elasticsearch. */
function linear(values: readonly number[]): number {
  const found = real(values);
  if (found.length === 0) return Number.NaN;
  const weights = 1 + (found.length * (found.length + 1)) / 2;
  return found.reduce((total, value, at) => total + value * (at + 1), 0) / weights;
}

function ewma(values: readonly number[], alpha: number): number {
  return real(values).reduce(
    (before, value, at) => (at === 0 ? value : value * alpha + before * (1 - alpha)),
    Number.NaN,
  );
}

function holt(values: readonly number[], alpha: number, beta: number): number {
  let level = Number.NaN;
  let trend = 0;
  for (const [at, value] of real(values).entries()) {
    const before = level;
    level = at === 0 ? value : alpha * value + (1 - alpha) * (before + trend);
    if (at > 0) trend = beta * (level - before) + (1 - beta) * trend;
  }
  return level;
}

/** @throws RangeError for fewer values than two seasons */
function holtWinters(
  values: readonly number[],
  alpha: number,
  beta: number,
  gamma: number,
  period: number,
  isMultiplicative: number,
): number {
  if (values.length === 0) return Number.NaN;
  if (values.length < period * 2)
    throw new RangeError(
      `Holt-Winters aggregation requires at least (2 * period == 2 * ${period} == ${2 * period}) data-points to function.  Only [${values.length}] were provided.`,
    );
  const multiplicative = isMultiplicative !== 0;
  const padding = multiplicative ? 1e-10 : 0;
  const padded = new Float64Array(values.length);
  const found = real(values);
  if (found.length === 0) return Number.NaN;
  found.forEach((value, at) => (padded[at] = value + padding));
  let level = 0;
  let trend = 0;
  for (let at = 0; at < period; at++) {
    level += padded[at]!;
    trend += (padded[at + period]! - padded[at]!) / period;
  }
  level /= period;
  trend /= period;
  const seasonal = new Float64Array(values.length);
  if (level !== 0) for (let at = 0; at < period; at++) seasonal[at] = padded[at]! / level;
  let [lastLevel, lastTrend] = [level, 0];
  for (let at = period; at < padded.length; at++) {
    const season = seasonal[at - period]!;
    const value = padded[at]!;
    level = alpha * (multiplicative ? value / season : value - season) + (1 - alpha) * (lastLevel + lastTrend);
    trend = beta * (level - lastLevel) + (1 - beta) * lastTrend;
    seasonal[at] = multiplicative
      ? gamma * (value / (lastLevel + lastTrend)) + (1 - gamma) * season
      : gamma * (value - (lastLevel - lastTrend)) + (1 - gamma) * season;
    [lastLevel, lastTrend] = [level, trend];
  }
  const season = seasonal[values.length - period]!;
  return multiplicative ? (level + trend) * season : level + trend + season;
}

/** The functions by their names. */
export const MOVING_FUNCTIONS: Readonly<Record<string, MovingFunction>> = {
  max: { settings: 0, of: (values) => real(values).reduce((a, b) => (b > a || Number.isNaN(a) ? b : a), Number.NaN) },
  min: { settings: 0, of: (values) => real(values).reduce((a, b) => (b < a || Number.isNaN(a) ? b : a), Number.NaN) },
  sum: { settings: 0, of: (values) => sum(real(values)) },
  stdDev: {
    settings: 1,
    of(values, mean) {
      const found = real(values);
      if (Number.isNaN(mean) || found.length === 0) return Number.NaN;
      return Math.sqrt(sum(found.map((value) => (value - mean) ** 2)) / found.length);
    },
  },
  unweightedAvg: { settings: 0, of: average },
  linearWeightedAvg: { settings: 0, of: linear },
  ewma: { settings: 1, of: (values, alpha) => ewma(values, alpha) },
  holt: { settings: 2, of: (values, alpha, beta) => holt(values, alpha, beta) },
  holtWinters: {
    settings: 5,
    of: (values, alpha, beta, gamma, period, multiplicative) =>
      holtWinters(values, alpha, beta, gamma, period, multiplicative),
  },
};
