// Every flag of every command: how it is written, read, checked and explained. To add a flag, add its entry, which names its
// commands, and read it in the feature: types, parsing and help follow from the entry.
import { InvalidArgumentError } from 'commander';
import { milliseconds } from '../base/duration.ts';

export interface Flag<Value> {
  /** As help shows it, such as `--limit <n>`. */
  readonly term: string;
  readonly help: string;
  /** `before`: the value of the same flag further to the left. Throws InvalidArgumentError. */
  read?(text: string, before: Value | undefined): Value;
  readonly choices?: readonly (Value & string)[];
  /** The names of flags that cannot be given with this one. */
  readonly conflicts?: readonly string[];
}

/** Flags by the names of their values. */
export type FlagSet = Readonly<Record<string, Flag<unknown>>>;

type ValueOf<Of> = Of extends Flag<infer Value> ? Value : never;

/** The values of the flags that were given. */
export type Given<Set> = { readonly [Name in keyof Set]?: ValueOf<Set[Name]> };

type Written<Term extends string> = Term extends `${string} <${string}`
  ? string
  : Term extends `${string} [${string}`
    ? string | true
    : boolean;

type More<Value> = Omit<Flag<Value>, 'term' | 'help'>;

/** A flag of these commands. */
type SharedFlag<Value, Of extends string> = Flag<Value> & { readonly of: readonly Of[] };

const flag = <Term extends string, const Value = Written<Term>>(
  term: Term,
  help: string,
  more: More<Value> = {},
): Flag<Value> => ({ term, help, ...more });

// The values of flags

export type ListenAddress = { readonly host: string; readonly port: number };

export const wholeNumber = (text: string): number => countOf(text, 0);

export const positiveInteger = (text: string): number => countOf(text, 1);

function countOf(text: string, least: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least)
    throw new InvalidArgumentError(`Write a whole number of ${least} or more, such as 20.`);
  if (!Number.isSafeInteger(value))
    throw new InvalidArgumentError(`Write a whole number of at most ${Number.MAX_SAFE_INTEGER}.`);
  return value;
}

function portNumber(text: string): number {
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
function duration(text: string): number {
  const value = milliseconds(text);
  if (Number.isNaN(value))
    throw new InvalidArgumentError('Write a time such as 500ms, 90s, 24h or 7d.');
  return value;
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value))
    throw new InvalidArgumentError('Write a number above 0, such as 60.');
  return value;
}

function speedOf(text: string): 'instant' | 'realtime' | number {
  if (text === 'instant' || text === 'realtime') return text;
  const factor = /^(\d+(\.\d+)?)x?$/.exec(text)?.[1];
  if (factor === undefined)
    throw new InvalidArgumentError('Write instant, realtime or a factor such as 60x.');
  return positiveNumber(factor);
}

const collected = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  text,
];

/** `true`: all that is lost. */
function tasksWith(
  text: string,
  before: readonly string[] | true | undefined,
): readonly string[] | true {
  if (!text.includes(':') && /\.ya?ml$/.test(text))
    throw new InvalidArgumentError(
      `${text} is a pipeline file, not a task. Put the file before the flag: shotlist run ${text} --pay-again.`,
    );
  return before === true ? true : collected(text, before);
}

function inputsWith(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('Write name=value, such as --input actor=me.jpg.');
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) };
}

// The flags that several commands share, in the groups and the order of help

/** Commands that pay and wait for results. */
const paying = ['run', 'tick', 'reroll', 'schedule', 'watch'] as const;
/** Commands whose runs are planned as a whole. */
const planned = ['plan', 'run', 'tick'] as const;
/** Commands about an existing state file. */
const reading = [
  ...(['status', 'report', 'ui', 'pick', 'resolve', 'refresh', 'audit'] as const),
  ...(['repair', 'prune', 'export'] as const),
] as const;
const stateful = ['plan', ...paying, ...reading] as const;

const shared = <
  Term extends string,
  const Of extends readonly string[],
  const Value = Written<Term>,
