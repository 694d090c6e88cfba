// `receipts`: lists what this user's own record knows to be paid for, and adds what a state file has paid for. It sends nothing.
// The database, and what runs do with it, is in `state/receipts`.
import { lstatSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { realPathOr } from '../../base/real-path.ts';
import type { Env } from '../../base/user-folder.ts';
import { faceDetect } from '../../contract/kinds.ts';
import { parsePipeline } from '../../language/load/parse.ts';
import { type Problem, problem, Refusal } from '../../language/load/refusal.ts';
import type { JobLine } from '../../model/line.ts';
import { loadState } from '../../state/load-state.ts';
import { privateFolderOf } from '../../state/private-folder.ts';
import type { Receipt } from '../../state/receipts/receipt.ts';
import { receiptOf, receiptsFile, stateName } from '../../state/receipts/receipt-book.ts';
import {
  type PipelineSource,
  ReceiptStore,
  receiptsProblem,
} from '../../state/receipts/receipt-store.ts';

export interface ReceiptsOptions {
  /** `--pipeline`: only the receipts of this pipeline file. */
  readonly pipeline?: string | undefined;
  /** `--rehearse`: the receipts of its rehearsal. */
  readonly rehearse?: boolean | undefined;
  /** Default: the process's environment. */
  readonly env?: Env;
  /** Called with warnings for the user. */
  readonly onWarning?: (message: string) => void;
}

/** One payment. */
export interface ReceiptFacts {
  /** ISO 8601: when it entered its state. */
  readonly at: string;
  readonly credits: number;
  /** The step kind. */
  readonly tool: string;
  readonly tasks: readonly string[];
  /** Of the job, as state files have it. */
  readonly state: Receipt['line']['state'];
  readonly project?: string;
  /** The name that was sent. */
  readonly name?: string;
  /** The fingerprint of the request. */
  readonly job: string;
  /** The take, if it is not the first one. */
  readonly take?: number;
  readonly service: string;
  /** Of the pipeline file, absolute. */
  readonly folder: string;
  /** The name of the pipeline file. */
  readonly pipeline: string;
  readonly stateFile: string;
  readonly branch?: string;
  readonly files: readonly {
    readonly path: string;
    readonly bytes: number;
    readonly sha256: string;
  }[];
}

export interface ReceiptList {
  /** The database, which need not exist. */
  readonly file: string;
  readonly bytes: number;
  /** The newest ones, the newest first. */
  readonly receipts: readonly ReceiptFacts[];
  readonly totals: {
    readonly receipts: number;
    readonly credits: number;
    /** Free face detections that are remembered. */
    readonly detections: number;
  };
}

/**
 * Lists what the receipts of this user know to be paid for. `importReceipts` adds what a state file has paid for.
 *
 * @example
 * ```ts
 * import { importReceipts, receipts } from 'shotlist';
 *
 * const list = receipts({ limit: 5 });
 * console.log(list.totals.receipts, 'receipts', list.totals.credits);
 * const imported = await importReceipts('shop.state.jsonl', { pipeline: 'pipeline.yaml' });
 * console.log(imported.added, 'new');
 * ```
 */
export function receipts({
  limit = 20,
  ...options
}: ReceiptsOptions & { readonly limit?: number } = {}): ReceiptList {
  const { file, of, onWarning } = targetOf(options);
  using store = new ReceiptStore({ file, onWarning, now: Date.now, readOnly: true });
  try {
    return {
      file,
      bytes: sizeOf(file),
      receipts: store.newest(of, limit).map(factsOf),
      totals: store.totals(of),
    };
  } catch (error) {
    throw new Refusal(unusable(file, error));
  }
}

function factsOf({ line, source, service, saved }: Receipt): ReceiptFacts {
  const { at, credits = 0, kind, tasks, state, project, name, job, take } = line;
  const { folder, pipeline, state: stateFile, branch } = source;
  return {
    at,
    credits,
    tool: kind,
    tasks,
    state,
    project,
    name,
    job,
    take: take?.number,
    service,
    folder,
    pipeline,
    stateFile,
    branch,
    files: saved.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 })),
  };
}

