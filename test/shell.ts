// Types command lines as a person does: `shotlist …` runs the command of this folder, everything else is for sh.
import { type ChildProcess, spawnSync } from 'node:child_process';
import type { Ended } from './command.ts';
import type { Rig } from './rig.ts';

export class Shell {
  protected readonly rig: Rig;
  readonly #env: Record<string, string>;
  /** Values for what a page leaves out: `https://…` and `…`. */
  readonly #secrets: Readonly<Record<string, string>>;

  constructor(
    rig: Rig,
    env: Readonly<Record<string, string>>,
    secrets: Readonly<Record<string, string>> = {},
  ) {
    this.rig = rig;
    this.#env = { ...env };
    this.#secrets = secrets;
  }

  get env(): Readonly<Record<string, string>> {
    return this.#env;
  }

  export(variables: Readonly<Record<string, string>>): void {
    Object.assign(this.#env, variables);
  }

  async type(line: string): Promise<Ended> {
    const [typed = ''] = line.split(/\s+# /);
    if (typed.startsWith('export ')) {
      for (const [, name = ''] of typed.matchAll(/(\w+)=/g))
        this.#env[name] = this.#secrets[name] ?? '';
      return { stdout: '', stderr: '', code: 0 };
    }
    const { variables, args, target } = shotlistIn(typed) ?? {};
    if (args === undefined) return this.#sh(typed);
    const printed = await this.rig.command(wordsOf(args), { ...this.#env, ...variables });
    if (target === undefined) return printed;
    this.rig.write(target, printed.stdout);
    return { ...printed, stdout: '' };
  }

  /** `shotlist …` in a process of its own, which goes on while other lines are typed. */
  start(line: string): ChildProcess {
    const { variables, args = '' } = shotlistIn(line) ?? {};
    return this.rig.start(wordsOf(args), { ...this.#env, ...variables });
  }

  /** npm and the network are those of test/e2e/package.test.ts. */
  #sh(typed: string): Ended {
    if (typed.startsWith('npm install ')) return { stdout: '', stderr: '', code: 0 };
    const { stdout, stderr, status } = spawnSync('sh', ['-ec', typed], {
      cwd: this.rig.folder,
      env: { ...process.env, ...this.#env },
      encoding: 'utf8',
    });
    return { stdout, stderr, code: status };
  }
}

interface ShotlistLine {
  readonly variables: Readonly<Record<string, string>>;
  /** As typed, quotes included. */
  readonly args: string;
  /** The file behind `>`. */
  readonly target: string | undefined;
}

/** The parts of `NAME=value npx shotlist args > file`; undefined: the line is for sh. */
export function shotlistIn(line: string): ShotlistLine | undefined {
  const pattern =
    /^(?<before>(?:\w+=\S* )*)(?:npx )?shotlist(?: (?<args>[^>|]*?))?(?: > (?<target>\S+))?$/;
  const found = pattern.exec(line)?.groups;
  if (found === undefined) return undefined;
  const { before = '', args = '', target } = found;
  const pairs = before.split(' ').filter((pair) => pair !== '');
  const variables = pairs.map((pair) => {
    const [name = '', ...value] = pair.split('=');
    return [name, value.join('=')] as const;
  });
  return { variables: Object.fromEntries(variables), args, target };
}

/** The words of a command line, without the quotes around them. */
const wordsOf = (args: string): readonly string[] =>
  [...args.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, one, other, plain]) => one ?? other ?? plain ?? '',
  );

const codeComment = /\s+# exit code (\d+)$/;

/** The exit code that the comment of a command line promises. */
export const promisedCode = (line: string): number => Number(codeComment.exec(line)?.[1] ?? 0);

export const withCode = (line: string, code: number | null): string =>
  line.replace(codeComment, '') + (code === 0 ? '' : `   # exit code ${code}`);

/** Whether a line that is shown stands for one that was printed. `…` stands for anything within it. */
export const stands = (shown: string, printed: string): boolean =>
  shown === printed ||
  (shown.includes('…') &&
    new RegExp(`^${shown.split('…').map(literally).join('.*')}$`).test(printed));

export const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
