// A command on a real terminal, as a person sits at it: what stands on the screen, and what is typed.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import { main } from './built.ts';
import { type Rig, until } from './rig.ts';
import { MemoryTerminal } from './terminal/terminal.ts';

const terminalMaker = 'script';

/** `script` of util-linux. */
export const makesTerminals = spawnSync(terminalMaker, ['--version']).status === 0;

export const keys = { enter: '\r', ctrlC: '\u0003', ctrlD: '\u0004' } as const;

interface Size {
  readonly columns: number;
  readonly rows: number;
}

export class OnTerminal {
  readonly #child: ChildProcess;
  readonly #size: Size;
  readonly #code: Promise<number | null>;
  #written = '';

  /** `args`: as in a shell. */
  constructor(
    rig: Rig,
    args: string,
    env: Readonly<Record<string, string>> = {},
    size: Partial<Size> = {},
  ) {
    const { CI: _ci, NO_COLOR: _color, ...others } = process.env;
    this.#size = { columns: 80, rows: 24, ...size };
    const { columns, rows } = this.#size;
    const command = `stty cols ${columns} rows ${rows}; exec ${process.execPath} ${main} ${args}`;
    this.#child = spawn(terminalMaker, ['-qec', command, '/dev/null'], {
      cwd: rig.folder,
      env: { ...others, TERM: 'xterm', ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#written += text;
    });
    this.#code = new Promise((resolve) => void this.#child.on('close', resolve));
    onTestFinished(() => void this.#child.kill('SIGKILL'));
  }

  /** Everything that was written so far, control sequences included. */
  get written(): string {
    return this.#written;
  }

  /** The same as plain text: also what was erased since. */
  get text(): string {
    return stripVTControlCharacters(this.#written);
  }

  /** The lines that a person sees now, and those that have scrolled away. */
  async screen(): Promise<string> {
    return (await (await this.terminal()).lines()).join('\n');
  }

  async terminal(): Promise<MemoryTerminal> {
    const terminal = new MemoryTerminal(this.#size.columns, this.#size.rows);
    terminal.write(this.#written);
    return terminal;
  }

  /** Waits until the words have been written, whether or not they are still there. */
  async says(words: string | RegExp): Promise<this> {
    await until(`the terminal says ${words}`, () =>
      typeof words === 'string' ? this.text.includes(words) : words.test(this.text),
    );
    return this;
  }

  type(keys: string): this {
    this.#child.stdin?.write(keys);
    return this;
  }

  /** The window is closed: the command loses its terminal. */
  close(): void {
    this.#child.kill('SIGKILL');
  }

  /** The exit code, once the command has ended. */
  get code(): Promise<number | null> {
    return this.#code;
  }
}
