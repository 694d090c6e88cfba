// Options that several commands share, and the parsers of their arguments.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { milliseconds } from '../../contract/base/duration.ts';
import type { RunOptions } from '../operations/run.ts';

type ItemFilter = NonNullable<RunOptions['items']>;
export type ListenAddress = NonNullable<RunOptions['listen']>;

export interface PipelineFlags {
  readonly input?: Readonly<Record<string, string>>;
  readonly profile?: string;
  readonly state?: string;
  readonly output?: string;
  readonly allowOutside?: boolean;
  readonly items?: string;
  readonly limit?: number;
  readonly service?: string;
  readonly rehearse?: boolean;
  readonly hosted?: boolean;
  readonly json?: boolean;
  readonly only?: readonly string[];
  readonly until?: readonly string[];
  readonly exclude?: readonly string[];
  readonly retryFailed?: boolean;
  readonly requireOutputs?: boolean;
  readonly engine?: string;
}

export const jsonText = 'print JSON';
/** For commands that print while they work. */
export const jsonLinesText = 'print JSON, one object per line';

export function withInputs(command: Command, json = jsonText): Command {
  return command
    .option('--input <name=value>', 'set an input of the pipeline (repeatable)', collectInput)
    .option('--profile <name>', "apply one of the pipeline's profiles")
    .option('--json', json);
}

export function withPaths(command: Command): Command {
  return withPlaces(command).option('--limit <n>', 'only the first n items', positiveInteger);
}

/** Where a command reads and writes, and which service it uses. */
export function withPlaces(command: Command): Command {
  return withFolders(command).option('--items <glob>', 'only the items whose keys match');
}

/** The same, for a command that has its own way to choose items. */
export function withFolders(command: Command): Command {
  return command
    .option('--state <file>', 'use this state file')
    .option('--output <folder>', 'save results below this folder')
    .option('--allow-outside', outsideText)
    .addOption(serviceOption())
    .option('--rehearse', 'use the local service, even if a key and an address are set')
    .addOption(
      new Option('--hosted', 'fail instead of falling back to a rehearsal (for CI)').conflicts(
        'rehearse',
      ),
    );
}

const outsideText =
  'let the pipeline use files outside its repository (the folder with .git above it)';

/** For commands about results that are there already. */
export function withResults(command: Command): Command {
  return command
    .option('--output <folder>', 'the folder of the results, if the runs had this flag')
    .option('--allow-outside', outsideText);
}

/** Options that select steps and items. */
export function withSelection(command: Command): Command {
  return withSteps(command).option('--retry-failed', 'only the items with failed tasks');
}

/** Options that select steps, and exclude items. */
export function withSteps(command: Command): Command {
  return command
    .option(
      '--only <step>',
      'run only this step and the free steps that it needs (repeatable)',
      collect,
    )
    .option(
      '--until <step>',
      'run only this step and all steps that it needs (repeatable)',
      collect,
    )
    .option(
      '--exclude <step or item>',
      'skip a step and all that needs it, or the items that match a glob (repeatable)',
      collect,
    )
    .option('--require-outputs', 'download the results that other checkouts saved');
}

/** Options of commands that run pipelines. */
export function withRunning(command: Command): Command {
  return command
    .option(
      '--speed <speed>',
      'speed of a rehearsal: instant, realtime or a factor such as 60',
      speed,
    )
    .addOption(pictures('pictures of a rehearsal: real previews, or plain stand-ins'))
    .option('--log <file>', 'log every event to this file, or to standard error (-)')
    .option('--verbose', 'log to standard error (same as --log -)')
    .option(
      '--monitor <port>',
      'answer /healthz, /readyz and /metrics at [host:]port',
      listenAddress,
    );
}

export const runIdText = 'share one budget among all runs with this id';

export const payAgainText = 'pay again for results that are lost both here and at the service';

