// The first line of `run` on a terminal: the program and the pipeline take longer to load than a person should wait for a
// sign of life.
import { cut, span } from '../views/live/spans.ts';
import { LiveScreen } from './live-screen.ts';
import { showBelow, terminal } from './output.ts';
import { type ReadingFlags, readingMode } from './reading-mode.ts';
import { shownSpan } from './shown.ts';

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
