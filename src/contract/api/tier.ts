// The subscription plans and their limits (facts.md, Uploads and Account; interface.md, POST
// /v1/character-replace).

export const tiers = ['free', 'creator', 'pro', 'business'] as const;
export type Tier = (typeof tiers)[number];

interface Allowance {
  /** The largest file that may be uploaded, in bytes. Published (facts.md, Uploads). */
  readonly uploadBytes: number;
  /**
   * The longer side of an output, in pixels, for tools without named resolutions (models.md,
   * Plans).
   */
  readonly longestEdge: number;
  /**
   * The number of projects in progress at once. Undefined: unlimited (business), or not published
   * (free) (models.md, Plans; August 2026).
   */
  readonly generations?: number;
  /**
   * The price of a credit in US dollars, bought by use, for the first 100,000 credits of a month.
   * Undefined: not for sale by use (models.md, Plans; August 2026).
   */
  readonly creditDollars?: number;
}

const megabyte = 1_000_000;

export const allowances: Readonly<Record<Tier, Allowance>> = {
  free: { uploadBytes: 200 * megabyte, longestEdge: 576 },
  creator: {
    uploadBytes: 2_000 * megabyte,
    longestEdge: 1024,
    generations: 3,
    creditDollars: 0.0012,
  },
  pro: {
    uploadBytes: 5_000 * megabyte,
    longestEdge: 1472,
    generations: 5,
    creditDollars: 0.00195,
  },
  business: { uploadBytes: 10_000 * megabyte, longestEdge: 4096, creditDollars: 0.0025 },
};

export interface OutputLimit {
  /** Maximum pixels of the shorter side. */
  readonly most: number;
  /** Maximum pixels of the longer side. */
  readonly longest: number;
}

export function isTier(text: string): text is Tier {
  return tiers.some((tier) => tier === text);
}

/** In US dollars; undefined if the plan is not known, or has no price by use. */
export const creditDollarsOn = (tier: string | undefined): number | undefined =>
  tier !== undefined && isTier(tier) ? allowances[tier].creditDollars : undefined;
