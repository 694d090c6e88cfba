// A scene without the people who were in it: what they hid is filled with a blur of what is around. It need not be
// looked at closely, since somebody else is put in front.
import type { Picture } from '../../pictures/picture.ts';
import { blurred, Enlarged, type Plane, planeOf } from './plane.ts';

/** The fill is made in a copy this many times smaller. */
const coarse = 8;

/** `subject`: the scene cut out, so that what is opaque there is what shall go. */
export function emptied(scene: Picture, subject: Picture): Picture {
  const { width, height } = scene;
  const [wide, high] = [Math.ceil(width / coarse), Math.ceil(height / coarse)];
  const source = (i: number): number =>
    Math.min(height - 1, Math.floor(i / wide) * coarse + 2) * width +
    Math.min(width - 1, (i % wide) * coarse + 2);
  const gone = blurred(
    planeOf(wide, high, (i) => (subject.pixels[source(i) * 4 + 3] ?? 0) / 255),
    1,
  );
  const shown = planeOf(wide, high, (i) => Math.max(0, 1 - 4 * (gone.values[i] ?? 0)));
  const channels = [0, 1, 2].map((channel) =>
    planeOf(wide, high, (i) => scene.pixels[source(i) * 4 + channel] ?? 0),
  );
  const filled = filledIn(channels, shown);
  const reader = new Enlarged([...filled, gone], width, height);
  const pixels = Buffer.from(scene.pixels);
  for (let y = 0; y < height; y++) {
    reader.read(y);
    for (let x = 0; x < width; x++) {
      const share = Math.min(1, (reader.rows[3]?.[x] ?? 0) * 3);
      if (share <= 0) continue;
      for (let channel = 0; channel < 3; channel++) {
        const at = (y * width + x) * 4 + channel;
        const fill = reader.rows[channel]?.[x] ?? 0;
        pixels[at] = (pixels[at] ?? 0) * (1 - share) + fill * share;
      }
    }
  }
  return { ...scene, pixels };
}

/** Each pixel from the narrowest surroundings of which enough can be seen. */
function filledIn(channels: readonly Plane[], shown: Plane): readonly Plane[] {
  const { width, height } = shown;
  const result = channels.map(() => new Float32Array(width * height));
  const left = new Float32Array(width * height).fill(1);
  for (let radius = 2; radius < Math.max(width, height) * 2; radius *= 2) {
    const amount = blurred(blurred(shown, radius), radius);
    const sums = channels.map((channel) => {
      const seen = planeOf(width, height, (i) => (channel.values[i] ?? 0) * (shown.values[i] ?? 0));
      return blurred(blurred(seen, radius), radius);
    });
    for (let i = 0; i < left.length; i++) {
      const there = amount.values[i] ?? 0;
      if (there < 1e-4) continue;
      const share = (left[i] ?? 0) * Math.min(1, there * 4);
      for (const [channel, sum] of sums.entries()) {
        const row = result[channel];
        if (row !== undefined) row[i] = (row[i] ?? 0) + (share * (sum.values[i] ?? 0)) / there;
      }
      left[i] = (left[i] ?? 0) - share;
    }
  }
  return result.map((values) => {
    for (let i = 0; i < values.length; i++)
      values[i] = (values[i] ?? 0) / Math.max(1e-3, 1 - (left[i] ?? 0));
    return { values, width, height };
  });
}
