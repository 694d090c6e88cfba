// How a person reads a run: on a terminal, in a pipe, or hardly.
import { terminal } from './output.ts';

export interface ReadingFlags {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly log?: string;
}

/** `live`: a view that is drawn again and again; `plain`: lines; `quiet`: failures only. */
export type ReadingMode = 'live' | 'plain' | 'quiet';

/** The live view needs a terminal that obeys, for itself alone. */
export function readingMode(
  flags: ReadingFlags,
  env: Readonly<Record<string, string | undefined>>,
): ReadingMode {
  if (flags.quiet === true) return 'quiet';
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  const logs = flags.log === '-' || (flags.log === undefined && flags.verbose === true);
  const isPlain = isSet('NO_COLOR') || (isSet('CI') && env['CI'] !== 'false') || logs;
  return terminal.size() === undefined || env['TERM'] === 'dumb' || isPlain ? 'plain' : 'live';
}
