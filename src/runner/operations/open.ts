// Opens what a plan or a run needs: the state file, the disk, the items. All reading, before any deciding.
import { constants, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { removeLeftover } from '../../contract/files/leftover.ts';
import { makeFolder } from '../../contract/files/make-folder.ts';
import {
  failingDiskCure,
  isFailingDisk,
  isSystemTrouble,
  systemCode,
  systemReason,
} from '../../contract/files/system-error.ts';
import { suggestion } from '../../contract/yaml/diagnostic.ts';
import type { Boundary } from '../adapters/files/boundary.ts';
import { RealDisk } from '../adapters/files/disk.ts';
import { HashCache } from '../adapters/files/hash-cache.ts';
import {
  type ItemFilter,
  type ItemList,
  type ItemTrouble,
  listItems,
} from '../adapters/files/items.ts';
import { createNew } from '../adapters/files/new-file.ts';
import { databaseStore } from '../adapters/state/job-store.ts';
import { type Loaded, loadState } from '../adapters/state/load-state.ts';
import type { Pipeline } from '../language/pipeline.ts';
import type { Clock } from '../run/jobs/ports.ts';
import type { RunPaths } from './files/run-paths.ts';
import { failedItems, patternTrouble } from './items/item-selection.ts';
import type { LoadedPipeline } from './pipeline/load.ts';
import { type Problem, problem, stateTrouble } from './pipeline/problem.ts';

export interface Opened {
  readonly state: Loaded;
  readonly disk: RealDisk;
  readonly items: ItemList;
  close(): void;
}

export async function openWorkspace(
  { pipeline, folder, file }: LoadedPipeline,
  paths: RunPaths,
  {
    filter,
    retryFailed,
    boundary,
  }: {
    readonly filter: ItemFilter;
    readonly retryFailed: boolean;
    readonly boundary: Boundary;
  },
  clock: Clock,
): Promise<Result<Opened, Problem>> {
  if (isFile(paths.output)) return err(outputIsFile(paths.output));
  const store = databaseStore();
  const loaded = await loadState(paths.state, store);
  if (!loaded.ok) {
    store.close();
    return err(stateTrouble(loaded.error, paths.state, file));
  }
  const stranger = strangerOf(loaded.value, pipeline.name, paths);
  if (stranger !== undefined) {
    store.close();
    return err(stranger);
  }
  const keys = retryFailed ? failedItems(loaded.value.ledger) : undefined;
  const chosen = keys === undefined ? filter : { ...filter, keys };
  const unusable =
    pipeline.items.kind === 'glob'
      ? patternTrouble('items.glob', pipeline.items.pattern)
      : undefined;
  const items: Result<ItemList, ItemTrouble> =
    unusable === undefined
      ? await listItems(pipeline.items, folder, paths.output, chosen, (real) =>
          boundary.folderRefusal(real),
        )
      : err(unusable);
  if (!items.ok) {
    store.close();
    const span = pipeline.source.spanOf(['items']);
    const { message } = items.error;
    const meant = stepMeant(message, filter, pipeline) ?? items.error.hint;
    const hint = meant === undefined ? {} : { hint: meant };
    return err({
      reason: 'input',
      text: pipeline.source.text,
      diagnostics: [{ severity: 'error', file, span, message, ...hint }],
    });
  }
  const hashes = new HashCache(paths.hashes);
  const { output, kept } = paths;
  const disk = new RealDisk({ folder, output, kept, boundary, hashes, clock });
  return ok({
    state: { ...loaded.value, warnings: [...loaded.value.warnings, ...items.value.warnings] },
    disk,
    items: items.value,
    close() {
      hashes.close();
      store.close();
    },
  });
}

/** What is excluded and is no item may be a misspelt step. */
function stepMeant(
  error: string,
  { except = [] }: ItemFilter,
  { steps }: Pipeline,
): string | undefined {
  const idle = except.find((pattern) => error.startsWith(`--exclude ${pattern}:`));
  const names = steps.map(({ name }) => name);
  return idle === undefined ? undefined : suggestion(idle, names);
}

/** A state file of another pipeline or another service holds ids that mean nothing here. */
function strangerOf(
  { header }: Loaded,
  name: string,
  { state, serviceName }: RunPaths,
): Problem | undefined {
  if (header === undefined) return undefined;
  if (header.pipeline !== name)
    return problem(
      `${state} belongs to the pipeline "${header.pipeline}", not to "${name}"`,
      'shotlist',
      'use another --state',
    );
  if (header.service !== serviceName)
    return problem(
      `${state} belongs to the service ${header.service}, not to ${serviceName === 'rehearsal' ? 'a rehearsal' : serviceName}: its project ids mean nothing there`,
      'shotlist',
      'use another --state for another service',
    );
  return undefined;
}

function unwritable(folder: string, error: unknown, { output }: RunPaths): Problem {
  if (folder === output && systemCode(error) === 'EEXIST') return outputIsFile(folder);
  const cure = isFailingDisk(error)
    ? failingDiskCure
    : folder === output
      ? `downloads could not be saved there: ${anotherFolder}`
      : 'a run keeps files there: make it a folder that you may write to, or choose another --state';
  return problem(`the folder ${folder} ${systemReason(error)}`, 'shotlist', cure);
}

/** Whatever else is wrong with a path is said when something is written there. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch (error) {
    if (isSystemTrouble(error)) return false;
    throw error;
  }
}

const anotherFolder = 'choose another folder with --output, or with output: in the pipeline';
const outputIsFile = (path: string): Problem =>
  problem(`the output folder ${path} is a file, not a folder`, 'shotlist', anotherFolder);

/** Can results and the journal be written? Asked before anything is sent. */
export async function checkWritable(paths: RunPaths): Promise<Problem | undefined> {
  for (const folder of [paths.output, dirname(paths.state), paths.kept]) {
    try {
      makeFolder(folder);
      await access(folder, constants.W_OK);
      // One name for all: what a killed run leaves, the next one removes.
      const probe = join(folder, '.shotlist-probe');
      const made = await createNew(probe);
      await made.close();
      // Another run may be asking at the same time, and have removed it: the lock comes later.
      await removeLeftover(probe);
    } catch (error) {
      return unwritable(folder, error, paths);
    }
  }
  return undefined;
}
