// A rendering thread: takes a job, does it, reports, waits for the next.
import { parentPort } from 'node:worker_threads';
import sharp from 'sharp';
import { err, ok } from '../base/result.ts';
import { existingTool } from '../contract/tools/all.ts';
import { type DecodeMemory, decodingWithin } from './base/decode-memory.ts';
import { renderTool, searchFaces } from './registry.ts';
import type { Command, Done, Grant, RenderJob, Report } from './threads/messages.ts';

const port = parentPort;
if (port === null) throw new Error('bug: this is the script of a thread');
// The processes are the parallelism; more inside each would take the machine from whoever asks the service.
sharp.concurrency(1);
sharp.cache(false);

const tell = (report: Report): void => port.postMessage(report);

const asked = new Map<number, (grant: Grant) => void>();
let tickets = 0;

/** One budget for all processes: the service keeps it. */
const memory: DecodeMemory = {
  reserve: (bytes) =>
    new Promise((resolve) => {
      tickets += 1;
      const ticket = tickets;
      asked.set(ticket, ({ most }) =>
        resolve(most === undefined ? ok(() => tell({ kind: 'release', ticket })) : err(most)),
      );
      tell({ kind: 'reserve', ticket, bytes });
    }),
};

port.on('message', async (command: Command) => {
  if (command.kind === 'memory') {
    asked.get(command.ticket)?.(command);
    asked.delete(command.ticket);
    return;
  }
  try {
    tell(await decodingWithin(memory, () => done(command)));
  } catch (reason) {
    tell({ kind: 'broke', stack: (reason instanceof Error && reason.stack) || `${reason}` });
  }
});

tell({ kind: 'ready' });

async function done(job: RenderJob): Promise<Done> {
  if (job.kind === 'faces') {
    const answer = await searchFaces(job.question, async (face) => tell({ kind: 'face', face }));
    return { kind: 'searched', answer };
  }
  const tool = existingTool(job.request.tool);
  return { kind: 'rendered', outcome: await renderTool({ ...job.request, tool }) };
}