>(
  term: Term,
  help: string,
  of: Of,
  more: More<Value> = {},
): SharedFlag<Value, Of[number]> => ({ term, help, of, ...more });

/** By the heading in the help of commands that have many. */
export const flagGroups = {
  'What became of it:': {
    project: shared(
      '--project <id>',
      'the project that the service created for the request',
      ['resolve'],
      {
        conflicts: ['notCharged', 'abandon'],
      },
    ),
    notCharged: shared(
      '--not-charged',
      'the service did not accept the request; the next run may send it again',
      ['resolve'],
      { conflicts: ['abandon'] },
    ),
    abandon: shared(
      '--abandon',
      'give it up, because nobody can tell or its project never ends: its credits count as spent, and only run --pay-again buys it again',
      ['resolve'],
    ),
    all: shared('--all', 'everything that is in doubt; asks about each, unless another flag says', [
      'resolve',
    ]),
    hubList: shared(
      '--hub-list <file>',
      'with --all: the list of projects in the hub, as JSON, CSV or text (- is standard input)',
      ['resolve'],
    ),
  },
  'What to run:': {
    items: shared(
      '--items <glob>',
      'only the items whose keys match (repeatable)',
      [...planned, 'schedule', 'watch'],
      { read: collected },
    ),
    limit: shared('--limit <n>', 'only the first n items with something to do', planned, {
      read: positiveInteger,
    }),
    only: shared(
      '--only <step>',
      'run only this step and the free steps that it needs (repeatable)',
      [...planned, 'watch'],
      { read: collected },
    ),
    until: shared(
      '--until <step>',
      'run only this step and all steps that it needs (repeatable)',
      [...planned, 'watch'],
      { read: collected },
    ),
    exclude: shared(
      '--exclude <step or item>',
      'skip a step and all that needs it, or the items that match a glob (repeatable)',
      [...planned, 'watch'],
      { read: collected },
    ),
    requireOutputs: shared('--require-outputs', 'download the results that other checkouts saved', [
      ...planned,
      'watch',
    ]),
    replaceFiles: shared(
      '--replace-files',
      'let results replace files that shotlist did not make',
      ['run', 'tick'],
    ),
    input: shared(
      '--input <name=value>',
      'set an input of the pipeline (repeatable)',
      [...stateful, 'validate', 'worker'],
      { read: inputsWith },
    ),
    profile: shared('--profile <name>', "apply one of the pipeline's profiles", [
      ...stateful,
      'validate',
      'worker',
    ]),
    settle: shared(
      '--settle <time>',
      'a file is complete when it has not changed for so long (default: 2s)',
      ['watch'],
      { read: duration },
    ),
    poll: shared(
      '--poll <time>',
      'how often to look for changes that the system does not report (default: 1m)',
      ['watch'],
      { read: duration },
    ),
  },
  'Money:': {
    budget: shared(
      '--budget <credits>',
      'spend at most this many credits in this run',
      ['plan', ...paying],
      { read: wholeNumber },
    ),
    confirmAbove: shared(
      '--confirm-above <credits>',
      'on a terminal, ask before buying more (default: confirm_above in the pipeline, or 100)',
      ['run', 'reroll'],
      { read: wholeNumber },
    ),
    yes: shared('--yes', 'do not ask: the answer is yes', ['run', 'tick', 'reroll', 'prune']),
    payAgain: shared(
      '--pay-again [task]',
      'pay again for this task (repeatable), or for all results that are lost both here and at the service',
      ['plan', 'run'],
      { read: tasksWith },
    ),
    plan: shared('--plan <digest>', 'buy what the plan with this digest said, or nothing', ['run']),
    dryRun: shared('--dry-run', 'say what it would do and cost, and do nothing', ['reroll']),
  },
  'Where:': {
    output: shared('--output <folder>', 'save results below this folder', [
      ...(['plan', ...paying, 'report', 'ui', 'pick', 'prune', 'worker'] as const),
    ]),
    state: shared('--state <file>', 'use this state file', stateful),
    allowOutside: shared(
      '--allow-outside',
      'let the pipeline use files outside its repository (the folder with .git above it)',
      ['plan', ...paying, 'report', 'ui', 'pick', 'prune', 'worker'],
    ),
    // A rehearsal has its own service.
    service: shared(
      '--service <address>',
      "the service's address (else SHOTLIST_BASE_URL)",
      ['plan', ...paying, 'resolve', 'refresh', 'audit', 'prune', 'repair'],
      { conflicts: ['rehearse'] },
    ),
    engine: shared(
      '--engine <address>',
      'let workers on several machines move the bytes, through this Postgres database',
      ['run', 'status', 'worker'],
      { conflicts: ['rehearse'] },
    ),
    hosted: shared('--hosted', 'fail instead of falling back to a rehearsal (for CI)', stateful, {
      conflicts: ['rehearse'],
    }),
  },
  'Output:': {
    explain: shared('--explain <task>', 'explain why this task would run again', ['plan']),
    resolved: shared(
      '--resolved',
      'print the pipeline with defaults and profile applied; do not plan',
      ['plan'],
    ),
    graph: shared(
      '--graph',
      'draw the steps and what each waits for, in Mermaid; do not plan',
      ['plan'],
      { conflicts: ['explain', 'resolved', 'exitCode', 'json'] },
    ),
    exitCode: shared('--exit-code', 'exit with 10 if there is something to do', ['plan']),
    quiet: shared(
      '--quiet',
      'print only failures, warnings and the summary',
      ['run', 'tick', 'reroll'],
      { conflicts: ['json'] },
    ),
    json: shared('--json', 'print JSON', [
      ...([...stateful, 'init', 'tools', 'validate', 'receipts', 'explain'] as const),
      ...(['trust', 'worker'] as const),
    ]),
    log: shared('--log <file>', 'log every event to this file, or to standard error (-)', paying),
    help: shared('-h, --help', 'print this help', []),
  },
  'Unattended:': {
    once: shared('--once', 'run what is due now, and exit', ['schedule', 'worker']),
    detachAfter: shared(
      '--detach-after <time>',
      'end after this time; a later run or tick fetches what is still rendering',
      ['run', 'tick'],
      { read: duration },
    ),
    listen: shared(
      '--listen <port>',
      "receive the service's events at [host:]port",
      ['run', 'tick', 'reroll'],
      { read: listenAddress },
    ),
    commit: shared(
      '--commit',
      'make one git commit with the state file and the outputs (up to 1 MiB each, 20 MiB in all)',
      paying,
    ),
  },
  'Rehearsal:': {
    rehearse: shared(
      '--rehearse',
      'use the local service, even if a key and an address are set',
      stateful,
    ),
    speed: shared(
      '--speed <speed>',
      'speed of a rehearsal: instant, realtime or a factor such as 60',
      paying,
      { read: speedOf },
    ),
    pictures: shared(
      '--pictures <kind>',
      'pictures of a rehearsal: real previews, or plain stand-ins (default: real)',
      paying,
      { choices: ['real', 'plain'] },
    ),
  },
} as const;

