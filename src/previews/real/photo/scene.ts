// A picture drawn from words: sky, land, and what stands in front, as the plan of the scene says. It is a drawing,
// and looks like one; no two seeds give the same.
import sharp from 'sharp';
import { type Picture, pictureOf } from '../../pictures/picture.ts';
import { type Ground, groundOf } from './ground.ts';
import { type ScenePlan, scenePlanOf } from './scene-plan.ts';
import { shadesOf } from './shades.ts';

/** Scenes are drawn no larger than this, in pixels, and then enlarged: they have no detail that needs more. */
const longestDrawn = 1280;

export function scene(
  prompt: string,
  { width, height }: Pick<Picture, 'width' | 'height'>,
  chance: () => number,
): Promise<Picture> {
  const scale = Math.min(1, longestDrawn / Math.max(width, height));
  const size = { width: Math.round(width * scale), height: Math.round(height * scale) };
  const drawing = sharp(Buffer.from(drawingOf(scenePlanOf(prompt, chance), size, chance)));
  return pictureOf(scale < 1 ? drawing.resize(width, height, { fit: 'fill' }) : drawing);
}

function drawingOf(
  plan: ScenePlan,
  { width, height }: Pick<Picture, 'width' | 'height'>,
  chance: () => number,
): string {
  const { light, place, hues, subject } = plan;
  const ground = groundOf(plan, width, height, chance);
  const [top, middle, low] = light.sky;
  const hue = hues[0];
  const tint =
    hue === undefined
      ? ''
      : `<rect width="100%" height="100%" fill="hsl(${hue},70%,50%)" opacity="${place === 'backdrop' ? 0.55 : 0.22}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs>
      <linearGradient id="sky" x2="0" y2="1">
        <stop offset="0" stop-color="${top}"/><stop offset=".6" stop-color="${middle}"/><stop offset="1" stop-color="${low}"/>
      </linearGradient>
      <radialGradient id="glow"><stop offset="0" stop-color="${light.shine}" stop-opacity=".9"/>
        <stop offset=".25" stop-color="${light.shine}" stop-opacity=".35"/>
        <stop offset="1" stop-color="${light.shine}" stop-opacity="0"/></radialGradient>
      <radialGradient id="corners" r=".75"><stop offset=".6" stop-opacity="0"/><stop offset="1" stop-opacity=".38"/></radialGradient>
      <filter id="soft" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="${height * 0.012}"/></filter>
    </defs>
    <rect width="100%" height="100%" fill="${low}"/><rect width="100%" height="${ground.horizon + 2}" fill="url(#sky)"/>
    ${place === 'room' || place === 'backdrop' ? '' : skyOf(plan, ground, width, chance)}
    ${ground.behind}${tint}
    ${subject === undefined ? '' : subjectOf(plan, ground, width, height, chance)}
    ${ground.before}
    <rect width="100%" height="100%" fill="url(#corners)"/>
  </svg>`;
}

function skyOf(
  { light, place }: ScenePlan,
  ground: Ground,
  width: number,
  chance: () => number,
): string {
  const { horizon } = ground;
  const x = width * (0.2 + 0.6 * chance());
  const parts: string[] = [];
  if (light.shows === 'moon' || place === 'space')
    for (let star = 0; star < 160; star++) {
      const size = (0.4 + chance() ** 4 * 1.8) * (horizon / 500);
      parts.push(
        `<circle cx="${(chance() * width).toFixed(1)}" cy="${(chance() * horizon).toFixed(1)}" r="${size.toFixed(2)}" fill="#fff" opacity="${(0.3 + 0.7 * chance()).toFixed(2)}"/>`,
      );
    }
  if (place === 'space') return parts.join('');
  const disc = (y: number, radius: number): string =>
    `<circle cx="${x}" cy="${y}" r="${radius * 5}" fill="url(#glow)"/><circle cx="${x}" cy="${y}" r="${radius}" fill="${light.shine}"/>`;
  if (light.shows === 'sun') parts.push(disc(horizon * 0.25, horizon * 0.07));
  if (light.shows === 'low sun') parts.push(disc(horizon * 0.84, horizon * 0.11));
  if (light.shows === 'moon') parts.push(disc(horizon * 0.26, horizon * 0.08));
  if (light.shows === 'lightning') parts.push(boltOf(x, horizon, chance));
  const clouds = light.shows === 'moon' ? 3 : light.shows === 'lightning' ? 16 : 7;
  const colour = light.shows === 'lightning' ? light.sky[0] : light.sky[2];
  const puffs: string[] = [];
  for (let cloud = 0; cloud < clouds; cloud++) {
    const cx = chance() * width;
    const cy = horizon * (0.08 + 0.6 * chance());
    const wide = width * (0.06 + 0.12 * chance());
    for (let puff = 0; puff < 6; puff++) {
      const off = (puff / 5 - 0.5) * wide * 1.6;
      const high = wide * (0.1 + 0.16 * chance());
      puffs.push(
        `<ellipse cx="${(cx + off).toFixed(1)}" cy="${(cy - high * 0.4).toFixed(1)}" rx="${(wide * 0.32).toFixed(1)}" ry="${high.toFixed(1)}" fill="${colour}" opacity=".42"/>`,
      );
    }
  }
  parts.push(`<g filter="url(#soft)">${puffs.join('')}</g>`);
  return parts.join('');
}

function boltOf(x: number, horizon: number, chance: () => number): string {
  let path = `M${x} 0`;
  let at = x;
  for (let y = 1; y <= 9; y++) {
    at += (chance() - 0.5) * horizon * 0.16;
    path += `L${at.toFixed(1)} ${((horizon * y) / 9).toFixed(1)}`;
  }
  return `<path d="${path}" fill="none" stroke="#dfe9ff" stroke-width="${horizon / 45}" opacity=".35" filter="url(#soft)"/>
    <path d="${path}" fill="none" stroke="#fff" stroke-width="${horizon / 160}"/>`;
}

function subjectOf(
  { subject, hues }: ScenePlan,
  ground: Ground,
  width: number,
  height: number,
  chance: () => number,
): string {
  if (subject === undefined) return '';
  const hue = hues[0] ?? subject.natural?.hue ?? Math.floor(chance() * 360);
  const strength = hues.length > 0 ? 55 : (subject.natural?.saturation ?? 55);
  const shades = shadesOf(hue, strength);
  const high = Math.min(subject.share * height, width * 0.85);
  const large = subject.share > 0.8;
  const x = large ? width / 2 : width * (0.32 + 0.36 * chance());
  const bottom = large ? height : ground.stand - subject.lift * height;
  const shadow =
    subject.lift > 0.1 || large
      ? ''
      : `<ellipse cx="${x}" cy="${bottom}" rx="${high * 0.42}" ry="${high * 0.05}" opacity=".35" filter="url(#soft)"/>`;
  const scale = high / 100;
  return `${shadow}<g transform="translate(${x - 50 * scale} ${bottom - high}) scale(${scale})">${subject.draw(shades)}</g>`;
}
