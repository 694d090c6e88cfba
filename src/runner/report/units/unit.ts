// What a unit file is made from. A unit file lets a machine or a CI service run a pipeline by its schedule.
import type { Schedule } from '../../language/pipeline.ts';

export interface UnitFacts {
  /** The pipeline's name: letters, digits, ".", "_" and "-". */
  readonly name: string;
  readonly description: string | undefined;
  readonly schedule: Schedule;
  /** Absolute: the repository, or the pipeline file's folder where there is none. */
  readonly root: string;
  /** Relative to the root, with `/`. */
  readonly file: string;
  /** What `--profile` names. */
  readonly profile?: string | undefined;
  readonly state: string;
  readonly output: string;
  /** Where results are kept besides the output folder. */
  readonly store: string | undefined;
  /** The address of the service; undefined: the user's environment names it. */
  readonly service: string | undefined;
  /** Environment variables that the pipeline reads. */
  readonly variables: readonly string[];
  /** How shotlist is started on this machine: absolute paths of Node.js and of the command. */
  readonly program: readonly string[];
  /** Epoch milliseconds: summer and winter time are looked up in the year after it. */
  readonly now: number;
  /** Minutes that this machine's clock is ahead of UTC. */
  readonly hostOffset: number;
}

/** What shotlist is asked to do, without the program. */
export const scheduleArguments = (
  { file, profile }: UnitFacts,
  ...more: readonly string[]
): string[] => [
  'schedule',
  file,
  ...(profile === undefined ? [] : ['--profile', profile]),
  '--hosted',
  '--commit',
  ...more,
];

/** The first line of a unit file's comment. */
export const madeBy = ({ file }: UnitFacts, kind: string): string =>
  `made by: shotlist schedule ${file} --print ${kind}`;

/** The schedule as a person reads it. */
export const inWords = ({ cron, timeZone }: Schedule): string =>
  `${cron.map((expression) => `"${expression}"`).join(' and ')}, ${timeZone}`;

/** A text as one word of a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

export const shellCommand = (words: readonly string[]): string => words.map(shellWord).join(' ');
