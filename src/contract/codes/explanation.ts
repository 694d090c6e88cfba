// The form of an explanation: what a code means, with an example that causes it and one that does not.

/** A pipeline file or a faults file, line by line. */
export type Lines = readonly string[];

/** An example that needs more than a pipeline file. */
export interface Setting {
  readonly pipeline: Lines;
  /** Other files, by their paths relative to the pipeline file. */
  readonly files?: Readonly<Record<string, string>>;
  /** How the pipeline file is saved: in another encoding than UTF-8, or with carriage returns as line ends. */
  readonly saved?: 'latin1' | 'cr';
  /** Values of `--input`. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** `--items`. */
  readonly items?: string;
  /** `--profile`. */
  readonly profile?: string;
  /** The environment of the command. */
  readonly env?: Readonly<Record<string, string>>;
}

export type Example = Lines | Setting;

/** The command that finds the problem. `validate` reads the pipeline file and its table; `serve` reads a faults file. */
export type Finder = 'validate' | 'plan' | 'watch' | 'serve';

export interface Explanation {
  /** One sentence that says what is wrong. */
  readonly title: string;
  /** Why shotlist refuses it, or warns, and how to fix it. */
  readonly meaning: string;
  /** Default: `validate`. */
  readonly found?: Finder;
  /** True for a warning: the command continues. */
  readonly warning?: boolean;
  readonly wrong: Example;
  readonly right: Example;
}

/** The parts of an example, whichever form it has. */
export const settingOf = (example: Example): Setting =>
  'pipeline' in example ? example : { pipeline: example };

/** The text of the pipeline file. */
export const textOf = (example: Example): string => `${settingOf(example).pipeline.join('\n')}\n`;
