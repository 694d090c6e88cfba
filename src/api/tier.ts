// What a subscription allows (facts.md, Uploads and Account; interface.md, POST /v1/character-replace).

export const tiers = ['free', 'creator', 'pro', 'business'] as const;
export type Tier = (typeof tiers)[number];

export interface Allowance {
  /** The largest file that may be uploaded, in bytes. Published (facts.md, Uploads). */
  readonly uploadBytes: number;
  /**
   * The most pixels on the shorter side of an output. For `free` it is published (interface.md: 576 px); that
   * higher plans unlock "HD and larger sizes" is too, but not which unlocks what: that part is a guess of ours.
   */
  readonly outputPixels: number;
}

const megabyte = 1_000_000;

export const allowances: Readonly<Record<Tier, Allowance>> = {
  free: { uploadBytes: 200 * megabyte, outputPixels: 576 },
  creator: { uploadBytes: 2_000 * megabyte, outputPixels: 1080 },
  pro: { uploadBytes: 5_000 * megabyte, outputPixels: 2160 },
  business: { uploadBytes: 10_000 * megabyte, outputPixels: 2160 },
};

export function isTier(text: string): text is Tier {
  return tiers.some((tier) => tier === text);
}

/**
 * The pixels on the shorter side that a `resolution` of a request asks for; undefined where it asks for none in
 * particular (`auto`). `640px` is the lowest that some image tools have, so no plan is without it.
 */
export function pixelsAskedFor(resolution: string): number | undefined {
  const known: Readonly<Record<string, number>> = {
    '480p': 480,
    '640px': 480,
    '720p': 720,
    '1080p': 1080,
    '1k': 1024,
    '2k': 1440,
    '4k': 2160,
  };
  return Object.hasOwn(known, resolution) ? known[resolution] : undefined;
}