export interface ImportOptions extends Pick<ReceiptsOptions, 'env' | 'onWarning'> {
  /** The pipeline file of the state file, whose paths are relative to it. */
  readonly pipeline: string;
}

export interface ImportedReceipts {
  /** The state file. */
  readonly file: string;
  /** Payments and free face detections in the state file. */
  readonly read: number;
  /** Receipts that were not here. */
  readonly added: number;
  /** Receipts that were here, and now know how the creation went on, or where else its files are. */
  readonly changed: number;
}

/** Receipts that are written in one transaction: other commands wait meanwhile. */
const batchSize = 500;

/**
 * Adds what a state file has paid for: receipts that were damaged, or that a run could not write, are complete again. What is
 * known already is not added again. An example is at `receipts`.
 */
export async function importReceipts(
  file: string,
  { pipeline, env, onWarning }: ImportOptions,
): Promise<ImportedReceipts> {
  const { name } = parsePipeline(pipeline).pipeline;
  const loaded = await loadState(file);
  if (!loaded.ok)
    throw new Refusal(
      problem(loaded.error, 'the state file', 'nothing was imported; see: shotlist repair'),
    );
  const { ledger, header } = loaded.value;
  if (header === undefined) throw new Refusal(problem('the file does not exist', file));
  if (header.pipeline !== name) {
    const other = `it is of the pipeline "${header.pipeline}", and --pipeline names "${name}"`;
    throw new Refusal(problem(other, file, 'nothing was imported'));
  }
  const { service } = header;
  if (service === 'rehearsal')
    throw new Refusal(problem('it is of a rehearsal, which pays for nothing', file));
  const target = targetOf({ pipeline, env, onWarning });
  const source = { ...pipelineAt(pipeline), state: stateName({ state: resolve(file) }) };
  using store = new ReceiptStore({ ...target, now: Date.now });
  const sums = { read: 0, added: 0, changed: 0 };
  let batch: Receipt[] = [];
  const flush = (): void => {
    const { added, changed } = store.add(batch);
    sums.added += added;
    sums.changed += changed;
    batch = [];
  };
  try {
    for (const line of ledger.jobs()) {
      if (!isWorthKeeping(line)) continue;
      sums.read += 1;
      batch.push(receiptOf(line, source, service));
      if (batch.length >= batchSize) flush();
    }
    if (batch.length > 0) flush();
  } catch (error) {
    throw new Refusal(unusable(store.file, error));
  }
  return { file, ...sums };
}

/** Creations and detections have receipts; an upload can be made again for nothing. */
const isWorthKeeping = ({ name, state, kind }: JobLine): boolean =>
  (name !== undefined && state !== 'forgotten') ||
  (state === 'supplied' && kind === faceDetect.name);

interface Target {
  /** The database. */
  readonly file: string;
  readonly of: PipelineSource | undefined;
  readonly onWarning: (message: string) => void;
}

/** A pipeline file that is gone may still have receipts; only the place of a rehearsal depends on what is in the file. */
function targetOf({
  pipeline: file,
  rehearse = false,
  env = process.env,
  onWarning = () => undefined,
}: ReceiptsOptions): Target {
  const of = file === undefined ? undefined : pipelineAt(file);
  if (!rehearse) return { file: receiptsFile(env), of, onWarning };
  if (file === undefined || of === undefined) {
    const why = 'each rehearsal has its own receipts, so --rehearse needs --pipeline <file>';
    throw new Refusal(problem(why));
  }
  const { name } = parsePipeline(file).pipeline;
  const database = join(privateFolderOf(of.folder), 'rehearsal', name, 'receipts.db');
  return { file: database, of, onWarning };
}

const pipelineAt = (pipeline: string): PipelineSource => ({
  folder: realPathOr(resolve(dirname(pipeline))),
  pipeline: basename(pipeline),
});

const unusable = (file: string, error: unknown): Problem =>
  problem(`your receipts (${file}) ${receiptsProblem(error)}`);

const sizeOf = (file: string): number => lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
