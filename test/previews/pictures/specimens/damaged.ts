// Good pictures that met with an accident: cut off anywhere, or with bytes that changed on the way.
import { drawing, type Expectation, invalid, type Specimen, undecided } from './specimen.ts';

/** Shares of the length. The first few bytes of every format are its header. */
const shares = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97];

/** What follows the first picture, or holds no pixels, may be missing without anybody's noticing. */
const maySurvive = /moving|pages|pyramid/;

export function damaged(whole: readonly Specimen[]): readonly Specimen[] {
  return whole.flatMap((specimen, index) => [
    ...cutOff(specimen),
    ...changed(specimen, drawing(1000 + index)),
  ]);
}

function cutOff({ name, bytes }: Specimen): readonly Specimen[] {
  const expected: Expectation = maySurvive.test(name) ? undecided : invalid;
  return shares.map((share) => {
    const at = Math.floor(bytes.length * share);
    return { name: `cut-at-${at}-of-${name}`, bytes: bytes.subarray(0, at), expected };
  });
}

/** Four accidents in the header, four anywhere: a bit that flips, a byte, a run of bytes, a piece that is doubled. */
function changed({ name, bytes }: Specimen, draw: (limit: number) => number): readonly Specimen[] {
  return Array.from({ length: 8 }, (_, index) => {
    const reach = index < 4 ? Math.min(bytes.length, 200) : bytes.length;
    const at = draw(reach);
    const copy = Buffer.from(bytes);
    const kind = index % 4;
    if (kind === 0) copy.writeUInt8(copy.readUInt8(at) ^ (1 << draw(8)), at);
    if (kind === 1) copy.writeUInt8(draw(256), at);
    if (kind === 2) copy.fill(draw(256), at, Math.min(bytes.length, at + 1 + draw(16)));
    const doubled = [copy.subarray(0, at), copy.subarray(Math.max(0, at - 1 - draw(40)))];
    return {
      name: `changed-${index}-${name}`,
      bytes: kind === 3 ? Buffer.concat(doubled) : copy,
      expected: undecided,
    };
  });
}
