// `receipts`: lists what this user's own record knows to be paid for. It sends nothing. The database, and what runs do with it, is
// in `state/receipts.ts`.
import { lstatSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { realPathOr } from '../../base/real-path.ts';
import type { Env } from '../../base/user-folder.ts';
import { parsePipeline } from '../../language/load/parse.ts';
import { problem, Refusal } from '../../language/load/refusal.ts';
import { type JobState, viewOf } from '../../model/job-view.ts';
import type { Attempt } from '../../model/record/line.ts';
import { privateFolderOf } from '../../state/private-folder.ts';
import { type ListedReceipt, listReceipts } from '../../state/receipts.ts';
import { receiptsFile } from '../../state/receipts-file.ts';
import { receiptsProblem } from '../../state/receipts-problem.ts';
import { payerOf } from '../../state/receipts-row.ts';

export interface ReceiptsOptions {
  /** `--pipeline`: only the receipts of this pipeline file. */
  readonly pipeline?: string | undefined;
  /** `--rehearse`: the receipts of its rehearsal. */
  readonly rehearse?: boolean | undefined;
  /** Default: the process's environment. */
  readonly env?: Env;
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
  readonly state: JobState;
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
 * Lists what the receipts of this user know to be paid for.
 *
 * @example
 * ```ts
 * import { receipts } from 'shotlist';
 *
 * const list = receipts({ limit: 5 });
 * console.log(list.totals.receipts, 'receipts', list.totals.credits);
 * ```
 */
export function receipts({
  limit = 20,
  ...options
}: ReceiptsOptions & { readonly limit?: number } = {}): ReceiptList {
  const { file, of } = targetOf(options);
  const payments: ReceiptFacts[] = [];
  let [credits, detections] = [0, 0];
  try {
    for (const row of listReceipts(file)) {
      const party = row.parties.find(({ pipeline }) => of === undefined || pipeline === of);
      if (party === undefined) continue;
      if (row.line.attempts.length === 0) detections += 1;
      const sent = row.line.attempts.filter(({ state }) => state !== 'refused');
      const facts = sent.map((attempt) => factsOf(row, attempt));
      const own = facts.filter((one) => of === undefined || join(one.folder, one.pipeline) === of);
      payments.push(...own);
      for (const one of own) credits += one.credits;
    }
  } catch (error) {
    throw new Refusal(problem(`your receipts (${file}) ${receiptsProblem(error).message}`));
  }
  payments.sort((a, b) => (a.at > b.at ? -1 : 1));
  return {
    file,
    bytes: lstatSync(file, { throwIfNoEntry: false })?.size ?? 0,
    receipts: payments.slice(0, limit),
    totals: { receipts: payments.length, credits, detections },
  };
}

function factsOf({ line, parties, service }: ListedReceipt, attempt: Attempt): ReceiptFacts {
  const { state: stateFile, pipeline, branch, tasks } = payerOf(parties, attempt.name);
  const { state, credits = 0, project, at } = viewOf({ ...line, attempts: [attempt] });
  const files = line.outputs.filter(({ of }) => of === attempt.name);
  return {
    at,
    credits,
    tool: line.kind,
    tasks,
    state,
    project,
    name: attempt.name,
    job: line.job,
    take: line.take?.number,
    service,
    folder: dirname(pipeline),
    pipeline: basename(pipeline),
    stateFile,
    branch,
    files: files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 })),
  };
}

/** `of`: the pipeline file, with its real path. It may be gone; only the place of a rehearsal depends on what is in it. */
function targetOf({ pipeline, rehearse = false, env = process.env }: ReceiptsOptions): {
  readonly file: string;
  readonly of: string | undefined;
} {
  const of =
    pipeline === undefined
      ? undefined
      : join(realPathOr(resolve(dirname(pipeline))), basename(pipeline));
  if (!rehearse) return { file: receiptsFile(env), of };
  if (pipeline === undefined || of === undefined) {
    const why = 'each rehearsal has its own receipts, so --rehearse needs --pipeline <file>';
    throw new Refusal(problem(why));
  }
  const { name } = parsePipeline(pipeline).pipeline;
  const file = join(privateFolderOf(dirname(of)), 'rehearsal', name, 'receipts.db');
  return { file, of };
}
