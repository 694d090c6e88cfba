// A colour model: a handful of Gaussians over the features of some pixels, fitted to where a weight says that they
// count. It answers how likely a pixel's features are under it.

/** Features side by side: `count` numbers a pixel. */
export interface Features {
  readonly values: Float32Array;
  readonly count: number;
}

export interface Mixture {
  readonly means: Float32Array;
  /** One over the variance of each feature. */
  readonly precisions: Float32Array;
  /** The logarithm of each Gaussian's height. */
  readonly heights: Float32Array;
}

/** Colours of one cloth in one light still differ about this much, by feature range. */
const leastDeviation = 0.025;
const rounds = 4;
/** One pixel of so many is enough to learn from. */
const stride = 3;

/** Fits `kinds` Gaussians; they start spread evenly over the pixels as sorted by their first feature. */
export function fitted(features: Features, weights: Float32Array, kinds: number): Mixture {
  const some = sampled(features, weights);
  let mixture = started(some.features, some.weights, kinds);
  for (let round = 0; round < rounds; round++)
    mixture = refitted(some.features, some.weights, mixture);
  return mixture;
}

/** A part of the pixels, spread over the picture, without those that do not count. */
function sampled({ values, count }: Features, weights: Float32Array) {
  const places: number[] = [];
  for (let i = 0; i < weights.length; i += stride) if ((weights[i] ?? 0) >= 0.01) places.push(i);
  const taken = new Float32Array(places.length * count);
  for (const [to, from] of places.entries())
    for (let f = 0; f < count; f++) taken[to * count + f] = values[from * count + f] ?? 0;
  const weighed = Float32Array.from(places, (place) => weights[place] ?? 0);
  return { features: { values: taken, count }, weights: weighed };
}

/** The logarithm of the density at each pixel. */
export function likelihoods({ values, count }: Features, mixture: Mixture): Float32Array {
  const kinds = mixture.heights.length;
  const result = new Float32Array(values.length / count);
  for (let i = 0; i < result.length; i++) {
    let sum = 1e-12;
    for (let kind = 0; kind < kinds; kind++)
      sum += densityOf(values, i * count, count, mixture, kind);
    result[i] = Math.log(sum);
  }
  return result;
}

function densityOf(
  values: Float32Array,
  at: number,
  count: number,
  { means, precisions, heights }: Mixture,
  kind: number,
): number {
  let exponent = heights[kind] ?? 0;
  for (let f = 0; f < count; f++) {
    const off = (values[at + f] ?? 0) - (means[kind * count + f] ?? 0);
    exponent -= 0.5 * off * off * (precisions[kind * count + f] ?? 0);
  }
  return exponent < -30 ? 0 : Math.exp(exponent);
}

/** Kinds by lightness and colour: pixels in order of a mixed feature, cut into equal shares of the weight. */
function started({ values, count }: Features, weights: Float32Array, kinds: number): Mixture {
  const size = weights.length;
  const order = Float64Array.from({ length: size }, (_, i) => {
    const first = values[i * count] ?? 0;
    const second = values[i * count + 1] ?? 0;
    const third = values[i * count + 2] ?? 0;
    // The place is kept in the lower digits of what is sorted.
    return Math.round((first + 0.9 * second - 0.7 * third + 2) * 1e5) * 1e7 + i;
  }).sort();
  let total = 0;
  for (const weight of weights) total += weight;
  const shares = new Float32Array(size * kinds);
  let passed = 0;
  for (const entry of order) {
    const i = entry % 1e7;
    const kind = Math.min(kinds - 1, Math.floor((passed / total) * kinds));
    shares[i * kinds + kind] = weights[i] ?? 0;
    passed += weights[i] ?? 0;
  }
  return momentsOf({ values, count }, shares, kinds);
}

function refitted(features: Features, weights: Float32Array, mixture: Mixture): Mixture {
  const { values, count } = features;
  const kinds = mixture.heights.length;
  const shares = new Float32Array(weights.length * kinds);
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] ?? 0;
    let sum = 1e-12;
    for (let kind = 0; kind < kinds; kind++) {
      const density = densityOf(values, i * count, count, mixture, kind);
      shares[i * kinds + kind] = density;
      sum += density;
    }
    for (let kind = 0; kind < kinds; kind++)
      shares[i * kinds + kind] = ((shares[i * kinds + kind] ?? 0) / sum) * weight;
  }
  return momentsOf(features, shares, kinds);
}

/** The Gaussians whose members are given as shares: mean, variance and weight of each. */
function momentsOf({ values, count }: Features, shares: Float32Array, kinds: number): Mixture {
  const totals = new Float64Array(kinds);
  const sums = new Float64Array(kinds * count);
  const squares = new Float64Array(kinds * count);
  for (let i = 0; i < shares.length / kinds; i++)
    for (let kind = 0; kind < kinds; kind++) {
      const share = shares[i * kinds + kind] ?? 0;
      if (share === 0) continue;
      totals[kind] = (totals[kind] ?? 0) + share;
      for (let f = 0; f < count; f++) {
        const value = values[i * count + f] ?? 0;
        sums[kind * count + f] = (sums[kind * count + f] ?? 0) + share * value;
        squares[kind * count + f] = (squares[kind * count + f] ?? 0) + share * value * value;
      }
    }
  const all = totals.reduce((sum, total) => sum + total, 1e-9);
  const means = new Float32Array(kinds * count);
  const precisions = new Float32Array(kinds * count);
  const heights = new Float32Array(kinds);
  for (let kind = 0; kind < kinds; kind++) {
    const total = (totals[kind] ?? 0) + 1e-9;
    let height = Math.log(total / all);
    for (let f = 0; f < count; f++) {
      const mean = (sums[kind * count + f] ?? 0) / total;
      const spread = (squares[kind * count + f] ?? 0) / total - mean * mean;
      const variance = Math.max(spread, 0) + leastDeviation ** 2;
      means[kind * count + f] = mean;
      precisions[kind * count + f] = 1 / variance;
      height -= 0.5 * Math.log(variance);
    }
    heights[kind] = height;
  }
  return { means, precisions, heights };
}
