// Command lines for a person to copy: the same file, the same choices and the same state file as the command that prints
// them.

import { option, type ShellWord, shotlistLine } from '../base/shell.ts';
import type { LoadedPipeline } from '../language/load/loaded-pipeline.ts';
import { resultOf } from '../language/load/refusal.ts';
import { flagFor, locateState } from '../state/locate-state.ts';
import type { PipelineFlags } from '../terminal/flags.ts';

type Flags = Omit<PipelineFlags, 'items'> & {
  readonly payAgain?: boolean | readonly string[];
  readonly items?: string | readonly string[] | undefined;
  readonly budget?: number;
};

/** `names` follow the pipeline file; `more` follows the flags that say which state is meant. */
export type CommandLine = (
  command: string,
  names?: readonly ShellWord[],
  more?: readonly ShellWord[],
) => string;

/** These are runs, or show what a run would do; the others are about a state file. */
const runs: ReadonlySet<string> = new Set(['run', 'plan', 'reroll']);

/** `rehearsal`: what the printing command means; typed here and now, its lines mean the same. */
export function commandLines(
  pipeline: LoadedPipeline,
  flags: Flags,
  rehearsal: boolean,
): CommandLine {
  const { file } = pipeline;
  const meant = (command: string) => {
    const needed = flagFor(pipeline, flags, { rehearsal, runs: runs.has(command) });
    return {
      ...flags,
      rehearse: rehearsal && (flags.rehearse === true || needed === 'rehearse'),
      hosted: !rehearsal && (flags.hosted === true || needed === 'hosted'),
    };
  };
  return (command, names, more) =>
    commandLine(command, [file, ...(names ?? [])], meant(command), more);
}

/** For a command about a state file. */
export function stateLines(pipeline: LoadedPipeline, flags: Flags): CommandLine {
  const located = resultOf(() => locateState(pipeline, flags));
  return commandLines(pipeline, flags, located.ok && located.value.rehearsal);
}

/** Commands with flags that not all have. */
const having = {
  service: new Set(['run', 'plan', 'reroll', 'resolve', 'audit', 'refresh', 'prune', 'repair']),
  folders: new Set(['run', 'plan', 'reroll', 'pick', 'prune', 'report', 'ui']),
} as const;

/** The flags that only concern the output are left out. */
export function commandLine(
  command: string,
  names: readonly ShellWord[],
  flags: Flags,
  more: readonly ShellWord[] = [],
): string {
  const chosen = command === 'run' ? choices(flags) : [];
  return shotlistLine(command, names, [
    ...subject(flags),
    ...places(command, flags),
    ...chosen,
    ...more,
  ]);
}

/** Where the command reads and writes. */
function places(command: string, flags: Flags): readonly string[] {
  const has = (what: keyof typeof having): boolean => having[what].has(command);
  return [
    ...(has('service') ? option('--service', flags.service) : []),
    ...(has('folders') ? option('--output', flags.output) : []),
    ...(has('folders') && flags.allowOutside === true ? ['--allow-outside'] : []),
  ];
}

const subject = (flags: Flags): readonly string[] => [
  ...option('--profile', flags.profile),
  ...Object.entries(flags.input ?? {}).flatMap(([name, text]) => ['--input', `${name}=${text}`]),
  ...option('--state', flags.state),
  ...(flags.rehearse === true ? ['--rehearse'] : []),
  ...(flags.hosted === true ? ['--hosted'] : []),
];

const choices = (flags: Flags): readonly string[] => [
  ...[flags.items ?? []].flat().flatMap((pattern) => option('--items', pattern)),
  ...option('--limit', flags.limit?.toString()),
  ...(flags.only ?? []).flatMap((name) => option('--only', name)),
  ...(flags.until ?? []).flatMap((name) => option('--until', name)),
  ...(flags.exclude ?? []).flatMap((name) => option('--exclude', name)),
  ...(flags.requireOutputs === true ? ['--require-outputs'] : []),
  ...(flags.payAgain === true ? ['--pay-again'] : []),
  ...(typeof flags.payAgain === 'object' ? flags.payAgain : []).flatMap((task) =>
    option('--pay-again', task),
  ),
  ...option('--budget', flags.budget?.toString()),
];
