// Keeps lines at the bottom of the terminal up to date while other output goes above them.
import { realClock } from '../run/clock.ts';
import type { Terminal } from '../views/live/live-lines.ts';
import type { Line } from '../views/live/spans.ts';
import { LiveScreen } from './live-screen.ts';
import { isAsking, showBelow, terminal } from './output.ts';
import { shownSpan } from './shown.ts';

export interface ScreenLines {
  /** Removes the lines. */
  end(): void;
  /** The lines as they are now stay, and later output goes below them. */
  leave(): void;
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
  const stop = (): void => {
    clearInterval(timer);
    process.off('SIGCONT', resumed);
    isResized.off();
    showBelow(undefined);
  };
  return {
    end() {
      stop();
      screen.erase();
    },
    leave() {
      stop();
      screen.draw();
      screen.forget();
    },
  };
}
