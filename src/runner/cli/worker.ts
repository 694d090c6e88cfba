// shotlist worker: performs the tasks of distributed runs until it is stopped.
import { type WorkerEvent, worker } from '../operations/worker.ts';
import { workerText } from '../report/worker-text.ts';
import { stopWhenAsked } from './stop.ts';
import { complain, fail, print, printJson } from './terminal.ts';

export interface WorkerFlags {
  readonly engine: string;
  readonly root?: string;
  readonly service?: string;
  readonly jobs?: number;
  readonly once?: boolean;
  readonly allowOutside?: boolean;
  readonly json?: boolean;
}

export async function workerCommand({ json = false, ...options }: WorkerFlags): Promise<number> {
  const stop = stopWhenAsked();
  const onEvent = (event: WorkerEvent): void => {
    if (json) return printJson(event);
    const text = workerText(event);
    if (text === undefined) return;
    if (event.type === 'warning' || event.type === 'waiting') complain(text);
    else print(text);
  };
  try {
    const worked = await worker({ ...options, signal: stop.signal, onEvent });
    if (!worked.ok) return fail(worked.error, json);
    return 0;
  } finally {
    stop.off();
  }
}
