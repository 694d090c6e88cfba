// One number for each pixel, and the few things that mattes and tints do with such planes: blurring them, and
// reading them larger than they are.

export interface Plane {
  readonly values: Float32Array;
  readonly width: number;
  readonly height: number;
}

export function planeOf(width: number, height: number, value: (index: number) => number): Plane {
  const values = new Float32Array(width * height);
  for (let i = 0; i < values.length; i++) values[i] = value(i);
  return { values, width, height };
}

/** The mean of the square around each pixel; at the edges, of what there is of it. */
export function blurred({ values, width, height }: Plane, radius: number): Plane {
  const across = new Float32Array(values.length);
  for (let y = 0; y < height; y++) {
    const row = y * width;
    let sum = 0;
    for (let x = 0; x < Math.min(radius, width); x++) sum += values[row + x] ?? 0;
    for (let x = 0; x < width; x++) {
      if (x + radius < width) sum += values[row + x + radius] ?? 0;
      if (x > radius) sum -= values[row + x - radius - 1] ?? 0;
      const count = Math.min(width - 1, x + radius) - Math.max(0, x - radius) + 1;
      across[row + x] = sum / count;
    }
  }
  const down = new Float32Array(values.length);
  const sums = new Float64Array(width);
  const add = (y: number, sign: number): void => {
    for (let x = 0; x < width; x++) sums[x] = (sums[x] ?? 0) + sign * (across[y * width + x] ?? 0);
  };
  for (let y = 0; y < Math.min(radius, height); y++) add(y, 1);
  for (let y = 0; y < height; y++) {
    if (y + radius < height) add(y + radius, 1);
    if (y > radius) add(y - radius - 1, -1);
    const count = Math.min(height - 1, y + radius) - Math.max(0, y - radius) + 1;
    for (let x = 0; x < width; x++) down[y * width + x] = (sums[x] ?? 0) / count;
  }
  return { values: down, width, height };
}

/** Reads planes of one size as if they were `width` by `height`, a row at a time, smoothly between their pixels. */
export class Enlarged {
  readonly rows: readonly Float32Array[];
  private readonly planes: readonly Plane[];
  private readonly height: number;
  private readonly left: Int32Array;
  private readonly part: Float32Array;
  private readonly line: Float32Array;

  constructor(planes: readonly Plane[], width: number, height: number) {
    const own = planes[0]?.width ?? 1;
    this.planes = planes;
    this.height = height;
    this.rows = planes.map(() => new Float32Array(width));
    this.left = new Int32Array(width);
    this.part = new Float32Array(width);
    this.line = new Float32Array(own + 1);
    for (let x = 0; x < width; x++) {
      const at = Math.min(own - 1, Math.max(0, ((x + 0.5) * own) / width - 0.5));
      this.left[x] = Math.floor(at);
      this.part[x] = at - Math.floor(at);
    }
  }

  /** Fills `rows` with the row `y` of each plane. */
  read(y: number): void {
    const { left, part, line } = this;
    for (const [index, { values, width, height }] of this.planes.entries()) {
      const at = Math.min(height - 1, Math.max(0, ((y + 0.5) * height) / this.height - 0.5));
      const upper = Math.floor(at) * width;
      const lower = Math.min(height - 1, Math.floor(at) + 1) * width;
      const share = at - Math.floor(at);
      for (let x = 0; x < width; x++) {
        const above = values[upper + x] ?? 0;
        line[x] = above + share * ((values[lower + x] ?? 0) - above);
      }
      line[width] = line[width - 1] ?? 0;
      const row = this.rows[index];
      if (row === undefined) continue;
      for (let x = 0; x < row.length; x++) {
        const from = left[x] ?? 0;
        const value = line[from] ?? 0;
        row[x] = value + (part[x] ?? 0) * ((line[from + 1] ?? 0) - value);
      }
    }
  }
}

/** A plane in another, larger size. */
export function enlarged(plane: Plane, width: number, height: number): Plane {
  const reader = new Enlarged([plane], width, height);
  const values = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    reader.read(y);
    values.set(reader.rows[0] ?? [], y * width);
  }
  return { values, width, height };
}
