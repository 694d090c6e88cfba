// A real terminal in memory: what stands on the screen after all that was written.
import xterm from '@xterm/headless';
import type { Screen } from '../../src/terminal/live-screen.ts';

export class MemoryTerminal implements Screen {
  readonly #terminal: xterm.Terminal;
  /** How often something was written. */
  writes = 0;

  constructor(columns = 80, rows = 24) {
    const size = { cols: columns, rows };
    // A line feed from a program begins a new line at its first column, as behind a real terminal driver.
    this.#terminal = new xterm.Terminal({ ...size, allowProposedApi: true, convertEol: true });
  }

  size(): { readonly columns: number; readonly rows: number } {
    return { columns: this.#terminal.cols, rows: this.#terminal.rows };
  }

  write(text: string): void {
    this.writes += 1;
    this.#terminal.write(text);
  }

  /** After everything that was written before. */
  async resize(columns: number, rows: number): Promise<void> {
    await this.#settled();
    this.#terminal.resize(columns, rows);
  }

  /** All lines, those that have scrolled away included; without empty ones at the end. */
  async lines(): Promise<readonly string[]> {
    await this.#settled();
    const { active } = this.#terminal.buffer;
    const lines = Array.from({ length: active.length }, (_, index) =>
      (active.getLine(index)?.translateToString(true) ?? '').trimEnd(),
    );
    while (lines.at(-1) === '') lines.pop();
    return lines;
  }

  /** The row of the cursor among all lines, and its column. */
  async cursor(): Promise<readonly [number, number]> {
    await this.#settled();
    const { baseY, cursorY, cursorX } = this.#terminal.buffer.active;
    return [baseY + cursorY, cursorX];
  }

  get modes(): xterm.IModes {
    return this.#terminal.modes;
  }

  #settled(): Promise<void> {
    return new Promise((resolve) => this.#terminal.write('', resolve));
  }
}