const flags = {
  ...flagGroups['What became of it:'],
  ...flagGroups['What to run:'],
  ...flagGroups['Money:'],
  ...flagGroups['Where:'],
  ...flagGroups['Output:'],
  ...flagGroups['Unattended:'],
  ...flagGroups['Rehearsal:'],
};
type SharedFlags = typeof flags;
type CommandName = SharedFlags[keyof SharedFlags]['of'][number];

type FlagsOf<Command extends CommandName> = {
  readonly [Name in keyof SharedFlags as Command extends SharedFlags[Name]['of'][number]
    ? Name
    : never]: SharedFlags[Name];
};

/** The shared flags of a command, in the order of help. */
function flagsOf<Command extends CommandName>(command: Command): FlagsOf<Command> {
  const isOf = (set: FlagSet): set is FlagSet & FlagsOf<Command> =>
    Object.keys(set).every((name) => name in flags);
  const found: FlagSet = Object.fromEntries(
    Object.entries(flags).filter(([, { of }]) => of.some((name) => name === command)),
  );
  if (!isOf(found)) throw new Error(`bug: ${command} has no flags`);
  return found;
}

/** The same flag, explained for another command. */
const saying = <Value>(one: Flag<Value>, help: string): Flag<Value> => ({ ...one, help });

// The flags of each command

