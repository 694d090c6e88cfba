// Follows a page as a reader does: saves its files, makes its changes, types its commands, and compares what they print.
import { execFileSync } from 'node:child_process';
import { read } from '../examples.ts';
import type { Rig } from '../rig.ts';

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

/** What a command line printed, and how it ended. */
interface Typed {
  readonly line: string;
  readonly printed: string;
  readonly code: number | null;
}

export class Walkthrough {
  readonly #rig: Rig;
  readonly #env: Record<string, string>;
  /** Values for what a page leaves out: `https://…` and `…`. */
  readonly #secrets: Readonly<Record<string, string>>;

  constructor(rig: Rig, secrets: Readonly<Record<string, string>>, env: Record<string, string>) {
    this.#rig = rig;
    this.#secrets = secrets;
    this.#env = { ...env };
  }

  /** Applies a `diff` block: the lines with "-" become those with "+". */
  change(file: string, diff: string): void {
    const side = (sign: string): string =>
      diff
        .split('\n')
        .filter((line) => line.startsWith(sign))
        .map((line) => line.slice(1))
        .join('\n');
    const before = this.#rig.read(file);
    if (before.split(side('-')).length !== 2) throw new Error(`${file} does not have: ${diff}`);
    this.#rig.write(
      file,
      before.replace(side('-'), () => side('+')),
    );
  }

  async type(line: string): Promise<Typed> {
    const [typed = ''] = line.split(/\s+# /);
    if (typed.startsWith('export ')) {
      for (const [, name = ''] of typed.matchAll(/(\w+)=/g))
        this.#env[name] = this.#secrets[name] ?? '';
      return { line, printed: '', code: 0 };
    }
    const [, args, target] = /^npx shotlist ([^>]*?)(?: > (\S+))?$/.exec(typed) ?? [];
    if (args === undefined) return { line, printed: this.#shell(typed), code: 0 };
    const { stdout, stderr, code } = await this.#rig.command(args.split(' '), this.#env);
    if (target !== undefined) this.#rig.write(target, stdout);
    return { line, printed: target === undefined ? stdout + stderr : stderr, code };
  }

  /** npm and the network are those of test/e2e/package.test.ts. */
  #shell(typed: string): string {
    if (typed.startsWith('npm install ')) return '';
    return execFileSync('sh', ['-ec', typed], {
      cwd: this.#rig.folder,
      env: { ...process.env, ...this.#env },
      encoding: 'utf8',
    });
  }
}

/** The exit code that the comment of a command line promises. */
export const promisedCode = (line: string): number =>
  Number(/# exit code (\d+)/.exec(line)?.[1] ?? 0);

/** The first shown line that was not printed after the ones before it. `…` stands for anything. */
export function missingLine(shown: string, printed: string): string | undefined {
  const lines = printed.split('\n').map((line) => line.trimEnd());
  let at = 0;
  for (const line of shown.trimEnd().split('\n')) {
    if (line === '…') continue;
    const pattern = new RegExp(`^${line.split('…').map(literally).join('.*')}$`);
    const found = lines.findIndex((candidate, index) => index >= at && pattern.test(candidate));
    if (found < 0) return line;
    at = found + 1;
  }
  return undefined;
}

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
