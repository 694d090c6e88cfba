// A row of bars that shows a sound around the present moment: what was on the left, what comes on the right.
import type { Picture } from '../../pictures/picture.ts';
import { type Colour, fill } from '../../pictures/canvas.ts';
import { type Levels, levelAt } from '../../sound/levels.ts';

/** Bars in the row. */
const bars = 48;
/** Seconds from the first bar to the last. */
const span = 2.4;

/** Paints the bars across the lower part of a picture; what is heard now is in the middle and brightest. */
export function paintBars(picture: Picture, levels: Levels, time: number, colour: Colour): void {
  const { width, height } = picture;
  const pitch = (width * 0.84) / bars;
  const middle = height * 0.74;
  const reach = height * 0.15;
  const plate = {
    left: 0,
    right: width,
    top: middle - reach * 1.15,
    bottom: height,
  };
  fill(picture, plate, [0, 0, 0], 0.3);
  for (let bar = 0; bar < bars; bar++) {
    const off = (bar + 0.5) / bars - 0.5;
    const level = levelAt(levels, time + off * span, span / bars);
    const near = Math.exp(-((off * 7) ** 2));
    // Towards the ends they become lower, so that the row has no hard end.
    const half = Math.max(1, reach * (0.03 + level * (0.45 + 0.55 * Math.cos(off * Math.PI))));
    const left = width * 0.08 + bar * pitch;
    const box = { left, right: left + pitch * 0.62, top: middle - half, bottom: middle + half };
    const lit: Colour = [
      colour[0] + (255 - colour[0]) * near,
      colour[1] + (255 - colour[1]) * near,
      colour[2] + (255 - colour[2]) * near,
    ];
    fill(picture, box, lit, 0.55 + 0.4 * near);
  }
}