/** For commands that print while they work. */
const jsonLines = saying(flags.json, 'print JSON, one object per line');

/** For commands about an existing state file. */
const existing = {
  rehearse: saying(flags.rehearse, "use the rehearsal's state file"),
  hosted: saying(flags.hosted, 'use the state file of the hosted runs'),
};

/** For commands about results that are there already. */
const results = {
  ...existing,
  output: saying(flags.output, 'the folder of the results, if the runs had this flag'),
};

export const planFlags = {
  ...flagsOf('plan'),
  budget: saying(flags.budget, 'plan for a run with this budget'),
};
export type PlanFlags = Given<typeof planFlags>;

/** The flags of every command that loads a pipeline; each command has some of them. */
export type PipelineFlags = PlanFlags;

export const tickFlags = {
  ...flagsOf('tick'),
  json: jsonLines,
  yes: saying(flags.yes, 'as for run; a tick never asks'),
};
export type TickFlags = Given<typeof tickFlags>;

export const runFlags = {
  ...flagsOf('run'),
  json: jsonLines,
};

export const scheduleFlags = {
  ...flagsOf('schedule'),
  json: jsonLines,
  budget: saying(flags.budget, 'spend at most this many credits in each run'),
};
export type ScheduleFlags = Given<typeof scheduleFlags>;

export const watchFlags = {
  ...flagsOf('watch'),
  json: jsonLines,
  budget: saying(flags.budget, 'spend at most this many credits in all runs of this watch'),
};
export type WatchFlags = Given<typeof watchFlags>;

export const rerollFlags = { ...flagsOf('reroll'), json: jsonLines };
export type RerollFlags = Given<typeof rerollFlags>;

export const workerFlags = {
  places: flag('--places <n>', 'move so many files at once (default: 16)', {
    read: positiveInteger,
  }),
  ...flagsOf('worker'),
  engine: saying(flags.engine, 'the Postgres database of the runs, without a password'),
  once: saying(flags.once, 'exit when the first run ends (default: wait for the next one)'),
  output: saying(flags.output, 'the output folder of the run, as it is mounted on this machine'),
  json: jsonLines,
};
export type WorkerFlags = Given<typeof workerFlags>;

export const initFlags = {
  tool: flag(
    '--tool <tool>',
    'the tool that the pipeline uses; shotlist tools lists them (default: the first that fits)',
  ),
  media: flag('--media <folder>', 'the folder of the photos, clips or sounds'),
  name: flag('--name <name>', 'the name of the pipeline (default: the tool)'),
  output: flag('--output <file>', 'the pipeline file, which must not exist (default: <name>.yaml)'),
  ...flagsOf('init'),
};
export type InitFlags = Given<typeof initFlags>;

export const validateFlags = flagsOf('validate');
export type ValidateFlags = Given<typeof validateFlags>;

export const explainFlags = flagsOf('explain');
export type ExplainFlags = Given<typeof explainFlags>;

export const statusFlags = {
  ...flagsOf('status'),
  ...existing,
  items: flag('--items [glob]', 'list the items, or those whose keys match'),
  failed: flag('--failed', 'list the items with tasks that failed or are in doubt'),
};
export type StatusFlags = Given<typeof statusFlags>;

export const resolveFlags = { ...flagsOf('resolve'), ...existing };
export type ResolveFlags = Given<typeof resolveFlags>;

