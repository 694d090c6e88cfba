// shotlist worker: performs the tasks of distributed runs until it is stopped.

import { type WorkerEvent, worker } from '../operations/worker.ts';
import { workerText } from '../report/worker-text.ts';
import type { WorkerFlags } from './flags.ts';
import { announce, withMonitor } from './monitor.ts';
import { stopWhenAsked } from './stop.ts';
import { complain, print, printJson } from './terminal.ts';

export async function workerCommand(flags: WorkerFlags): Promise<number> {
  const { json = false, monitor: _listen, ...options } = flags;
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
    return await withMonitor(flags, stop.signal, async (monitor) => {
      if (monitor !== undefined) announce(monitor, json);
      await worker({ ...options, signal: stop.signal, onEvent, monitor });
      return 0;
    });
  } finally {
    stop.off();
  }
}
