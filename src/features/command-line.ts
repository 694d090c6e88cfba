// Command lines for a person to copy: the same file, the same choices and the same state file as the command that prints
// them.

import type { LoadedPipeline } from '../language/load/loaded-pipeline.ts';
import { resultOf } from '../language/load/refusal.ts';
import { flagFor, locateState } from '../state/locate-state.ts';
import type { PipelineFlags } from '../terminal/flags.ts';

type Flags = Omit<PipelineFlags, 'items'> & {
  readonly payAgain?: boolean;
  readonly items?: string | undefined;
  readonly budget?: number;
};

export interface CommandLines {
  /** A whole command line. */
  readonly line: (command: string, ...more: readonly string[]) => string;
  /** Its part after the name of the command: the pipeline file, and which state is meant. */
  readonly subject: (command: string) => string;
  /** Runs a plan that was saved in this file: with the flags that the file does not hold. */
  readonly savedPlan: (file: string) => string;
}

/** These are runs, or show what a run would do; the others are about a state file. */
const runs: ReadonlySet<string> = new Set(['run', 'plan', 'reroll']);

/** `rehearsal`: what the printing command means; typed here and now, its lines mean the same. */
export function commandLines(
  pipeline: LoadedPipeline,
  flags: Flags,
  rehearsal: boolean,
): CommandLines {
  const { file } = pipeline;
  const meant = (command: string) => {
    const needed = flagFor(pipeline, flags, { rehearsal, runs: runs.has(command) });
    return {
      ...flags,
      rehearse: rehearsal && (flags.rehearse === true || needed === 'rehearse'),
      hosted: !rehearsal && (flags.hosted === true || needed === 'hosted'),
    };
  };
  return {
    line: (command, ...more) => commandLine(command, file, meant(command), more),
    subject: (command) => words([file, ...subject(meant(command)), ...engineOf(command, flags)]),
    savedPlan: (out) => {
      const { profile: _, ...own } = meant('run');
      const rest = { ...own, rehearse: own.rehearse && flags.rehearse !== true };
      return words(['shotlist', 'run', out, ...subject(rest), ...places('run', rest)]);
    },
  };
}

/** For a command about a state file. */
export function stateLines(pipeline: LoadedPipeline, flags: Flags): CommandLines {
  const located = resultOf(() => locateState(pipeline, flags));
  return commandLines(pipeline, flags, located.ok && located.value.rehearsal);
}

/** Commands with flags that not all have. */
const having = {
  service: new Set(['run', 'plan', 'reroll', 'resolve', 'audit', 'refresh', 'prune', 'repair']),
  folders: new Set(['run', 'plan', 'reroll', 'pick', 'prune', 'report', 'ui']),
  engine: new Set(['run', 'plan', 'status', 'resolve', 'audit', 'export']),
} as const;

/** The flags that only concern the output are left out. */
export function commandLine(
  command: string,
  file: string,
  flags: Flags,
  more: readonly string[] = [],
): string {
  const chosen = command === 'run' ? choices(flags) : [];
  return words([
    'shotlist',
    command,
    file,
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
    ...engineOf(command, flags),
    ...(has('service') ? option('--service', flags.service) : []),
    ...(has('folders') ? option('--output', flags.output) : []),
    ...(has('folders') && flags.allowOutside === true ? ['--allow-outside'] : []),
  ];
}

const engineOf = (command: string, flags: Flags): readonly string[] =>
  having.engine.has(command) ? option('--engine', flags.engine) : [];

const subject = (flags: Flags): readonly string[] => [
  ...option('--profile', flags.profile),
  ...Object.entries(flags.input ?? {}).flatMap(([name, text]) => ['--input', `${name}=${text}`]),
  ...option('--state', flags.state),
  ...(flags.rehearse === true ? ['--rehearse'] : []),
  ...(flags.hosted === true ? ['--hosted'] : []),
];

const choices = (flags: Flags): readonly string[] => [
  ...option('--items', flags.items),
  ...option('--limit', flags.limit?.toString()),
  ...(flags.only ?? []).flatMap((name) => ['--only', name]),
  ...(flags.until ?? []).flatMap((name) => ['--until', name]),
  ...(flags.exclude ?? []).flatMap((name) => ['--exclude', name]),
  ...(flags.retryFailed === true ? ['--retry-failed'] : []),
  ...(flags.requireOutputs === true ? ['--require-outputs'] : []),
  ...(flags.payAgain === true ? ['--pay-again'] : []),
  ...option('--budget', flags.budget?.toString()),
];

const option = (name: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [name, value];

const words = (all: readonly string[]): string => all.map(quoted).join(' ');

/** For POSIX shells. */
const quoted = (text: string): string =>
  /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
