// A cut-out in the light of the scene that it is set into: its colours move part of the way to the scene's.
import type { Picture } from '../../pictures/picture.ts';
import { type Lab, labOf, putLab } from './lab.ts';

/** How far the light and the tint go over to the scene's. */
const lightShare = 0.35;
const tintShare = 0.45;
/** Every so many pixels one is looked at: a mean needs no more. */
const stride = 7;

interface Mean {
  readonly light: number;
  readonly a: number;
  readonly b: number;
}

export function matched(subject: Picture, scene: Picture): Picture {
  const lab = labOf(subject);
  const own = meanOf(lab, subject);
  const other = meanOf(labOf(scene), scene);
  const lift = (other.light - own.light) * lightShare;
  const a = (other.a - own.a) * tintShare;
  const b = (other.b - own.b) * tintShare;
  const pixels = Buffer.from(subject.pixels);
  for (let i = 0; i < lab.a.length; i++) {
    if (pixels[i * 4 + 3] === 0) continue;
    const light = lab.lightness[i] ?? 0;
    // Black stays black.
    const lifted = light + lift * Math.min(1, light * 2.2);
    putLab(pixels, i * 4, Math.max(0, lifted), (lab.a[i] ?? 0) + a, (lab.b[i] ?? 0) + b);
  }
  return { ...subject, pixels };
}

function meanOf({ lightness, a, b }: Lab, { pixels }: Picture): Mean {
  const sum = { light: 0, a: 0, b: 0 };
  let count = 1e-9;
  for (let i = 0; i < lightness.length; i += stride) {
    if ((pixels[i * 4 + 3] ?? 0) < 128) continue;
    count += 1;
    sum.light += lightness[i] ?? 0;
    sum.a += a[i] ?? 0;
    sum.b += b[i] ?? 0;
  }
  return { light: sum.light / count, a: sum.a / count, b: sum.b / count };
}
