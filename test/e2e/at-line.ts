// Something happens while a run writes to its state file, always at the same line.
import type { RunInternals } from '../../src/features/run/run.ts';

/** Calls `act` right before a line with these words, by default the first, is handed to the state file. */
export function atLine(words: string, act: () => void, which = 1): RunInternals {
  let seen = 0;
  return {
    lines: (file) => ({
      append(line) {
        if (line.includes(words)) {
          seen += 1;
          if (seen === which) act();
        }
        file.append(line);
      },
      sync: () => file.sync(),
    }),
  };
}
