// What a person says to a plan and to a run.
import type { OutsideOptions } from '../../files/boundary.ts';
import type { PathOptions } from '../../state/run-paths.ts';
import type { SelectionOptions } from './selected-items.ts';

export interface PrepareOptions extends PathOptions, OutsideOptions, SelectionOptions {
  /** Another take of each of these tasks, and nothing else. `reroll` chooses them. */
  readonly reroll?: readonly string[] | undefined;
  /** `--require-outputs`: every recorded output must be in this checkout; by default, it may be elsewhere. */
  readonly requireOutputs?: boolean | undefined;
  /**
   * `--pay-again`. True: all results that are lost are paid for again. Task names: these tasks are, whatever is there of them;
   * a download is saved again without paying while its project or a copy of its files is there.
   */
  readonly payAgain?: boolean | readonly string[] | undefined;
  /** `--budget`, in credits. If the pipeline sets a budget too, the smaller one counts. */
  readonly budget?: number | undefined;
  /** `--replace-files`: a result may replace a file that shotlist did not make. The file is kept in `.shotlist/kept`. */
  readonly replaceFiles?: boolean | undefined;
}
