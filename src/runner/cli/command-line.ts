// A command line for a person to copy: the same file and the same choices as the command that prints it.
import type { PipelineFlags } from './options.ts';

/** `more`: further arguments. The flags that only concern the output are left out. */
export function commandLine(
  command: string,
  file: string,
  flags: PipelineFlags & { readonly budget?: number },
  more: readonly string[] = [],
): string {
  const { items, limit, budget } = flags;
  const whole = [
    ...option('--profile', flags.profile),
    ...Object.entries(flags.input ?? {}).flatMap(([name, text]) => ['--input', `${name}=${text}`]),
    ...option('--state', flags.state),
    ...option('--engine', flags.engine),
    ...(flags.rehearse === true ? ['--rehearse'] : []),
    ...(flags.hosted === true ? ['--hosted'] : []),
  ];
  const ofRuns = [
    ...option('--service', flags.service),
    ...option('--output', flags.output),
    ...option('--items', items),
    ...option('--limit', limit?.toString()),
    ...(flags.only ?? []).flatMap((name) => ['--only', name]),
    ...(flags.until ?? []).flatMap((name) => ['--until', name]),
    ...(flags.exclude ?? []).flatMap((name) => ['--exclude', name]),
    ...(flags.retryFailed === true ? ['--retry-failed'] : []),
    ...(flags.requireOutputs === true ? ['--require-outputs'] : []),
    ...(flags.allowOutside === true ? ['--allow-outside'] : []),
    ...option('--budget', budget?.toString()),
  ];
  const chosen = command === 'run' ? [...whole, ...ofRuns] : whole;
  return ['shotlist', command, file, ...chosen, ...more].map(quoted).join(' ');
}

const option = (name: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [name, value];

/** For POSIX shells. */
const quoted = (text: string): string =>
  /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
