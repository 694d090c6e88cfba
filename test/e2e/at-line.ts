// Something happens while a run writes to its state file, always at the same line.
import type { RunInternals } from '../../src/features/run/run.ts';
import { LineNews } from '../kit/news.ts';

/** Calls `act` right before a line with this news, by default the first, is handed to the state file. */
export function atLine(what: string, act: () => void, which = 1): RunInternals {
  const news = new LineNews();
  let seen = 0;
  return {
    lines: (file) => ({
      append(line) {
        if (news.of(line).some((one) => one.what === what)) {
          seen += 1;
          if (seen === which) act();
        }
        file.append(line);
      },
      sync: () => file.sync(),
    }),
  };
}
