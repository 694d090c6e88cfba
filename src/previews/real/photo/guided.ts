// The guided filter: fits a mask to the edges of a picture. In every small window the mask is explained by the
// picture's colours; what explains it there also says where it ends, to the pixel.
import { blurred, type Plane, planeOf } from './plane.ts';

/** mask ≈ red · r + green · g + blue · b + offset, with weights that change slowly over the picture. */
export interface Explanation {
  readonly red: Plane;
  readonly green: Plane;
  readonly blue: Plane;
  readonly offset: Plane;
}

type Colours = readonly [Plane, Plane, Plane];

/** `radius` in pixels of the planes; `smoothness` is the colour variance that is taken for noise. */
export function explained(
  [r, g, b]: Colours,
  mask: Plane,
  radius: number,
  smoothness: number,
): Explanation {
  const { width, height } = mask;
  const product = (one: Plane, two: Plane): Float32Array =>
    blurred(
      planeOf(width, height, (i) => (one.values[i] ?? 0) * (two.values[i] ?? 0)),
      radius,
    ).values;
  const [mr, mg, mb, mm] = [r, g, b, mask].map((plane) => blurred(plane, radius).values);
  if (mr === undefined || mg === undefined || mb === undefined || mm === undefined)
    throw new Error('bug: four planes have four means');
  const squares = [product(r, r), product(r, g), product(r, b), product(g, g), product(g, b)];
  const [rr, rg, rb, gg, gb] = squares;
  const bb = product(b, b);
  const [rm, gm, bm] = [product(r, mask), product(g, mask), product(b, mask)];
  const red = new Float32Array(mm.length);
  const green = new Float32Array(mm.length);
  const blue = new Float32Array(mm.length);
  const offset = new Float32Array(mm.length);
  for (let i = 0; i < mm.length; i++) {
    const [ar, ag, ab, am] = [mr[i] ?? 0, mg[i] ?? 0, mb[i] ?? 0, mm[i] ?? 0];
    const vrr = (rr?.[i] ?? 0) - ar * ar + smoothness;
    const vrg = (rg?.[i] ?? 0) - ar * ag;
    const vrb = (rb?.[i] ?? 0) - ar * ab;
    const vgg = (gg?.[i] ?? 0) - ag * ag + smoothness;
    const vgb = (gb?.[i] ?? 0) - ag * ab;
    const vbb = (bb[i] ?? 0) - ab * ab + smoothness;
    const cr = (rm?.[i] ?? 0) - ar * am;
    const cg = (gm?.[i] ?? 0) - ag * am;
    const cb = (bm?.[i] ?? 0) - ab * am;
    // The inverse of the symmetric 3 by 3 covariance, by its minors.
    const irr = vgg * vbb - vgb * vgb;
    const irg = vrb * vgb - vrg * vbb;
    const irb = vrg * vgb - vrb * vgg;
    const igg = vrr * vbb - vrb * vrb;
    const igb = vrb * vrg - vrr * vgb;
    const ibb = vrr * vgg - vrg * vrg;
    const determinant = vrr * irr + vrg * irg + vrb * irb;
    const wr = (irr * cr + irg * cg + irb * cb) / determinant;
    const wg = (irg * cr + igg * cg + igb * cb) / determinant;
    const wb = (irb * cr + igb * cg + ibb * cb) / determinant;
    red[i] = wr;
    green[i] = wg;
    blue[i] = wb;
    offset[i] = am - wr * ar - wg * ag - wb * ab;
  }
  const calm = (values: Float32Array): Plane => blurred({ values, width, height }, radius);
  return { red: calm(red), green: calm(green), blue: calm(blue), offset: calm(offset) };
}
