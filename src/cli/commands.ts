// Every command: what it is called, what it takes, and the feature that does it, which is loaded on demand.
import { Argument, type Command, Option } from 'commander';
import type { Flag, FlagSet, Given } from '../terminal/flags.ts';
import * as flags from '../terminal/flags.ts';

type Value<Term extends string> = Term extends `${string}...${string}`
  ? string[]
  : Term extends `[${string}`
    ? string | undefined
    : string;

interface Taken<T> {
  /** As commander writes them: `<file>`, `[task]`, `<files...>`. */
  readonly term: string;
  readonly help: string;
  read?(text: string): T;
}

type Values<Args extends readonly Taken<unknown>[]> = {
  [Index in keyof Args]: Args[Index] extends Taken<infer T> ? T : never;
};

interface Entry<Args extends readonly Taken<unknown>[], Set extends FlagSet> {
  readonly takes?: readonly [...Args];
  /** Default: the terms of what it takes. */
  readonly usage?: string;
  readonly flags: Set;
  /** Returns the exit code. */
  readonly run: (...given: [...Values<Args>, Given<Set>]) => Promise<number>;
}

/** Adds a command to a program. `done` gets the exit code. */
type Added = (program: Command, done: (exitCode: number) => void) => void;

const argument = <Term extends string, T = Value<Term>>(
  term: Term,
  help = '',
  read?: (text: string) => T,
): Taken<T> => (read === undefined ? { term, help } : { term, help, read });

function command<Set extends FlagSet, const Args extends readonly Taken<unknown>[] = []>(
  name: string,
  description: string,
  { takes, usage, flags: set, run }: Entry<Args, Set>,
): Added {
  return (program, done) => {
    const made = program.command(name).description(description);
    for (const one of takes ?? []) made.addArgument(argumentOf(one));
    if (usage !== undefined) made.usage(usage);
    for (const one of Object.values(set)) made.addOption(optionOf(one));
    made.action(async (...given: Parameters<typeof run>) => {
      try {
        done(await run(...given));
      } catch (error) {
        const { refused } = await import('../terminal/terminal.ts');
        done(refused(error, made.opts()['json'] === true));
      }
    });
  };
}

function argumentOf({ term, help, read }: Taken<unknown>): Argument {
  const made = new Argument(term, help);
  return read === undefined ? made : made.argParser(read);
}

export function optionOf(flag: Flag<unknown>): Option {
  const { term, help, read, choices, conflicts = [] } = flag;
  const made = new Option(term, help).conflicts([...conflicts]);
  if (choices !== undefined) made.choices(choices);
  if (read !== undefined) made.argParser((text, before) => read(text, before));
  return made;
}

const file = argument('<file>');

