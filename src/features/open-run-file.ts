// Opens the state file for the lines of a run, or of a correction.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Env } from '../base/user-folder.ts';
import type { Clock } from '../core/ports.ts';
import type { Header } from '../model/record/line.ts';
import type { Loaded } from '../state/load-state.ts';
import { RecordInPlace } from '../state/record-in-place.ts';
import type { RunFile } from '../state/run-file.ts';
import type { RunPaths } from '../state/run-paths.ts';
import { StateFile } from '../state/state-file.ts';
import { headRecord } from './git/head.ts';
import type { RunInternals } from './internals.ts';

interface RunFileTerms {
  readonly paths: RunPaths;
  readonly state: Loaded;
  readonly header: Header;
  readonly env: Env;
  readonly clock: Clock;
  readonly internals: RunInternals;
  /** Called when the disk is full; true: another attempt may succeed. */
  readonly makeRoom?: () => boolean;
  /** Called when another program has changed the file in a way that may hide payments: nothing more is bought then. */
  readonly onProblem: (why: string) => void;
  /** Called when another program has changed the file: the ledger may have learnt from it. */
  readonly onNews?: (() => void) | undefined;
}

export function openRunFile(terms: RunFileTerms): RunFile {
  const { paths, state, header, env, clock, internals, makeRoom = () => false } = terms;
  const { record, ledger } = state;
  ledger.header ??= header;
  if (internals.record !== undefined) return new RecordInPlace(internals.record, ledger);
  return new StateFile(paths.state, record, {
    holdsLock: () => true,
    head: () => headRecord(paths.state, { env }),
    pause: (ms) => sleep(ms),
    now: () => clock.now(),
    makeRoom,
    closeBuying: terms.onProblem,
    onNews: terms.onNews,
  });
}
