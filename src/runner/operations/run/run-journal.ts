// Opens the journal of a run: a state file, or the records of a database.
import type { Result } from '../../../contract/base/result.ts';
import type { Content } from '../../adapters/state/file-version.ts';
import { openJournal } from '../../adapters/state/journal-file.ts';
import type { Ledger } from '../../journal/ledger.ts';
import { formatVersion } from '../../journal/line-schemas.ts';
import type { LineFile } from '../../run/journal/journal-writer.ts';
import { EngineFile } from '../state/engine/engine-file.ts';
import { movedReason } from '../state/unsaved-state.ts';
import type { PreparedRun } from './context.ts';
import type { MachineStop } from './phases.ts';
import type { RunResources } from './resources.ts';

/** The journal of a run: a state file, or the records of a database. */
interface RunFile extends LineFile {
  flush(): Promise<void>;
  close(): Promise<void>;
  /** What the state file has now, if anything was written there. The error says why nothing could be written. */
  compact(ledger: Ledger): Promise<Result<Content | undefined, string>>;
  /** Compact it even if nothing has happened. */
  readonly mustCompact?: boolean;
}

export interface JournalInUse {
  readonly file: RunFile;
  /** Set for a distributed run. */
  readonly engine?: EngineFile;
  /** Aborted when the disk has no room for the journal except the ballast, which is kept for its last lines. */
  readonly low: MachineStop;
  /** Aborted when another program has changed the state file. */
  readonly moved: MachineStop;
}

const diskFull = 'the disk is full: make room and run again; nothing is paid twice';

export async function beginJournal(
  { prepared, clock, onEvent, watch }: PreparedRun,
  { ballast }: RunResources,
): Promise<JournalInUse> {
  const { bound, paths, state } = prepared;
  const [low, moved] = [new AbortController(), new AbortController()];
  const machineStops = {
    low: { signal: low.signal, why: diskFull },
    moved: { signal: moved.signal, why: movedReason(paths.state) },
  };
  const session = prepared.engine?.session;
  if (session !== undefined) {
    const onWarning = (message: string): void => onEvent({ type: 'warning', message });
    const engine = new EngineFile({ session, bound, paths, clock, onWarning, watch });
    return { file: engine, engine, ...machineStops };
  }
  const header = {
    shotlist: formatVersion,
    pipeline: bound.name,
    service: paths.serviceName,
  } as const;
  const makeRoom = (): boolean => {
    if (!ballast.give()) return false;
    low.abort();
    return true;
  };
  const onMoved = (): void => moved.abort();
  const file = await openJournal(paths.state, header, state, { makeRoom, onMoved });
  return { file, ...machineStops };
}
