// The places of a drawn scene that are more than hills: water, stars, houses and peaks.
import type { ScenePlan } from './scene-plan.ts';

export interface Land {
  readonly plan: ScenePlan;
  readonly width: number;
  readonly height: number;
  readonly chance: () => number;
}

export function sea({ plan, width, height, chance }: Land, horizon: number): string {
  const { sky, shine } = plan.light;
  const parts = [
    `<linearGradient id="water" x2="0" y2="1"><stop offset="0" stop-color="${mix(sky[2], '#1d6a8c', 0.5)}"/><stop offset="1" stop-color="${mix(sky[0], '#06283f', 0.6)}"/></linearGradient>`,
    `<rect y="${horizon}" width="100%" height="${height - horizon}" fill="url(#water)"/>`,
  ];
  for (let wave = 0; wave < 260; wave++) {
    const nearness = chance() ** 0.8;
    const y = horizon + (height - horizon) * nearness;
    const long = width * (0.01 + 0.07 * nearness * chance());
    const x = chance() * width;
    const bow = height * 0.006 * nearness;
    const colour = chance() < 0.6 ? shine : mix(sky[0], '#03202f', 0.6);
    parts.push(
      `<path d="M${x.toFixed(1)} ${y.toFixed(1)}q${(long / 2).toFixed(1)} ${(-bow * 2).toFixed(1)} ${long.toFixed(1)} 0q${(-long / 2).toFixed(1)} ${(-bow).toFixed(1)} ${(-long).toFixed(1)} 0Z" fill="${colour}" opacity="${(0.12 + 0.4 * chance()).toFixed(2)}"/>`,
    );
  }
  return parts.join('');
}

export function planets({ width, height, chance, plan }: Land): string {
  const [x, y] = [width * (0.25 + 0.5 * chance()), height * (0.3 + 0.3 * chance())];
  const radius = Math.min(width, height) * 0.2;
  const hue = plan.hues[0] ?? chance() * 360;
  const stars = Array.from(
    { length: 200 },
    () =>
      `<circle cx="${(chance() * width).toFixed(1)}" cy="${(chance() * height).toFixed(1)}" r="${((0.4 + chance() ** 5 * 2.4) * (height / 700)).toFixed(2)}" fill="#fff" opacity="${(0.3 + 0.7 * chance()).toFixed(2)}"/>`,
  );
  const clouds = Array.from(
    { length: 14 },
    () =>
      `<ellipse cx="${(chance() * width).toFixed(1)}" cy="${(chance() * height).toFixed(1)}" rx="${(width * (0.1 + 0.2 * chance())).toFixed(1)}" ry="${(height * (0.06 + 0.12 * chance())).toFixed(1)}" fill="hsl(${Math.round(hue + 80 * chance())},70%,45%)" opacity=".13"/>`,
  );
  return `<filter id="mist" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="${height * 0.05}"/></filter>
    <radialGradient id="globe" cx=".35" cy=".3" r=".8"><stop offset="0" stop-color="hsl(${hue},60%,72%)"/><stop offset=".6" stop-color="hsl(${hue + 20},60%,42%)"/><stop offset="1" stop-color="hsl(${hue + 40},70%,12%)"/></radialGradient>
    <rect width="100%" height="100%" fill="#05060f"/><g filter="url(#mist)">${clouds.join('')}</g>${stars.join('')}
    <circle cx="${x}" cy="${y}" r="${radius}" fill="url(#globe)"/>
    <ellipse cx="${x}" cy="${y}" rx="${radius * 1.75}" ry="${radius * 0.34}" fill="none" stroke="hsl(${hue + 30},50%,75%)" stroke-width="${radius * 0.09}" opacity=".75" transform="rotate(-14 ${x} ${y})" stroke-dasharray="${radius * 4.1} ${radius * 2}" stroke-dashoffset="${-radius * 0.05}"/>`;
}

