// shotlist receipts: what this user has paid for, whatever becomes of the state files.

import { printable } from '../../base/printable.ts';
import { count, grouped, size, table } from '../../base/text.ts';
import { problem, Refusal } from '../../language/load/refusal.ts';
import type { JobLine } from '../../model/line.ts';
import type { ReceiptsFlags } from '../../terminal/flags.ts';
import { caution } from '../../terminal/terminal.ts';
import { answer } from '../command.ts';
import { type ImportedReceipts, importReceipts, receipts } from './receipts.ts';

export async function receiptsCommand(flags: ReceiptsFlags): Promise<number> {
  const { import: state, pipeline, rehearse, limit, json = false } = flags;
  if (state === undefined)
    return answer(receipts({ pipeline, rehearse, limit, onWarning: caution }), json, {
      text: receiptsText,
    });
  if (pipeline === undefined)
    throw new Refusal(
      problem('--import needs --pipeline <file>: the paths in a state file are relative to it'),
    );
  const imported = await importReceipts(state, { pipeline, onWarning: caution });
  return answer(imported, json, { text: importedText });
}

// Receipts as text: what this user has paid for, by which pipelines, and what an import adds.

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

const importedText = ({ file, read, added, changed }: ImportedReceipts): string =>
  `Read ${count(read, 'receipt')} in ${printable(file)}: ${grouped(added)} new` +
  `${changed === 0 ? '' : `, ${grouped(changed)} with something new`}.`;
