// The shortest mean delay that any schedule of looks can have, if it knows the true distribution of the durations and that is log-normal
// with a median of 1.

/** How finely ages are divided, from a very short project to a very long one, in standard deviations of the logarithm. */
const [ages, shortest, longest] = [3000, -4, 4.2];
/** With so many looks, the density of looks says everything. */
const many = 40;

interface Point {
  readonly looks: number;
  readonly delay: number;
}

export class BestDelay {
  /** The mean duration. */
  readonly mean: number;
  /** From few looks to many: no schedule is below this line. */
  readonly #points: readonly Point[];
  readonly #ofMany: number;

  constructor(spread: number) {
    this.mean = Math.exp(spread ** 2 / 2);
    const line = bestPlacements(spread, this.mean);
    this.#points = Array.from({ length: 105 }, (_, times) => line(0.85 ** (times - 30)));
    this.#ofMany = densest(spread);
  }

  /** In medians, for this many looks a project on average. */
  at(looks: number): number {
    if (looks > many) return this.#ofMany / (looks - 0.5);
    const more = this.#points.findIndex((point) => point.looks >= looks);
    const [low, high] = [this.#points[more - 1], this.#points[more]];
    if (high === undefined) return this.#ofMany / (looks - 0.5);
    if (low === undefined) return high.delay;
    const share = (looks - low.looks) / (high.looks - low.looks);
    return low.delay + share * (high.delay - low.delay);
  }
}

/** Looks and delay of the best schedule, if a look costs as much as this delay: dynamic programming from the last look to the first. */
function bestPlacements(spread: number, mean: number): (price: number) => Point {
  const step = (longest - shortest) / (ages - 1);
  const deviations = Array.from({ length: ages }, (_, index) => shortest + index * step);
  const at = [0, ...deviations.map((z) => Math.exp(spread * z))];
  /** The share of projects that take longer, and the part of the mean that shorter ones make up. */
  const longer = [1, ...deviations.map((z) => 1 - normal(z))];
  const part = [0, ...deviations.map((z) => mean * normal(z - spread))];
  const of = (list: readonly number[], index: number): number => list[index] ?? 0;
  const delayBetween = (from: number, to: number): number =>
    of(at, to) * (of(longer, from) - of(longer, to)) - (of(part, to) - of(part, from));
  return (price) => {
    const cost = new Array<number>(ages + 1).fill(0);
    const delay = new Array<number>(ages + 1).fill(0);
    const looks = new Array<number>(ages + 1).fill(0);
    let next = ages;
    for (let from = ages - 1; from >= 0; from--) {
      const costOf = (to: number): number =>
        price * of(longer, from) + delayBetween(from, to) + of(cost, to);
      // The earlier a look, the earlier is the next one.
      while (next - 1 > from && costOf(next - 1) <= costOf(next)) next -= 1;
      cost[from] = costOf(next);
      delay[from] = delayBetween(from, next) + of(delay, next);
      looks[from] = of(longer, from) + of(looks, next);
    }
    return { looks: of(looks, 0), delay: of(delay, 0) };
  };
}

/** With many looks, they are best as dense as the square root of the hazard (Barlow and Proschan): the delay times the looks. */
function densest(spread: number): number {
  let sum = 0;
  const step = 0.001;
  for (let z = -6; z < 6; z += step) {
    const age = Math.exp(spread * z);
    const density = Math.exp(-(z ** 2) / 2) / (age * spread * Math.sqrt(2 * Math.PI));
    sum += Math.sqrt(Math.max(0, density * (1 - normal(z)))) * spread * age * step;
  }
  return sum ** 2 / 2;
}

/** The normal distribution function (Abramowitz and Stegun 7.1.26). */
function normal(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const polynomial =
    ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  const tail = (polynomial * Math.exp(-(x ** 2))) / 2;
  return z < 0 ? tail : 1 - tail;
}