export function city({ plan, width, height, chance }: Land, horizon: number): string {
  const { sky, near, shows } = plan.light;
  const lit = shows === 'moon' || shows === 'low sun' || shows === 'lightning';
  const parts: string[] = [];
  for (const nearness of [0.35, 0.65, 1]) {
    const wall = mix(mix(sky[2], '#59687c', 0.6), near, nearness * 0.75);
    for (let x = -width * 0.02; x < width; ) {
      const wide = width * (0.04 + 0.06 * chance());
      const high = height * (0.16 + 0.42 * chance() * (1.15 - nearness * 0.5));
      parts.push(
        `<rect x="${x.toFixed(1)}" y="${(horizon - high).toFixed(1)}" width="${(wide + 1).toFixed(1)}" height="${(high + 2).toFixed(1)}" fill="${wall}"/>`,
      );
      const pane = width * 0.008;
      if (nearness > 0.5)
        for (let wy = horizon - high + pane; wy < horizon - pane * 2; wy += pane * 2)
          for (let wx = x + pane; wx < x + wide - pane; wx += pane * 1.8)
            if (chance() < (lit ? 0.4 : 0.75))
              parts.push(
                `<rect x="${wx.toFixed(1)}" y="${wy.toFixed(1)}" width="${(pane * 0.8).toFixed(1)}" height="${(pane * 1.1).toFixed(1)}" fill="${lit ? '#ffd98a' : sky[1]}" opacity="${lit ? '.9' : '.5'}"/>`,
              );
      x += wide + width * 0.004;
    }
  }
  const dashes = Array.from(
    { length: 7 },
    (_, i) =>
      `<rect x="${width * (0.03 + i * 0.15)}" y="${height * 0.945}" width="${width * 0.07}" height="${height * 0.008}" fill="#e8d9a0" opacity=".8"/>`,
  );
  return `${parts.join('')}<rect y="${horizon}" width="100%" height="${height - horizon}" fill="${mix('#4a4f57', near, 0.5)}"/>
    <rect y="${horizon}" width="100%" height="${height * 0.035}" fill="${mix('#9a9a98', near, 0.35)}"/>${dashes.join('')}`;
}

export function peaks({ plan, width, height, chance }: Land, horizon: number): string {
  const { sky, near } = plan.light;
  return [0.3, 0.65]
    .map((nearness) => {
      const shade = mix(mix(sky[1], '#5a6b86', 0.35 + nearness * 0.5), near, nearness * 0.35);
      const parts: string[] = [];
      for (let x = -0.1; x < 1.1; x += 0.16 + 0.14 * chance()) {
        const wide = width * (0.16 + 0.12 * chance());
        const high = height * (0.2 + 0.26 * chance()) * (1.2 - nearness * 0.5);
        const [cx, top, base] = [x * width, horizon - high, horizon + height * 0.12];
        const at = (share: number, side: number): string =>
          `${(cx + side * wide * share).toFixed(1)} ${(top + (base - top) * share).toFixed(1)}`;
        parts.push(`<path d="M${cx.toFixed(1)} ${top.toFixed(1)}L${at(1, 1)} ${at(1, -1)}Z" fill="${shade}"/>
          <path d="M${cx.toFixed(1)} ${top.toFixed(1)}L${at(1, 1)} ${at(1, 0.1)}L${at(0.5, 0.25)} ${at(0.3, -0.05)}Z" fill="#000" opacity=".16"/>
          <path d="M${cx.toFixed(1)} ${top.toFixed(1)}L${at(0.26, 1)} ${at(0.19, 0.35)} ${at(0.3, 0.1)} ${at(0.18, -0.3)} ${at(0.28, -1)}Z" fill="#fff" opacity="${0.55 + nearness * 0.35}"/>`);
      }
      return parts.join('');
    })
    .join('');
}

/** A colour between two, given as #rrggbb. */
export function mix(one: string, two: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const from = Number.parseInt(one.slice(at, at + 2), 16);
    const to = Number.parseInt(two.slice(at, at + 2), 16);
    return Math.round(from + (to - from) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}
