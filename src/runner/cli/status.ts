// shotlist status: shows the state file. Exit code 4: something is in doubt.
import { status } from '../operations/status.ts';
import { statusText } from '../report/status.ts';
import { command } from './command.ts';
import type { PipelineFlags } from './options.ts';

export interface StatusFlags extends PipelineFlags {
  /** In milliseconds. */
  readonly expiring?: number;
}

export const statusCommand = (file: string, flags: StatusFlags): Promise<number> =>
  command(
    file,
    flags,
    (pipeline, { onWarning }) =>
      status(pipeline, { ...flags, expiringMs: flags.expiring, onWarning }),
    {
      text: (report) => statusText(report, `${report.state} (${report.service})`, file),
      exitCode: ({ doubts }) => (doubts.length > 0 ? 4 : 0),
    },
  );
