// Pastes lines into a shell, in an empty folder: what runs there must be shotlist, and nothing else.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export type Shell = 'sh' | 'bash';

export interface Pasted {
  /** The arguments of each command that ran; its name comes first. */
  readonly ran: readonly (readonly string[])[];
  /** What is in the folder afterwards: nothing, unless a line did something. */
  readonly left: readonly string[];
}

const programs = ['shotlist', 'npx', 'mv', 'rm', 'git'];

/** What one line leaves open, or a mistake in it, does not reach the next. */
const eachLine = 'for line; do (eval "$line"); done';

/** A folder in which `shotlist`, `npx`, `mv`, `rm` and `git` only write down their arguments. Other commands are what they are. */
export class Paster {
  readonly #folder = mkdtempSync(join(tmpdir(), 'shotlist-paste-'));
  readonly #ran = join(this.#folder, 'ran');

  constructor() {
    onTestFinished(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  paste(lines: readonly string[], shell: Shell): Pasted {
    const here = join(this.#folder, 'here');
    mkdirSync(here);
    try {
      const functions = programs.map(
        (name) => `${name}() { printf '%s\\0' "$#" ${name} "$@" >>'${this.#ran}'; }`,
      );
      spawnSync(shell, ['-c', [...functions, eachLine].join('\n'), shell, ...lines], {
        cwd: here,
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
      });
      const ran = existsSync(this.#ran) ? readFileSync(this.#ran, 'utf8') : '';
      return {
        ran: commandsIn(ran.split('\0').slice(0, -1)),
        left: readdirSync(here),
      };
    } finally {
      rmSync(here, { recursive: true });
      rmSync(this.#ran, { force: true });
    }
  }
}

/** Each is the number of its arguments, its name and the arguments. */
function commandsIn(words: readonly string[]): readonly (readonly string[])[] {
  const commands: (readonly string[])[] = [];
  for (let at = 0; at < words.length; at += Number(words[at]) + 2)
    commands.push(words.slice(at + 1, at + Number(words[at]) + 2));
  return commands;
}

/** Names that a shell, a terminal or a command would take for something else. Each can be the name of a file. */
export const hostileNames: readonly string[] = [
  '$(touch pwned)',
  '`touch pwned`',
  '$HOME ${PATH}',
  "'; touch pwned; '",
  '"; touch pwned; "',
  '"$(touch pwned)"',
  "\\'; touch pwned; '\\'",
  "\\\\'; touch pwned; '",
  'a & touch pwned &',
  'a | touch pwned #',
  'a > pwned',
  'a\ntouch pwned\n',
  "a\n'; touch pwned; '",
  "a\r\\'; touch pwned; '",
  '\u001b[31m$(touch pwned)',
  '\u202e\u200b7$(touch pwned)',
  'tab\t*',
  '-rf',
  '--write=pwned',
  '--',
  '~',
  '=ls',
  '!!',
  '!touch\n!!',
  '*',
  '{a,b}',
  '[a]?',
  'a  b',
  ' a ',
  '#a',
  'a;b',
  '%1',
  'C:\\',
  'Zoë 日本 😀',
];
