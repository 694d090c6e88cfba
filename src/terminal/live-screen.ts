// Draws lines at the bottom of a terminal. Everything else is printed above them. The cursor stays visible and modes are
// set and reset in one write, so that the terminal is as it was, however the process ends.

import { realClock } from '../core/clock.ts';
import type { Terminal } from '../views/live/live-lines.ts';
import { cut, type Line, lineWidth, span } from '../views/live/spans.ts';
import { painted } from './colors.ts';
import { isAsking, showBelow, shownSpan, terminal } from './output.ts';

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

// How a person reads a run: on a terminal, in a pipe, or hardly.

export interface ReadingFlags {
  readonly quiet?: boolean;
  readonly log?: string;
}

/** `live`: a view that is drawn again and again; `plain`: lines; `quiet`: failures only. */
export type ReadingMode = 'live' | 'plain' | 'quiet';

/** The live view needs a terminal that obeys, for itself alone. */
export function readingMode(
  flags: ReadingFlags,
  env: Readonly<Record<string, string | undefined>>,
): ReadingMode {
  if (flags.quiet === true) return 'quiet';
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  const isPlain = isSet('NO_COLOR') || (isSet('CI') && env['CI'] !== 'false') || flags.log === '-';
  return terminal.size() === undefined || env['TERM'] === 'dumb' || isPlain ? 'plain' : 'live';
}

// Keeps lines at the bottom of the terminal up to date while other output goes above them.

interface ScreenLines {
  /** Removes the lines. */
  end(): void;
}

/** Between two frames, in milliseconds. */
const frameMs = 200;

/** `version`: rises when the lines are others; without that, they are drawn once a second. */
export function keepDrawn(
  linesFor: (size: Terminal) => readonly Line[],
  version: () => number,
): ScreenLines {
  const clock = realClock;
  const began = clock.elapsed();
  const screen = new LiveScreen(
    { size: () => terminal.size() ?? { columns: 80, rows: 24 }, write: terminal.write },
    (size) => linesFor(size).map((line) => line.map(shownSpan)),
  );
  let drawn = { version: -1, second: -1 };
  const isResized = terminal.watchSize();
  const draw = (): void => {
    if (isAsking()) return;
    const second = Math.floor((clock.elapsed() - began) / 1000);
    const same = drawn.version === version() && drawn.second === second;
    if (same && !isResized.take()) return;
    drawn = { version: version(), second };
    screen.draw();
  };
  const timer = setInterval(draw, frameMs);
  timer.unref();
  const resumed = (): void => screen.forget();
  process.on('SIGCONT', resumed);
  showBelow(screen);
  draw();
  return {
    end() {
      clearInterval(timer);
      process.off('SIGCONT', resumed);
      isResized.off();
      showBelow(undefined);
      screen.erase();
    },
  };
}

// The first line of `run` on a terminal: the program and the pipeline take longer to load than a person should wait for a
// sign of life.

/** The next output takes the line away. Only where a live view follows. */
export function sayReading(file: string, flags: ReadingFlags): void {
  const size = terminal.size();
  if (size === undefined || readingMode(flags, process.env) !== 'live') return;
  const line = [shownSpan(span(`reading ${file} …`, 'dim'))];
  const screen = new LiveScreen(
    { size: () => terminal.size() ?? size, write: terminal.write },
    ({ columns }) => [cut(line, columns)],
  );
  screen.draw();
  showBelow({
    above(print) {
      showBelow(undefined);
      print();
    },
    erase: () => screen.erase(),
  });
}
