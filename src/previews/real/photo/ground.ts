// The land of a drawn scene: what lies under the sky at each place, from far to near.
import { city, type Land, mix, peaks, planets, sea } from './landscapes.ts';
import type { Place, ScenePlan } from './scene-plan.ts';

export interface Ground {
  /** Where the sky ends, in pixels from the top. */
  readonly horizon: number;
  /** Where things stand. */
  readonly stand: number;
  /** What is drawn before the subject is, and what after. */
  readonly behind: string;
  readonly before: string;
}

const horizons: Readonly<Record<Place, number>> = {
  sea: 0.56,
  space: 1,
  city: 0.78,
  forest: 0.62,
  mountain: 0.66,
  desert: 0.6,
  snow: 0.6,
  room: 0.7,
  backdrop: 1,
  meadow: 0.58,
};

export function groundOf(
  plan: ScenePlan,
  width: number,
  height: number,
  chance: () => number,
): Ground {
  const horizon = height * horizons[plan.place];
  const land = { plan, width, height, chance };
  return { horizon, stand: height * 0.86, before: '', ...drawn(land, horizon) };
}

function drawn(land: Land, horizon: number): Pick<Ground, 'behind'> & Partial<Ground> {
  const { plan, width, height } = land;
  const far = plan.light.sky[2];
  const { near } = plan.light;
  switch (plan.place) {
    case 'sea':
      return { behind: sea(land, horizon), stand: height * 0.8 };
    case 'space':
      return { behind: planets(land), stand: height * 0.8 };
    case 'city':
      return { behind: city(land, horizon), stand: height * 0.93 };
    case 'forest':
      return {
        behind:
          ridges(land, horizon, '#4d7a4a', 2, 0.1) +
          [0.2, 0.5, 0.8]
            .map((nearness) => trees(land, nearness, mix(far, '#1d3b24', 0.35 + nearness * 0.6)))
            .join(''),
        before: trees(land, 1.15, mix(near, '#0d1d12', 0.6), 7),
      };
    case 'mountain':
      return { behind: peaks(land, horizon) + ridges(land, height * 0.78, '#3f6140', 2, 0.06) };
    case 'desert':
      return { behind: ridges(land, horizon, '#d89a52', 4, 0.09) };
    case 'snow':
      return {
        behind:
          ridges(land, horizon, '#e9f1f7', 3, 0.08) + trees(land, 0.35, mix(far, '#20414a', 0.7)),
        before: flakes(land),
      };
    case 'meadow':
      return { behind: ridges(land, horizon, '#5d9a3f', 4, 0.07) + blossoms(land) };
    case 'room':
      return {
        behind: `<rect width="100%" height="100%" fill="${mix('#d9cbb5', far, 0.25)}"/>
          <rect x="${width * 0.58}" y="${height * 0.1}" width="${width * 0.28}" height="${height * 0.36}" fill="url(#sky)" stroke="#f7f2e8" stroke-width="${height * 0.018}"/>
          <path d="M${width * 0.72} ${height * 0.1}v${height * 0.36}M${width * 0.58} ${height * 0.28}h${width * 0.28}" stroke="#f7f2e8" stroke-width="${height * 0.01}"/>
          <rect y="${height * 0.7}" width="100%" height="${height * 0.3}" fill="#7a5236"/>
          <rect y="${height * 0.7}" width="100%" height="${height * 0.02}" fill="#5c3c26"/>
          <path d="M${width * 0.5} ${height * 0.72}L${width * 0.95} ${height * 0.72} ${width * 0.75} ${height} ${width * 0.2} ${height}Z" fill="#fff" opacity=".1"/>`,
      };
    case 'backdrop':
      return {
        behind: `<ellipse cx="50%" cy="42%" rx="60%" ry="55%" fill="#fff" opacity=".3" filter="url(#soft)"/>${blobs(land)}`,
      };
  }
}

