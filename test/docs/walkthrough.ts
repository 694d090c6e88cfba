// Follows a page as a reader does: saves its files, makes its changes, types its commands, and compares what they print.
import { read } from '../examples.ts';
import { Shell, stands } from '../shell.ts';

interface Block {
  readonly language: string;
  readonly text: string;
  /** The last file that the text before the block names. */
  readonly file: string | undefined;
}

export function blocksOf(page: string): readonly Block[] {
  const text = read(page);
  const files = [...text.matchAll(/`([\w./-]+\.(?:yaml|csv))`/g)];
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map((match) => ({
    language: match[1] ?? '',
    text: match[2] ?? '',
    file: files.findLast(({ index }) => index < match.index)?.[1],
  }));
}

/** A reader with a shell, who also makes the changes that a page shows. */
export class Walkthrough extends Shell {
  /** Applies a `diff` block: the lines with "-" become those with "+". */
  change(file: string, diff: string): void {
    const side = (sign: string): string =>
      diff
        .split('\n')
        .filter((line) => line.startsWith(sign))
        .map((line) => line.slice(1))
        .join('\n');
    const before = this.rig.read(file);
    if (before.split(side('-')).length !== 2) throw new Error(`${file} does not have: ${diff}`);
    this.rig.write(
      file,
      before.replace(side('-'), () => side('+')),
    );
  }
}

/** The first shown line that was not printed after the ones before it. `…` stands for anything. */
export function missingLine(shown: string, printed: string): string | undefined {
  const lines = printed.split('\n').map((line) => line.trimEnd());
  let at = 0;
  for (const line of shown.trimEnd().split('\n')) {
    if (line === '…') continue;
    const found = lines.findIndex((printed, index) => index >= at && stands(line, printed));
    if (found < 0) return line;
    at = found + 1;
  }
  return undefined;
}
