// `repair`: reads a damaged state file and proposes one that is safe. The damaged file is never changed: a person
// puts the proposal in its place.
import { existsSync, lstatSync } from 'node:fs';
import { open, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { printable } from '../../contract/base/printable.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { scrubbed } from '../../contract/base/scrub.ts';
import { systemCode, systemReason } from '../../contract/files/system-error.ts';
import { realClock } from '../adapters/clock.ts';
import { syncFolder } from '../adapters/files/output-folders.ts';
import { takeLock } from '../adapters/lock/lock.ts';
import { writeLedger } from '../adapters/state/compaction.ts';
import { linkTrouble, loadState } from '../adapters/state/load-state.ts';
import { rawLines } from '../adapters/state/raw-lines.ts';
import { memoryStore } from '../journal/ledger.ts';
import type { Header } from '../journal/line.ts';
import type { Pipeline } from '../language/pipeline.ts';
import type { Damage } from '../repair/damage.ts';
import { isWhole, type Repair, repairOf } from '../repair/proposal.ts';
import type { Clock } from '../run/jobs/ports.ts';
import { ownFolderForLock } from './files/own-folder.ts';
import type { RunPaths } from './files/run-paths.ts';
import type { LoadedPipeline } from './pipeline/load.ts';
import { type Problem, problem } from './pipeline/problem.ts';
import { checkAddress } from './service/address.ts';
import { type LocateOptions, locateState } from './state/locate-state.ts';

export interface RepairOptions extends LocateOptions {
  /** `--write`: where the proposal goes; nothing may be there yet. */
  readonly write?: string | undefined;
  /** `--service`: to which service the ids belong, should the file not say any more. */
  readonly service?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
}

export interface Repaired {
  /** The damaged file, which is left as it is. */
  readonly state: string;
  readonly pipeline: string;
  /** Nothing is wrong with it but what loading copes with. */
  readonly whole: boolean;
  readonly repair: Repair;
  /** Where the proposal was written. */
  readonly written?: string;
}

export async function repair(
  loaded: LoadedPipeline,
  options: RepairOptions = {},
): Promise<Result<Repaired, Problem>> {
  const { paths, rehearsal } = locateState(loaded, options);
  const { state } = paths;
  if (!existsSync(state))
    return err(
      problem(`there is no state file: ${state}`, loaded.file, 'there is nothing to repair'),
    );
  if (lstatSync(state).isSymbolicLink()) return err(problem(linkTrouble(state), 'the state file'));
  const refused = await refusedTarget(paths, options.write);
  if (refused !== undefined) return err(refused);
  const service = rehearsal ? ok('rehearsal') : serviceOf(loaded.pipeline, options);
  if (!service.ok) return service;
  const untrusted = await ownFolderForLock(paths);
  if (untrusted !== undefined) return err(untrusted);
  const lock = await takeLock(paths.lock, (options.clock ?? realClock).now());
  if (!lock.ok) return err({ ...problem(lock.error), reason: 'locked' });
  try {
    const lines = await rawLines(state);
    if (!lines.ok) return err(problem(lines.error, 'the state file'));
    const { name } = loaded.pipeline;
    const kindOf = (task: string): string | undefined => paidKindOf(loaded.pipeline, task);
    const found = repairOf(lines.value, { pipeline: name, service: service.value, kindOf });
    const repaired = {
      state,
      pipeline: name,
      whole: isWhole(found),
      repair: { ...found, damages: found.damages.map(shown) },
    };
    if (options.write === undefined || repaired.whole) return ok(repaired);
    const { header } = found;
    if (header === undefined) return err(homeless(state));
    if (header.pipeline !== name)
      return err(
        problem(
          `${state} belongs to the pipeline "${header.pipeline}", not to "${name}"`,
          'shotlist',
          'use another --state, or the pipeline file that it belongs to',
        ),
      );
    const written = await writeProposal(resolve(options.write), header, found);
    return written.ok ? ok({ ...repaired, written: written.value }) : written;
  } finally {
    await lock.value.release();
  }
}

const homeless = (state: string): Problem =>
  problem(
    `${state} has no header any more, and nothing else says to which service its ids belong`,
    'shotlist',
    'say it: --service <address>, or --rehearse',
  );

/** The kind of the tool behind a task: its own step's, or that of the step it downloads or deletes. */
function paidKindOf({ steps }: Pipeline, task: string): string | undefined {
  const [name] = task.split(':');
  const step = steps.find((known) => known.name === name);
  const source = step?.of === undefined ? step : steps.find((known) => known.name === step.of);
  return source?.kind.name;
}

function serviceOf(
  pipeline: Pipeline,
  { service, env = process.env }: RepairOptions,
): Result<string | undefined, Problem> {
  const address = service ?? (env['SHOTLIST_BASE_URL'] || undefined) ?? pipeline.service;
  return address === undefined ? ok(undefined) : checkAddress(address);
}

/** Asked before anything is read: a proposal never takes the place of anything. */
async function refusedTarget(
  { state }: RunPaths,
  write: string | undefined,
): Promise<Problem | undefined> {
  if (write === undefined) return undefined;
  const file = resolve(write);
  const hint = 'name a new file; put it in place by hand when you have looked at it';
  try {
    const there = join(await realpath(dirname(file)), basename(file));
    if (there === (await realpath(state)))
      return problem(`--write ${write} is the damaged file itself`, 'shotlist', hint);
  } catch (error) {
    return problem(`the folder of ${file} ${systemReason(error)}`, 'shotlist');
  }
  return existsSync(file)
    ? problem(`--write ${write} exists already: nothing is overwritten`, 'shotlist', hint)
    : undefined;
}

/** Synced, and read back: what is proposed must load. */
async function writeProposal(
  file: string,
  header: Header,
  { ledger }: Repair,
): Promise<Result<string, Problem>> {
  try {
    await using handle = await open(file, 'wx', 0o644);
    await writeLedger(handle, header, ledger);
    await syncFolder(dirname(file));
  } catch (error) {
    // What another has put there meanwhile is not ours to remove.
    if (systemCode(error) !== 'EEXIST') await rm(file, { force: true });
    return err({ ...problem(`${file} ${systemReason(error)}`), reason: 'system' });
  }
  const read = await loadState(file, memoryStore());
  if (!read.ok) throw new Error(`bug: the proposal does not load: ${read.error}`);
  return ok(file);
}

/** How much of a line people see. */
const beginning = 60;

/** Damaged lines may hold anything, even what belongs to another file: what may be a secret is not shown. */
function shown(found: Damage): Damage {
  const { begins, what } = found;
  const told = { ...found, what: printable(scrubbed(what)) };
  if (begins === undefined) return told;
  const safe = printable(scrubbed(begins).replace(/(?![0-9a-f]{64}\b)[\w-]{24,}/g, '…'));
  const short = safe.length > beginning ? `${safe.slice(0, beginning)}…` : safe;
  return { ...told, begins: short };
}
