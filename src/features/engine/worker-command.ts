// shotlist worker: performs the tasks of distributed runs until it is stopped.

import type { WorkerFlags } from '../../terminal/flags.ts';
import { stopWhenAsked } from '../../terminal/stop.ts';
import { complain, print, printJson } from '../../terminal/terminal.ts';
import { type WorkerEvent, worker, workerText } from './worker.ts';

export async function workerCommand(flags: WorkerFlags): Promise<number> {
  const { json = false, ...options } = flags;
  const stop = stopWhenAsked();
  const onEvent = (event: WorkerEvent): void => {
    if (json) return printJson(event);
    const text = workerText(event);
    if (text === undefined) return;
    if (event.type === 'warning' || event.type === 'waiting' || event.type === 'database')
      complain(text);
    else print(text);
  };
  try {
    await worker({ ...options, signal: stop.signal, onEvent });
    return 0;
  } finally {
    stop.off();
  }
}