/** The options of `run` and `tick`. */
export function withRun(command: Command): Command {
  return withRunning(withPaths(withInputs(withSelection(command), jsonLinesText)))
    .option('--budget <credits>', 'spend at most this many credits in this run', wholeNumber)
    .option('--run-id <id>', runIdText)
    .option(
      '--detach-after <time>',
      'end after this time; a later run or tick fetches what is still rendering',
      duration,
    )
    .option('--pay-again', payAgainText)
    .option('--replace-files', 'let results replace files that shotlist did not make')
    .addOption(
      new Option('--quiet', 'print only failures, warnings and the summary').conflicts('json'),
    )
    .option('--listen <port>', "receive the service's events at [host:]port", listenAddress);
}

/** A rehearsal has its own service. */
export const serviceOption = (
  description = "the service's address (else SHOTLIST_BASE_URL)",
): Option => new Option('--service <address>', description).conflicts('rehearse');

const collect = (text: string, known: readonly string[] = []): readonly string[] => [
  ...known,
  text,
];

/** The flags of `schedule`. */
export function withSchedule(command: Command): Command {
  return withRunning(withPlaces(withInputs(command, jsonLinesText)))
    .option('--once', 'run what is due now, and exit')
    .option(
      '--print <kind>',
      'print a file that starts the runs: systemd, cron, github-actions, gitlab-ci or kubernetes',
    )
    .option('--budget <credits>', 'spend at most this many credits in each run', wholeNumber);
}

/** For commands about an existing state file. */
export function withState(command: Command): Command {
  return withInputs(command)
    .option('--state <file>', 'use this state file')
    .option('--rehearse', "use the rehearsal's state file")
    .addOption(
      new Option('--hosted', 'use the state file of the hosted runs').conflicts('rehearse'),
    );
}

function collectInput(
  text: string,
  known: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('Write name=value, such as --input actor=me.jpg.');
  return { ...known, [text.slice(0, equals)]: text.slice(equals + 1) };
}

/** What the local service renders (default: real). */
export const pictures = (description: string): Option =>
  new Option('--pictures <kind>', `${description} (default: real)`).choices(['real', 'plain']);

export function wholeNumber(text: string): number {
  return countOf(text, 0);
}

export function positiveInteger(text: string): number {
  return countOf(text, 1);
}

function countOf(text: string, least: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least)
    throw new InvalidArgumentError(`Write a whole number of ${least} or more, such as 20.`);
  if (!Number.isSafeInteger(value))
    throw new InvalidArgumentError(`Write a whole number of at most ${Number.MAX_SAFE_INTEGER}.`);
  return value;
}

export function portNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535)
    throw new InvalidArgumentError('Write a port from 0 to 65535; 0 is any free one.');
  return value;
}

/** `4000`, `0.0.0.0:4000` or `[::1]:4000`; without a host, this machine only. */
export function listenAddress(text: string): ListenAddress {
  const parts = /^(?:(?<host>[^\s[\]:/]+|\[[\da-fA-F:.]+\]):)?(?<port>\d+)$/.exec(text)?.groups;
  if (parts === undefined)
    throw new InvalidArgumentError('Write a port or host:port, such as 4000 or 0.0.0.0:4000.');
  const { host = '127.0.0.1', port = '' } = parts;
  return { host: host.replace(/^\[|\]$/g, ''), port: portNumber(port) };
}

/** In milliseconds. */
export function duration(text: string): number {
  const value = milliseconds(text);
  if (Number.isNaN(value))
    throw new InvalidArgumentError('Write a time such as 500ms, 90s, 24h or 7d.');
  return value;
}

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value))
    throw new InvalidArgumentError('Write a number above 0, such as 60.');
  return value;
}

export function speed(text: string): 'instant' | 'realtime' | number {
  if (text === 'instant' || text === 'realtime') return text;
  const factor = /^(\d+(\.\d+)?)x?$/.exec(text)?.[1];
  if (factor === undefined)
    throw new InvalidArgumentError('Write instant, realtime or a factor such as 60x.');
  return positiveNumber(factor);
}

export function filterOf({ items, limit }: PipelineFlags): ItemFilter {
  return {
    ...(items === undefined ? {} : { only: items }),
    ...(limit === undefined ? {} : { limit }),
  };
}