/** Hills one before the other, each nearer one darker. */
function ridges(
  { plan, width, height, chance }: Land,
  horizon: number,
  colour: string,
  count: number,
  rough: number,
): string {
  const { sky, near } = plan.light;
  return Array.from({ length: count }, (_, layer) => {
    const nearness = (layer + 1) / count;
    const base = horizon - height * rough * 0.5 + (height - horizon) * (layer / count) * 0.85;
    const shade = mix(mix(sky[2], colour, 0.45 + 0.5 * nearness), near, 0.45 * nearness);
    return `<path d="${skyline(width, height, base, height * rough * (1.1 - nearness * 0.4), 5, chance)}" fill="${shade}"/>`;
  }).join('');
}

/** A closed path under a sum of a few waves. */
function skyline(
  width: number,
  height: number,
  base: number,
  rough: number,
  waves: number,
  chance: () => number,
): string {
  const parts = Array.from({ length: waves }, (_, wave) => ({
    often: (wave + 0.6 + chance()) * 2.2,
    from: chance() * 7,
    high: rough / (wave + 1.2),
  }));
  let path = `M0 ${height}`;
  for (let step = 0; step <= 60; step++) {
    const y = parts.reduce(
      (sum, { often, from, high }) => sum + Math.sin((step / 60) * often + from) * high,
      base,
    );
    path += `L${((width * step) / 60).toFixed(1)} ${y.toFixed(1)}`;
  }
  return `${path}L${width} ${height}Z`;
}

/** A row of firs; a nearness above 1 is at the very front. */
function trees(
  { width, height, chance }: Land,
  nearness: number,
  colour: string,
  count = 26,
): string {
  const base = height * (0.62 + 0.34 * nearness);
  const parts = Array.from({ length: count }, (_, i) => {
    const front = count < 20;
    const along = front
      ? i % 2 === 0
        ? chance() * 0.22
        : 1 - chance() * 0.22
      : (i + chance()) / count;
    const x = along * width;
    const high = height * (0.16 + 0.34 * nearness) * (0.7 + 0.5 * chance());
    const wide = high * 0.2;
    const tiers = [0, 0.25, 0.5]
      .map(
        (tier) =>
          `M${x.toFixed(1)} ${(base - high * (1 - tier)).toFixed(1)}l${(wide * (0.55 + tier)).toFixed(1)} ${(high * 0.42).toFixed(1)}h${(-2 * wide * (0.55 + tier)).toFixed(1)}z`,
      )
      .join('');
    return `${tiers}M${(x - high * 0.02).toFixed(1)} ${(base - high * 0.1).toFixed(1)}h${(high * 0.04).toFixed(1)}v${(high * 0.12).toFixed(1)}h${(-high * 0.04).toFixed(1)}z`;
  });
  return `<path d="${parts.join('')}" fill="${colour}"/>`;
}

function dots(
  { width, height, chance }: Land,
  count: number,
  draw: (x: number, y: number, size: number) => string,
  from: number,
): string {
  return Array.from({ length: count }, () => {
    const nearness = chance();
    const y = height * (from + (1 - from) * nearness);
    return draw(chance() * width, y, height * (0.002 + 0.006 * nearness));
  }).join('');
}

const blossoms = (land: Land): string =>
  dots(
    land,
    220,
    (x, y, size) => {
      const hue = land.plan.hues[0] ?? Math.floor(land.chance() * 5) * 60;
      return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${size.toFixed(2)}" fill="hsl(${hue},80%,68%)"/>`;
    },
    0.68,
  );

const flakes = (land: Land): string =>
  dots(
    land,
    180,
    (x, y, size) =>
      `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${size.toFixed(2)}" fill="#fff" opacity=".8"/>`,
    0,
  );

function blobs({ plan, width, height, chance }: Land): string {
  return Array.from({ length: 6 }, () => {
    const hue = (plan.hues[0] ?? chance() * 360) + 50 * chance();
    const radius = Math.min(width, height) * (0.1 + 0.2 * chance());
    return `<circle cx="${(chance() * width).toFixed(1)}" cy="${(chance() * height).toFixed(1)}" r="${radius.toFixed(1)}" fill="hsl(${Math.round(hue)},55%,55%)" opacity=".25"/>`;
  }).join('');
}
