// A thread that does what its request asks for in the name of a tool: for tests of the pool.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import type { Command, RenderJob, Report } from '../../../src/previews/threads/messages.ts';

const tell = (report: Report): void => parentPort?.postMessage(report);
let jobs = 0;
let reference = '';

parentPort?.on('message', (job: Command) => {
  if (job.kind === 'memory') {
    if (reference === 'hold memory and crash') process.kill(process.pid, 'SIGSEGV');
    return tell(rendered());
  }
  jobs += 1;
  reference = (job.kind === 'faces' ? job.question.input : namedIn(job)).reference;
  switch (reference) {
    case 'spin':
      for (;;);
    case 'hoard': {
      const outOfMemory: number[][] = [];
      for (;;) outOfMemory.push(Array.from({ length: 10_000 }, Math.random));
    }
    case 'crash once':
      if (existsSync(join(folderOf(job), 'crashed'))) return tell(rendered());
      writeFileSync(join(folderOf(job), 'crashed'), '');
      return process.kill(process.pid, 'SIGSEGV');
    case 'crash':
      return process.kill(process.pid, 'SIGSEGV');
    case 'leave':
      process.exit(3);
      break;
    case 'throw':
      return tell({ kind: 'broke', stack: 'Error: bug: thrown on purpose' });
    case 'raise':
      throw new Error('bug: raised on purpose');
    case 'hold memory':
    case 'hold memory and crash':
      return tell({ kind: 'reserve', bytes: 100 });
    case 'never':
      return;
    case 'two faces':
      for (const name of ['0-0.png', '0-1.png'])
        tell({ kind: 'face', face: { name, crop: Buffer.from(name), region } });
      return tell({ kind: 'done', outcome: { ok: true, value: [] } });
    default:
      return tell(rendered());
  }
});

tell({ kind: 'ready' });

const rendered = (): Report => ({
  kind: 'done',
  outcome: { ok: true, value: [{ name: `${jobs}.png` }] },
});

const folderOf = (job: RenderJob): string => (job.kind === 'render' ? job.request.folder : '');

const region = { x: 0, y: 0, width: 1, height: 1 };

function namedIn(job: Extract<RenderJob, { readonly kind: 'render' }>) {
  const [input] = job.request.inputs;
  return input ?? { reference: 'nothing' };
}
