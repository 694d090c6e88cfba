// A rendering process. The decoders are native code that reads untrusted files: a crash ends this process, not the
// service. All work runs on a second thread, so that the main thread notices at once when the service is gone.
import { Worker } from 'node:worker_threads';
import type { Command, ProcessReport, Report } from './messages.ts';

const [script = '', heapMegabytes = ''] = process.argv.slice(2);

// The service may have been killed: its next start renders the same project, into the same files.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A terminal sends these signals to all its processes, but the service decides when its renderers end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

function tell(report: ProcessReport): void {
  if (process.connected) process.send?.(report);
}

const thread = new Worker(new URL(script), {
  resourceLimits: { maxOldGenerationSizeMb: Number(heapMegabytes) },
});
process.on('message', (command: Command) => thread.postMessage(command));
thread.on('message', (report: Report) => tell(report));
thread.on('error', (reason) => {
  const exhausted = reason instanceof Error && 'code' in reason && reason.code === outOfMemory;
  const stack = (reason instanceof Error && reason.stack) || `${reason}`;
  tell(exhausted ? { kind: 'out-of-memory' } : { kind: 'broke', stack });
});
thread.on('exit', (code) =>
  tell({ kind: 'broke', stack: `a rendering thread ended by itself with code ${code}` }),
);

const outOfMemory = 'ERR_WORKER_OUT_OF_MEMORY';
