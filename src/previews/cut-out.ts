// Cuts a picture out of its background: what has the colours of the picture's border, and is connected with it.
import type { Layer } from './input.ts';

/** Up to the first distance a pixel is background, from the second on it is none. */
const [near, far] = [14, 34];

/** Whether most of a picture's border has about one colour. */
export function hasPlainBorder({ pixels, width, height }: Layer): boolean {
  const border = Array.from({ length: width }, (_, x) => [x, x + width * (height - 1)]).flat();
  for (let y = 0; y < height; y += 1) border.push(y * width, y * width + width - 1);
  const middle =
    border.toSorted((one, other) => lightOf(pixels, one) - lightOf(pixels, other))[
      border.length >> 1
    ] ?? 0;
  const alike = border.filter((at) => apart(pixels, at, middle) < far * 2);
  return alike.length > border.length * 0.75;
}

const lightOf = (pixels: Buffer, at: number): number =>
  (pixels[at * 4] ?? 0) + (pixels[at * 4 + 1] ?? 0) + (pixels[at * 4 + 2] ?? 0);

/** The pixels with their background made transparent. */
export function cutOut({ pixels, width, height }: Layer): Buffer {
  const distance = distances(pixels, width, height);
  const isBackground = filled(distance, width, height);
  const cut = Buffer.from(pixels);
  for (let at = 0; at < width * height; at += 1) {
    if (isBackground[at] === 0) continue;
    const share = Math.max(0, Math.min(1, ((distance[at] ?? 0) - near) / (far - near)));
    cut[at * 4 + 3] = Math.round((cut[at * 4 + 3] ?? 0) * share);
  }
  return cut;
}

/** How far each pixel is from the border's colours in its row and its column. */
function distances(pixels: Buffer, width: number, height: number): Float32Array {
  const found = new Float32Array(width * height);
  const below = width * (height - 1);
  for (let at = 0; at < width * height; at += 1) {
    const x = at % width;
    const row = at - x;
    found[at] = Math.min(
      apart(pixels, at, row),
      apart(pixels, at, row + width - 1),
      apart(pixels, at, x),
      apart(pixels, at, below + x),
    );
  }
  return found;
}

/** Of two pixels. A shadow counts for less than another hue. */
function apart(pixels: Buffer, one: number, other: number): number {
  const red = (pixels[one * 4] ?? 0) - (pixels[other * 4] ?? 0);
  const green = (pixels[one * 4 + 1] ?? 0) - (pixels[other * 4 + 1] ?? 0);
  const blue = (pixels[one * 4 + 2] ?? 0) - (pixels[other * 4 + 2] ?? 0);
  const light = (red + green + blue) / 3;
  const tint = (red - green) ** 2 + ((red + green) / 2 - blue) ** 2;
  return Math.sqrt(tint + (light * (light < 0 ? 0.35 : 1)) ** 2);
}

/** 1 for each pixel that is less than `far` away and connected with the border by such pixels. */
function filled(distance: Float32Array, width: number, height: number): Uint8Array {
  const isFilled = new Uint8Array(width * height);
  const open = new Int32Array(width * height);
  let count = 0;
  const reach = (place: number): void => {
    if (isFilled[place] === 1 || (distance[place] ?? far) >= far) return;
    isFilled[place] = 1;
    open[count] = place;
    count += 1;
  };
  for (let x = 0; x < width; x += 1) for (const y of [0, height - 1]) reach(y * width + x);
  for (let y = 0; y < height; y += 1) for (const x of [0, width - 1]) reach(y * width + x);
  for (let next = 0; next < count; next += 1) {
    const place = open[next] ?? 0;
    const x = place % width;
    if (x > 0) reach(place - 1);
    if (x < width - 1) reach(place + 1);
    if (place >= width) reach(place - width);
    if (place < width * (height - 1)) reach(place + width);
  }
  return isFilled;
}