export const refreshFlags = {
  ...flagsOf('refresh'),
  ...existing,
  acceptMissing: flag(
    '--accept-missing',
    'believe the service even if it has no record of any project',
  ),
};
export type RefreshFlags = Given<typeof refreshFlags>;

export const auditFlags = { ...flagsOf('audit'), ...existing };
export type AuditFlags = Given<typeof auditFlags>;

export const repairFlags = {
  ...flagsOf('repair'),
  ...existing,
  service: saying(
    flags.service,
    'the service that its ids belong to, if the file no longer says so',
  ),
  write: flag('--write', 'write the state file; a damaged one is kept beside it'),
  accept: flag(
    '--accept',
    'you have looked: go on without what is lost, or although it was paid twice',
  ),
};
export type RepairFlags = Given<typeof repairFlags>;

export const pickFlags = { ...flagsOf('pick'), ...results };
export type PickFlags = Given<typeof pickFlags>;

export const pruneFlags = {
  ...flagsOf('prune'),
  ...results,
  olderThan: flag('--older-than <time>', 'only what is at least so old, such as 30d', {
    read: duration,
  }),
  missingFolders: flag('--missing-folders', 'count items in missing or empty folders as gone'),
  yes: saying(flags.yes, 'remove without a question'),
};
export type PruneFlags = Given<typeof pruneFlags>;

export const receiptsFlags = {
  pipeline: flag('--pipeline <file>', 'only the receipts of this pipeline file'),
  rehearse: saying(flags.rehearse, "with --pipeline: the receipts of the pipeline's rehearsal"),
  limit: flag('--limit <n>', 'list the newest n receipts (default: 20)', {
    read: positiveInteger,
  }),
  ...flagsOf('receipts'),
};
export type ReceiptsFlags = Given<typeof receiptsFlags>;

export const reportFlags = {
  ...flagsOf('report'),
  ...results,
  out: flag('--out <file>', 'the HTML file (default: report.html in the output folder)'),
  // Commander calls the value by what is left out.
  inputs: flag('--no-inputs', 'leave out the pictures, hashes and parameters of the inputs'),
};
export type ReportFlags = Given<typeof reportFlags>;

export const uiFlags = {
  ...flagsOf('ui'),
  ...results,
  port: flag('--port <n>', 'port (default: a free one)', { read: portNumber }),
  open: flag('--open', 'open the page in the browser'),
};
export type UiFlags = Given<typeof uiFlags>;

export const trustFlags = {
  remove: flag('--remove', 'no longer trust the file'),
  list: flag('--list', 'list the trusted files'),
  ...flagsOf('trust'),
};
export type TrustFlags = Given<typeof trustFlags>;

export const toolsFlags = flagsOf('tools');
export type ToolsFlags = Given<typeof toolsFlags>;

export const serveFlags = {
  port: flag('--port <n>', 'port (default: a free one)', { read: portNumber }),
  host: flag('--host <address>', 'address to listen on (default: loopback only)'),
  data: flag(
    '--data <folder>',
    'keep projects, files and the ledger here (default: nothing is kept)',
  ),
  speed: saying(flags.speed, 'instant, realtime or a factor such as 60'),
  credits: flag('--credits <n>', 'opening balance of a new account (default: 10000)', {
    read: wholeNumber,
  }),
  pictures: saying(flags.pictures, 'real previews, or plain stand-ins (default: real)'),
  faces: flag('--faces <n>', 'faces at fixed places in each picture (default: they are found)', {
    read: wholeNumber,
  }),
  faults: flag('--faults <file>', 'inject the faults in this file (schemas/faults.schema.json)'),
  json: saying(flags.json, 'print address, key and hub as JSON'),
};
export type ServeFlags = Given<typeof serveFlags>;

export const filterOf = ({ items, limit }: PipelineFlags) => ({ only: items, limit });

/** `--limit` of `--limit <n>`. */
export const longName = (term: string): string => /--[\w-]+/.exec(term)?.[0] ?? term;
