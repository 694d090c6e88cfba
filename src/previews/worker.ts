// A rendering thread: takes a job, does it, reports, waits for the next.
import { parentPort } from 'node:worker_threads';
import sharp from 'sharp';
import { err, ok } from '../base/result.ts';
import { existingTool } from '../contract/tools/all.ts';
import { reserveFrom } from './base/decode-memory.ts';
import type { RenderOutcome } from './base/request.ts';
import { renderTool, searchFaces } from './registry.ts';
import type { Command, MemoryAnswer, RenderJob, Report } from './threads/messages.ts';

const port = parentPort;
if (port === null) throw new Error('bug: this is the script of a thread');
// The processes are the parallelism; more inside each would take the machine from whoever asks the service.
sharp.concurrency(1);
sharp.cache(false);

const tell = (report: Report): void => port.postMessage(report);

let isReserving = false;
let onMemoryAnswer: (answer: MemoryAnswer) => void = () => {};

reserveFrom({
  async reserve(bytes) {
    if (isReserving) throw new Error('bug: a job reserves memory while it holds some');
    isReserving = true;
    const { most } = await new Promise<MemoryAnswer>((resolve) => {
      onMemoryAnswer = resolve;
      tell({ kind: 'reserve', bytes });
    });
    if (most !== undefined) {
      isReserving = false;
      return err(most);
    }
    return ok(() => {
      isReserving = false;
      tell({ kind: 'release' });
    });
  },
});

port.on('message', async (command: Command) => {
  if (command.kind === 'memory') return onMemoryAnswer(command);
  try {
    tell({ kind: 'done', outcome: await outcomeOf(command) });
  } catch (reason) {
    tell({ kind: 'broke', stack: (reason instanceof Error && reason.stack) || `${reason}` });
  }
});

tell({ kind: 'ready' });

async function outcomeOf(job: RenderJob): Promise<RenderOutcome> {
  if (job.kind === 'render')
    return renderTool({ ...job.request, tool: existingTool(job.request.tool) });
  const answer = await searchFaces(job.question, async (face) => tell({ kind: 'face', face }));
  return answer.ok ? ok([]) : answer;
}
