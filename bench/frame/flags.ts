// A bench's options as flags of the command line.
import { parseArgs } from 'node:util';
import type { Bench, Options } from './bench.ts';

export interface Asked {
  readonly options: Options;
  readonly tiny: boolean;
  readonly write: boolean;
  readonly json: boolean;
  /** The commit to compare with. */
  readonly compare: string | undefined;
}

const own = {
  tiny: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  compare: { type: 'string' },
} as const;

/** Throws if a flag is not known. */
export function askedOf(bench: Bench, args: readonly string[]): Asked {
  const flags = Object.entries(bench.full).map(([option, value]) => {
    const type = typeof value === 'boolean' ? 'boolean' : 'string';
    return [flagOf(option), { type }] as const;
  });
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: { ...Object.fromEntries(flags), ...own },
  });
  const { tiny, write, json, compare } = values;
  const given = new Map<string, string | boolean | undefined>(Object.entries(values));
  const defaults = tiny ? tinyOptions(bench) : bench.full;
  const options = Object.entries(defaults).map(([option, value]): [string, Options[string]] => {
    const flag = given.get(flagOf(option));
    if (flag === undefined) return [option, value];
    if (typeof value !== 'number') return [option, flag];
    const number = Number(flag);
    if (!Number.isFinite(number)) throw new Error(`--${flagOf(option)} needs a number`);
    return [option, number];
  });
  return { options: Object.fromEntries(options), tiny, write, json, compare };
}

/** The options of the tiny form. */
export const tinyOptions = ({ full, tiny }: Bench): Options => {
  const options = new Map<string, Options[string]>(Object.entries(full));
  for (const [option, value] of Object.entries(tiny))
    if (value !== undefined) options.set(option, value);
  return Object.fromEntries(options);
};

/** What `askedOf` reads. */
export const flagsOf = (options: Options): readonly string[] =>
  Object.entries(options).map(([option, value]) => {
    const flag = flagOf(option);
    if (typeof value === 'boolean') return value ? `--${flag}` : `--no-${flag}`;
    return `--${flag}=${value}`;
  });

/** `delayMs` is `--delay-ms`. */
const flagOf = (option: string): string =>
  option.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
