// Draws lines at the bottom of a terminal. Everything else is printed above them. The cursor stays visible and modes are
// set and reset in one write, so that the terminal is as it was, however the process ends.
import type { Terminal } from '../views/live/live-lines.ts';
import { type Line, lineWidth } from '../views/live/spans.ts';
import { painted } from './colors.ts';

export interface Screen {
  size(): Terminal;
  write(text: string): void;
}

/** Terminals that know synchronized updates show a frame at once; others ignore the two marks. */
const frame = { begin: '\u001b[?2026h', end: '\u001b[?2026l' };
/** A line that is wider than expected is cut by the terminal, and so it takes one row. */
const wrap = { off: '\u001b[?7l', on: '\u001b[?7h' };

export class LiveScreen {
  readonly #screen: Screen;
  readonly #lines: (size: Terminal) => readonly Line[];
  /** The widths of the lines that are on the screen. */
  #drawn: readonly number[] = [];
  #text = '';
  #columns = 0;

  constructor(screen: Screen, lines: (size: Terminal) => readonly Line[]) {
    this.#screen = screen;
    this.#lines = lines;
  }

  /** Draws the lines as they are now; writes nothing if they are the same. */
  draw(): void {
    const size = this.#screen.size();
    const lines = this.#lines(size);
    const text = lines.map((line) => `${coloredLine(line)}\n`).join('');
    if (text === this.#text && size.columns === this.#columns) return;
    this.#screen.write(
      `${frame.begin}${this.#erasing(size)}${wrap.off}${text}${wrap.on}${frame.end}`,
    );
    this.#drawn = lines.map(lineWidth);
    this.#text = text;
    this.#columns = size.columns;
  }

  /** Prints something above the lines. */
  above(print: () => void): void {
    this.erase();
    print();
    this.draw();
  }

  erase(): void {
    if (this.#drawn.length > 0) this.#screen.write(this.#erasing(this.#screen.size()));
    this.forget();
  }

  /** Others have written to the terminal: the next lines are drawn below. */
  forget(): void {
    this.#drawn = [];
    this.#text = '';
  }

  /**
   * A terminal that became narrower has wrapped the lines. Each row is cleared by itself: if the whole screen is cleared, some
   * terminals keep it in their history.
   */
  #erasing({ columns, rows }: Terminal): string {
    const taken = this.#drawn.reduce(
      (sum, width) => sum + Math.max(1, Math.ceil(width / columns)),
      0,
    );
    const up = Math.min(taken, rows - 1);
    return `\r\u001b[2K${'\u001b[1A\u001b[2K'.repeat(up)}`;
  }
}

const coloredLine = (line: Line): string =>
  line.map(({ text, tone }) => painted(text, tone)).join('');
