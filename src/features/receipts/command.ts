// shotlist receipts: what this user has paid for, whatever becomes of the state files.

import { printable } from '../../base/printable.ts';
import { count, grouped, size, table } from '../../base/text.ts';
import type { JobState } from '../../model/job-view.ts';
import type { ReceiptsFlags } from '../../terminal/flags.ts';
import { answer } from '../command.ts';
import { receipts } from './receipts.ts';

export async function receiptsCommand(flags: ReceiptsFlags): Promise<number> {
  const { pipeline, rehearse, limit, json = false } = flags;
  return answer(receipts({ pipeline, rehearse, limit }), json, { text: receiptsText });
}

// Receipts as text: what this user has paid for, and by which pipelines.

interface Listed {
  readonly at: string;
  readonly credits: number;
  readonly tool: string;
  readonly tasks: readonly string[];
  readonly state: JobState;
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
      return credits > 0 ? 'given up' : 'failed, not charged';
    case 'forgotten':
      return 'paid for again';
    case 'supplied':
      return 'free';
  }
}

const fromText = ({ pipeline, branch, folder }: Listed): string =>
  `${pipeline}${branch === undefined ? '' : `, branch ${branch}`}, in ${folder}`;
