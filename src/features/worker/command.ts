// shotlist worker: moves the files of runs that another machine coordinates, until it is stopped.
import { printable } from '../../base/printable.ts';
import type { WorkerFlags } from '../../terminal/flags.ts';
import { stopWhenAsked } from '../../terminal/stop.ts';
import { complainProse, print, printJson } from '../../terminal/terminal.ts';
import { pipelineFor } from '../command.ts';
import { refuse } from '../refuse.ts';
import { type WorkerEvent, worker } from './worker.ts';

export async function workerCommand(file: string, flags: WorkerFlags): Promise<number> {
  const { engine, json, ...others } = flags;
  if (engine === undefined)
    return refuse(
      'a worker needs the address of a database',
      'add --engine <address>, such as --engine postgres://shotlist@db.example/shotlist',
    );
  const pipeline = await pipelineFor(file, flags);
  const stop = stopWhenAsked(
    'stopping: completing what has begun; press Ctrl-C again to stop at once; both are safe',
  );
  try {
    const onEvent = json === true ? printJson : tell;
    await worker(pipeline, { ...others, engine, signal: stop.signal, onEvent });
    return 0;
  } finally {
    stop.off();
  }
}

function tell(event: WorkerEvent): void {
  switch (event.type) {
    case 'waiting':
      return print(
        `Waiting for a run of ${printable(event.pipeline)} in the database ${event.database}. Ctrl-C stops it.`,
      );
    case 'serving':
      return print(`Working for run ${event.run} at ${printable(event.service)}.`);
    case 'folder':
      return event.isShared
        ? print('The output folder is the one of the run.')
        : complainProse(
            'note: the output folder is not the one of the run, or not yet: until it is, results only go to the store, if the pipeline names one',
          );
    case 'note':
      return complainProse(
        event.note === null ? 'it works again' : `warning: ${printable(event.note)}`,
      );
    case 'served':
      return print(`Run ${event.run} is over.`);
  }
}
