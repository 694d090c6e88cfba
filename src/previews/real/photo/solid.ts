// A subject in one piece: specks of it far from the rest, and holes in it, are mistakes of whoever looked for it.
import type { Plane } from './plane.ts';

/** A part of the subject smaller than this share of the largest is no part of it. */
const leastPart = 0.12;
/** A hole smaller than this share of the picture is filled. */
const largestHole = 0.006;

/** The plane with small parts emptied and small holes filled; what is at least 0.5 is subject. */
export function solid({ values, width, height }: Plane): Plane {
  const inside = Uint8Array.from(values, (value) => (value >= 0.5 ? 1 : 0));
  const parts = partsOf(inside, width, height);
  const largest = parts.reduce(
    (most, part) => (part.inside ? Math.max(most, part.members.length) : most),
    0,
  );
  const result = Float32Array.from(values);
  for (const { inside: subject, rimmed, members } of parts) {
    if (subject && members.length < largest * leastPart) for (const i of members) result[i] = 0;
    if (!subject && !rimmed && members.length < values.length * largestHole)
      for (const i of members) result[i] = 1;
  }
  return { values: result, width, height };
}

interface Part {
  readonly inside: boolean;
  /** Whether it touches the picture's rim. */
  readonly rimmed: boolean;
  readonly members: readonly number[];
}

function partsOf(inside: Uint8Array, width: number, height: number): readonly Part[] {
  const seen = new Uint8Array(inside.length);
  const parts: Part[] = [];
  for (let start = 0; start < inside.length; start++) {
    if (seen[start] === 1) continue;
    const members = [start];
    seen[start] = 1;
    let rimmed = false;
    for (let next = 0; next < members.length; next++) {
      const i = members[next] ?? 0;
      const x = i % width;
      const y = Math.floor(i / width);
      if (x === 0 || y === 0 || x === width - 1 || y === height - 1) rimmed = true;
      const near = [x > 0 ? i - 1 : i, x < width - 1 ? i + 1 : i, i - width, i + width];
      for (const j of near) {
        if (j < 0 || j >= inside.length || seen[j] === 1 || inside[j] !== inside[start]) continue;
        seen[j] = 1;
        members.push(j);
      }
    }
    parts.push({ inside: inside[start] === 1, rimmed, members });
  }
  return parts;
}
