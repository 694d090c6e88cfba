// shotlist status: shows the state file. Exit code 4: something is in doubt.
import { type StatusReport, status } from '../operations/status.ts';
import { queueLines } from '../report/engine-text.ts';
import { liveText } from '../report/live/watch-lines.ts';
import { itemsText, stepsText } from '../report/status-items-text.ts';
import { statusText } from '../report/status-text.ts';
import { takesLines } from '../report/takes-text.ts';
import { command } from './command.ts';
import { commandLine } from './command-line.ts';
import type { PipelineFlags } from './options.ts';

export interface StatusFlags extends Omit<PipelineFlags, 'items'> {
  /** In milliseconds. */
  readonly expiring?: number;
  /** `true`: all items. */
  readonly items?: string | true;
  readonly failed?: boolean;
  readonly step?: string;
}

export function statusCommand(file: string, flags: StatusFlags): Promise<number> {
  const { items: wanted, failed, step, limit, expiring, ...common } = flags;
  const only = wanted === true ? undefined : wanted;
  const asks = [wanted, failed, step, limit].some((flag) => flag !== undefined);
  const items = asks ? { only, failed, step, limit } : undefined;
  const more = (all: number): string =>
    commandLine('status', file, common, [
      ...(wanted === undefined ? [] : ['--items', ...(only === undefined ? [] : [only])]),
      ...(failed === true ? ['--failed'] : []),
      ...(step === undefined ? [] : ['--step', step]),
      ...['--limit', String(all)],
    ]);
  return command(
    file,
    common,
    (pipeline, { onWarning }) =>
      status(pipeline, { ...common, items, expiringMs: expiring, onWarning }),
    {
      text: (report) => textOf(report, file, more),
      exitCode: ({ doubts }) => (doubts.length > 0 ? 4 : 0),
    },
  );
}

function textOf(report: StatusReport, file: string, more: (all: number) => string): string {
  const { items, live } = report;
  if (items !== undefined) return itemsText(items, more(items.matching), process.stdout.columns);
  const state = reportText(report, file);
  return live === undefined ? state : `${liveText(live)}\n\n${state}`;
}

/** What the state file says. */
export function reportText(report: StatusReport, file: string): string {
  const { steps, state, service, running, live, engine } = report;
  const status = statusText(report, `${state} (${service})`, file, stepsText(steps));
  const text = [status, ...takesLines(report.takes, file)].join('\n');
  if (engine !== undefined) return [text, '', ...queueLines(engine)].join('\n');
  if (running === undefined || live !== undefined) return text;
  return `${text}\nThe process does not say how far it is, so all of this is from the state file.`;
}
