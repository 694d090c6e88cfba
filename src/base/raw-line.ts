// A line of a state file as it is on disk, before it is parsed.

interface RawLine {
  /** Without the line feed. Bytes that are not UTF-8 are replaced. */
  readonly text: string;
  /** True if the bytes are UTF-8. */
  readonly wellFormed: boolean;
  /** True if the line ends in the middle of a character, which `text` omits. The bytes before that are UTF-8. */
  readonly midCharacter?: boolean;
  /** True if the line ends with a line feed. */
  readonly terminated: boolean;
}

/** Git's conflict markers; the first group is the marker alone. */
export const conflictMarker = /^(<<<<<<<|\|\|\|\|\|\|\||=======|>>>>>>>)(?:[ \r]|$)/;

/** What is said of such a marker: the remedy is another one than for damage. */
const unresolvedMerge = 'it is a conflict marker of git: a merge was left unresolved';

/** Why these bytes cannot be a line of a state file, whatever the text says; undefined if they can. */
export function byteProblem({ text, wellFormed }: RawLine): string | undefined {
  if (conflictMarker.test(text)) return unresolvedMerge;
  const zeros = zerosIn(text);
  if (zeros > 0 && /^[^\0]{0,3}(?:\0[^\0]){8}/.test(text))
    return 'it is UTF-16 text, as some editors save it: save the file as UTF-8';
  if (zeros > 0) return zeroBytes(zeros);
  return wellFormed ? undefined : 'it has bytes that are not text (UTF-8)';
}

/** Counted in place, because a file may consist of zeros only. */
export function zerosIn(text: string): number {
  let zeros = 0;
  for (let at = text.indexOf('\0'); at >= 0; at = text.indexOf('\0', at + 1)) zeros += 1;
  return zeros;
}

export const zeroBytes = (zeros: number): string =>
  `${zeros} zero ${zeros === 1 ? 'byte' : 'bytes'}, left by a power failure`;
