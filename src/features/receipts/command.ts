// shotlist receipts: what this user has paid for, whatever becomes of the state files.

import { printable } from '../../base/printable.ts';
import { count, grouped, size, table } from '../../base/text.ts';
import { problem, Refusal } from '../../language/load/refusal.ts';
import type { JobLine } from '../../model/line.ts';
import type { ReceiptsFlags } from '../../terminal/flags.ts';
import { mayRemove } from '../../terminal/question.ts';
import { caution } from '../../terminal/terminal.ts';
import { answer } from '../command.ts';
import {
  exportReceipts,
  type ForgottenReceipts,
  forgetReceipts,
  type ImportedReceipts,
  importReceipts,
  receipts,
} from './receipts.ts';

export async function receiptsCommand(flags: ReceiptsFlags): Promise<number> {
  const { export: exported, import: imported, before, forget = false, json = false } = flags;
  const { pipeline, rehearse, limit } = flags;
  const options = { pipeline, rehearse, onWarning: caution };
  if (forget !== (before !== undefined))
    throw new Refusal(problem('--forget and --before <date> belong together'));
  if (flags.yes === true && !forget) throw new Refusal(problem('--yes belongs to --forget'));
  if (before !== undefined) return await forgetting({ ...options, before }, flags);
  if (exported !== undefined)
    return answer(exportReceipts(exported, options), json, {
      text: (done) => `Wrote ${count(done.receipts, 'receipt')} to ${printable(done.file)}.`,
    });
  if (imported !== undefined)
    return answer(await importReceipts(imported, options), json, { text: importedText });
  return answer(receipts({ ...options, limit }), json, {
    text: receiptsText,
  });
}

async function forgetting(
  options: Parameters<typeof forgetReceipts>[0],
  { yes = false, json = false }: ReceiptsFlags,
): Promise<number> {
  const doneText = ({ receipts: removed }: ForgottenReceipts): string =>
    `Forgot ${count(removed, 'receipt')}.`;
  if (yes)
    return answer(forgetReceipts(options), json, {
      text: (done) =>
        done.removed ? `${forgettableText(done)}\n${doneText(done)}` : forgettableText(done),
    });
  const found = forgetReceipts({ ...options, dryRun: true });
  const shown = answer(found, json, { text: forgettableText });
  if (json || found.receipts === 0) return shown;
  if (!(await mayRemove('Forget them?', 'forget the receipts'))) return shown;
  return answer(forgetReceipts(options), json, { text: doneText });
}

// Receipts as text: what this user has paid for, by which pipelines, and what an import or a removal does.

interface Listed {
  readonly at: string;
  readonly credits: number;
  readonly tool: string;
  readonly tasks: readonly string[];
  readonly state: JobLine['state'];
  readonly folder: string;
  readonly pipeline: string;
  readonly branch?: string;
  readonly files: readonly { readonly sha256: string }[];
}

interface ListedReceipts {
  readonly file: string;
  readonly bytes: number;
  readonly receipts: readonly Listed[];
  readonly totals: {
    readonly receipts: number;
    readonly credits: number;
    readonly detections: number;
  };
}

function receiptsText({ file, bytes, receipts, totals }: ListedReceipts): string {
  const place = `${printable(file)} ${bytes === 0 ? '(not there yet)' : `(${size(bytes)})`}`;
  const sums = `${count(totals.receipts, 'receipt')}, ${count(totals.credits, 'credit')}`;
  const free =
    totals.detections === 0 ? '' : `, and ${count(totals.detections, 'free face detection')}`;
  const rows = receipts.map((one) => [
    ...[one.at.slice(0, 16).replace('T', ' '), grouped(one.credits), one.tool],
    ...[tasksText(one.tasks), becameText(one), fromText(one)],
  ]);
  const left = totals.receipts - receipts.length;
  return [
    ...(rows.length === 0
      ? []
      : [table([['when (UTC)', 'credits', 'tool', 'task', 'became', 'from'], ...rows], [1])]),
    ...(left > 0 && rows.length > 0
      ? [`  … and ${grouped(left)} older; --limit <n> lists more`]
      : []),
    `${sums}${free} in ${place}`,
  ].join('\n');
}

const tasksText = ([task = '', ...others]: readonly string[]): string =>
  others.length === 0 ? task : `${task} +${others.length}`;

function becameText({ state, files, credits }: Listed): string {
  // Each pipeline that uses the result has a copy.
  const contents = new Set(files.map(({ sha256 }) => sha256)).size;
  const saved = contents === 0 ? 'not saved' : count(contents, 'file');
  switch (state) {
    case 'intended':
    case 'doubt':
      return 'in doubt';
    case 'created':
      return 'at the service';
    case 'complete':
      return `done, ${saved}`;
    case 'deleted':
      return `done, ${saved}, project deleted`;
    case 'failed':
      return credits > 0 ? 'written off' : 'failed, not charged';
    case 'forgotten':
      return 'forgotten';
    case 'supplied':
      return 'free';
  }
}

const fromText = ({ pipeline, branch, folder }: Listed): string =>
  `${pipeline}${branch === undefined ? '' : `, branch ${branch}`}, in ${folder}`;

const kinds = { export: 'export', state: 'state file', database: 'database' } as const;

function importedText({ file, kind, read, added, changed, unreadable }: ImportedReceipts): string {
  return [
    `Read ${count(read, 'receipt')} in the ${kinds[kind]} ${printable(file)}: ${grouped(added)} new` +
      `${changed === 0 ? '' : `, ${grouped(changed)} with something new`}.`,
    ...(unreadable === 0
      ? []
      : [
          `${count(unreadable, 'row')} could not be read. If a state file still has these payments, import the state file, too.`,
        ]),
  ].join('\n');
}

interface Forgotten {
  readonly before: string;
  readonly receipts: number;
  readonly credits: number;
  readonly open: number;
}

/** What there is to forget, and what that means. */
function forgettableText({ before, receipts, credits, open }: Forgotten): string {
  const day = before.replace('T00:00:00.000Z', '');
  if (receipts === 0) return `No receipts are older than ${day}.`;
  return [
    `Older than ${day}: ${count(receipts, 'receipt')} of ${count(credits, 'credit')}.`,
    ...(open === 0
      ? []
      : [`${grouped(open)} of them are in doubt, or of a project that is not finished.`]),
    'The results and the state files stay. Without its receipt, a result is paid for again if its state file is lost, or if another pipeline asks for it.',
  ].join('\n');
}
