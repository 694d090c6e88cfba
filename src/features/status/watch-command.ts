// shotlist status --watch: follows the state file and the runs that use it, until Ctrl-C.

import { count, grouped } from '../../base/text.ts';
import { realClock } from '../../run/clock.ts';
import { keepDrawn, readingMode } from '../../terminal/live-screen.ts';
import { untilAsked } from '../../terminal/stop.ts';
import { caution, print, printJson } from '../../terminal/terminal.ts';
import { creditsText } from '../../views/credits-text.ts';
import { queueLine } from '../../views/engine-text.ts';
import { progressText, type Watched, watchLines } from '../../views/live/live-lines.ts';
import { pipelineFor } from '../command.ts';
import { type CommandLines, stateLines } from '../command-line.ts';
import { type ListingFlags, reportText } from './command.ts';
import { followStatus, type StatusLook } from './follow-status.ts';
import type { Status, StatusReport } from './status.ts';
import type { StepStatus } from './status-items.ts';

/** Shows what was found. */
interface Watcher {
  look(look: StatusLook): void;
  end(): void;
}

type Flags = Omit<ListingFlags, 'items'>;

export async function watchStatusCommand(file: string, flags: Flags): Promise<number> {
  const { json = false, expiring, ...common } = flags;
  const pipeline = await pipelineFor(file, flags);
  const stop = untilAsked();
  const again = stateLines(pipeline, common);
  const isLive = !json && readingMode({}, process.env) === 'live';
  const watcher = json ? facts() : isLive ? onScreen(again) : lines();
  try {
    await followStatus(pipeline, {
      ...common,
      expiringMs: expiring,
      signal: stop.signal,
      onLook: (look) => watcher.look(look),
      onWarning: caution,
    });
    return 0;
  } finally {
    watcher.end();
    stop.off();
  }
}

const noFileYet = ({ state }: Extract<StatusLook, { type: 'none' }>): string =>
  `No run is active · there is no state file yet: ${state}`;

/** The time alone is no change. */
function facts(): Watcher {
  let last = '';
  return {
    look(look) {
      const mark =
        look.type === 'live' ? `${look.process} ${look.live.version}` : JSON.stringify(look);
      if (mark !== last) printJson(look);
      last = mark;
    },
    end: () => undefined,
  };
}

/** Between two lines about one run, in milliseconds. */
const calmMs = 10_000;

function lines(): Watcher {
  const distributed = calmly();
  let run: { readonly process: string; version: number; toldAt: number } | undefined;
  const beginRun = (process: string): NonNullable<typeof run> => {
    print(`A run is active (${process}).`);
    run = { process, version: -1, toldAt: Number.NEGATIVE_INFINITY };
    return run;
  };
  return {
    look(look) {
      if (look.type === 'none') return print(noFileYet(look));
      if (look.type === 'state') {
        run = undefined;
        return distributed.isTold(look.report) ? undefined : print(stateLine(look.report));
      }
      const { live, process } = look;
      const told = run?.process === process ? run : beginRun(process);
      const now = realClock.elapsed();
      const text = live.version === told.version ? undefined : progressText(live);
      if (text === undefined || now - told.toldAt < calmMs) return;
      print(text);
      told.version = live.version;
      told.toldAt = now;
    },
    end: () => undefined,
  };
}

/** A distributed run changes all the time. */
function calmly() {
  let coordinator: string | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    isTold({ engine }: StatusReport): boolean {
      const now = realClock.elapsed();
      const isSame = engine !== undefined && engine.coordinator === coordinator;
      if (isSame && now - toldAt < calmMs) return true;
      coordinator = engine?.coordinator;
      toldAt = now;
      return false;
    },
  };
}

const stateLine = (report: StatusReport): string =>
  report.engine === undefined
    ? statusLine(report)
    : `${statusLine(report)} · ${queueLine(report.engine)}`;

function onScreen(lines: CommandLines): Watcher {
  const again = lines.line('status');
  let shown: Watched = { is: 'still', text: 'Looking …', rest: again };
  let version = 0;
  const screen = keepDrawn(
    (size) => watchLines(shown, size),
    () => version,
  );
  let isOver = false;
  return {
    look(look) {
      version += 1;
      if (look.type === 'live') shown = { is: 'live', live: look.live, process: look.process };
      else if (look.type === 'none') shown = { is: 'still', text: noFileYet(look), rest: again };
      else shown = { is: 'still', text: reportText(look.report, lines), rest: again };
    },
    end() {
      if (!isOver) screen.leave();
      isOver = true;
    },
  };
}

// The status of a state file in one line, for logs and pipes.

function statusLine({
  running,
  runs,
  lastRun,
  credits,
  steps,
  engine,
}: Status & {
  readonly steps: readonly StepStatus[];
  /** Set for a distributed run, which says how far it is in its record. */
  readonly engine?: object;
}): string {
  const sum = (state: 'done' | 'failed' | 'doubt'): number =>
    steps.reduce((all, { tasks }) => all + (tasks[state] ?? 0), 0);
  const [failed, doubt] = [sum('failed'), sum('doubt')];
  const last =
    lastRun === undefined
      ? []
      : [
          `the last ${lastRun.ended === undefined ? `began ${lastRun.at}` : `ended ${lastRun.ended}`}`,
        ];
  return [
    running === undefined
      ? 'No run is active'
      : `A run is active (${running})${engine === undefined ? ' and says nothing' : ''}`,
    [count(runs, 'run'), ...last].join(', '),
    `${count(sum('done'), 'task')} done`,
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
    ...(doubt > 0 ? [`${grouped(doubt)} in doubt`] : []),
    `credits: ${creditsText(credits, running === undefined ? 'in doubt' : 'set aside')}`,
  ].join(' · ');
}