/** In the groups and the order of help. */
export const commands: Readonly<Record<string, Readonly<Record<string, Added>>>> = {
  'Start:': {
    init: command('init', 'write a first pipeline for what is in this folder', {
      flags: flags.initFlags,
      run: async (given) => (await import('../features/init/command.ts')).initCommand(given),
    }),
    tools: command('tools', 'list the tools, or show the fields and price of one', {
      takes: [argument('[kind]')],
      flags: flags.toolsFlags,
      run: async (kind, given) =>
        (await import('../features/tools/command.ts')).toolsCommand(kind, given),
    }),
    validate: command('validate', 'check pipeline files', {
      takes: [argument('<files...>')],
      flags: flags.validateFlags,
      run: async (files, given) =>
        (await import('../features/validate/command.ts')).validateCommand(files, given),
    }),
    plan: command('plan', 'show what would run, why, and what it costs', {
      takes: [file],
      flags: flags.planFlags,
      run: async (name, given) =>
        (await import('../features/plan/command.ts')).planCommand(name, given),
    }),
    run: command('run', 'run a pipeline, or resume it', {
      takes: [file],
      flags: flags.runFlags,
      run: async (name, given) => {
        if (given.json !== true)
          (await import('../terminal/live-screen.ts')).sayReading(name, given);
        return await (await import('../features/run/command.ts')).runCommand(name, given);
      },
    }),
  },
  'See:': {
    status: command('status', 'show progress, credits, and what needs attention', {
      takes: [file],
      flags: flags.statusFlags,
      run: async (name, given) =>
        (await import('../features/status/command.ts')).statusCommand(name, given),
    }),
    report: command('report', 'write one HTML file with every result and its price', {
      takes: [file],
      flags: flags.reportFlags,
      run: async (name, given) =>
        (await import('../features/report/command.ts')).reportCommand(name, given),
    }),
    ui: command('ui', 'show the report as a page that follows the runs', {
      takes: [file],
      flags: flags.uiFlags,
      run: async (name, given) =>
        (await import('../features/ui/command.ts')).uiCommand(name, given),
    }),
    receipts: command('receipts', 'list what you have paid for on this machine', {
      flags: flags.receiptsFlags,
      run: async (given) =>
        (await import('../features/receipts/command.ts')).receiptsCommand(given),
    }),
  },
  'Choose:': {
    reroll: command('reroll', 'pay for another take of a result; nothing downstream runs', {
      takes: [
        file,
        argument('<tasks...>', 'tasks such as swap:IMG_0412.jpg, or items such as IMG_0412.jpg'),
      ],
      flags: flags.rerollFlags,
      run: async (name, tasks, given) =>
        (await import('../features/takes/command.ts')).rerollCommand(name, tasks, given),
    }),
    pick: command('pick', 'choose the take that counts; the next run uses it', {
      takes: [
        file,
        argument('<task>', 'its name as status and plan show it'),
        argument('<take>', 'its number; the first take is 1', flags.positiveInteger),
      ],
      flags: flags.pickFlags,
      run: async (name, task, take, given) =>
        (await import('../features/takes/command.ts')).pickCommand(name, task, take, given),
    }),
  },
  'Unattended:': {
    tick: command('tick', 'save what is ready, buy within the limits, and end', {
      takes: [file],
      flags: flags.tickFlags,
      run: async (name, given) =>
        (await import('../triggers/tick/command.ts')).tickCommand(name, given),
    }),
    schedule: command('schedule', 'run pipelines at the times of their schedules', {
      takes: [
        argument(
          '[paths...]',
          'pipeline files, or folders of them (default: pipelines, or this folder)',
        ),
      ],
      flags: flags.scheduleFlags,
      run: async (names, given) =>
        (await import('../triggers/schedule/command.ts')).scheduleCommand(names, given),
    }),
    watch: command('watch', 'run a pipeline for each new or changed file', {
      takes: [file],
      flags: flags.watchFlags,
      run: async (name, given) =>
        (await import('../triggers/watch/command.ts')).watchCommand(name, given),
    }),
    worker: command('worker', 'move the files of runs that another machine coordinates', {
      takes: [file],
      flags: flags.workerFlags,
      run: async (name, given) =>
        (await import('../features/worker/command.ts')).workerCommand(name, given),
    }),
  },
  'Team and git:': {
    trust: command(
      'trust',
      'let a pipeline file use your API key with its service, call its hooks and use its bucket',
      {
        takes: [argument('[file]')],
        flags: flags.trustFlags,
        run: async (name, given) =>
          (await import('../features/trust/command.ts')).trustCommand(name, given),
      },
    ),
  },
  'Check and mend:': {
    explain: command('explain', 'explain an error code; without an argument, list all codes', {
      takes: [argument('[code]', 'for example SL012')],
      flags: flags.explainFlags,
      run: async (name, given) =>
        (await import('../features/explain/command.ts')).explainCommand(name, given),
    }),
    resolve: command(
      'resolve',
      'record what became of a request whose answer was lost, or of all',
      {
        takes: [
          file,
          argument('[task]', 'its name as status shows it, or the name or id of its project'),
        ],
        flags: flags.resolveFlags,
        run: async (name, task, given) =>
          (await import('../features/resolve/command.ts')).resolveCommand(name, task, given),
      },
    ),
    refresh: command('refresh', 'update the state file from the service', {
      takes: [file],
      flags: flags.refreshFlags,
      run: async (name, given) =>
        (await import('../features/drift/command.ts')).refreshCommand(name, given),
    }),
    audit: command('audit', 'check the recorded credits against the service; changes nothing', {
      takes: [file],
      flags: flags.auditFlags,
      run: async (name, given) =>
        (await import('../features/drift/command.ts')).auditCommand(name, given),
    }),
    repair: command('repair', 'find damage in a state file, and propose a repair', {
      takes: [file],
      flags: flags.repairFlags,
      run: async (name, given) =>
        (await import('../features/repair/command.ts')).repairCommand(name, given),
    }),
    prune: command('prune', 'remove what is no longer needed, after a yes', {
      takes: [file],
      flags: flags.pruneFlags,
      run: async (name, given) =>
        (await import('../features/prune/command.ts')).pruneCommand(name, given),
    }),
  },
  'Local service:': {
    serve: command('serve', 'start the local service, which costs nothing', {
      flags: flags.serveFlags,
      run: async (given) => (await import('../features/serve/command.ts')).serveCommand(given),
    }),
  },
};
