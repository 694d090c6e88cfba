// shotlist run: makes the pipeline so. Ctrl-C once: running requests end; twice: at once. Both are safe.
import { resolve } from 'node:path';
import type { ListenAddress } from '../adapters/http/event-receiver.ts';
import { pathsOf } from '../operations/files/run-paths.ts';
import { loadPipeline } from '../operations/pipeline/load.ts';
import { problem } from '../operations/pipeline/problem.ts';
import { run } from '../operations/run.ts';
import type { Pictures } from '../operations/service/local-service.ts';
import { chooseTarget } from '../operations/service/target.ts';
import type { RunEvent } from '../report/run-event.ts';
import { runEventText, summaryText } from '../report/run-text.ts';
import { serviceLine } from '../report/service-text.ts';
import { openLog } from './log.ts';
import { filterOf, type PipelineFlags } from './options.ts';
import { stopWhenAsked } from './stop.ts';
import {
  complain,
  print,
  printJson,
  printWarnings,
  refuse,
  rehearsalLine,
  rehearseLine,
} from './terminal.ts';

export interface RunFlags extends PipelineFlags {
  readonly budget?: number;
  readonly payAgain?: boolean;
  readonly runId?: string;
  readonly verbose?: boolean;
  readonly log?: string;
  readonly listen?: ListenAddress;
  readonly speed?: 'instant' | 'realtime' | number;
  readonly pictures?: Pictures;
}

export async function runCommand(file: string, flags: RunFlags): Promise<number> {
  const json = flags.json === true;
  const loaded = await loadPipeline(file, { inputs: flags.input ?? {} });
  if (!loaded.ok) return refuse(loaded.error, json);
  const target = chooseTarget(flags, loaded.value, process.env);
  if (!target.ok) return refuse(target.error, json);
  if (!json && target.value.kind === 'rehearsal')
    print(flags.rehearse === true ? rehearseLine : rehearsalLine);
  if (!json && target.value.kind === 'hosted') print(serviceLine(target.value.address));
  if (!json) printWarnings(loaded.value.warnings, loaded.value.pipeline.source.text);

  const { state } = pathsOf(loaded.value, target.value, flags);
  if (flags.log !== undefined && resolve(flags.log) === state)
    return refuse(problem(`--log ${flags.log} names the state file: name another file`), json);
  const opened = openLog(flags);
  if (!opened.ok) return refuse(problem(opened.error), json);
  const log = opened.value;
  const stop = stopWhenAsked();
  const show = json ? facts : reader(stop.signal);
  try {
    const ran = await run(loaded.value, {
      ...flags,
      items: filterOf(flags),
      signal: stop.signal,
      ...(flags.speed === undefined ? {} : { rehearsalSpeed: flags.speed }),
      ...(flags.pictures === undefined ? {} : { rehearsalPictures: flags.pictures }),
      onEvent: (event) => {
        log.write(event);
        show(event);
      },
    });
    if (!ran.ok) return refuse(ran.error, json);
    if (!json) print(summaryText(ran.value.summary, ran.value));
    return ran.value.summary.exitCode;
  } finally {
    stop.off();
    log.close();
  }
}

/** The stack of a bug is for the log. */
const facts = (event: RunEvent): void =>
  printJson(event.type === 'bug' ? { ...event, stack: undefined } : event);

/** What is told beside the facts. */
const aside: ReadonlySet<RunEvent['type']> = new Set([
  ...(['warning', 'waiting', 'back', 'stopping', 'bug'] as const),
]);

function reader(stop: AbortSignal): (event: RunEvent) => void {
  let items = 0;
  return (event) => {
    if (event.type === 'planned') items = event.plan.items;
    // Said before the warnings of the file.
    if (event.type === 'service') return;
    // Said when it was asked for.
    if (event.type === 'stopping' && stop.aborted) return;
    const text = runEventText(event, items);
    if (text === undefined) return;
    if (aside.has(event.type)) complain(text);
    else print(text);
  };
}
