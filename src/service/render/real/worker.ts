// A rendering thread: takes an errand, does it, reports, waits for the next.
import { parentPort } from 'node:worker_threads';
import sharp from 'sharp';
import { toolNamed } from '../../../kinds/tools.ts';
import { renderReally, searchReally } from './door.ts';
import type { Errand, Report } from './messages.ts';

const port = parentPort;
if (port === null) throw new Error('bug: this is the script of a thread');
// The threads are the parallelism; more inside each would take the machine from whoever asks the service.
sharp.concurrency(1);
sharp.cache(false);

const tell = (report: Report): void => port.postMessage(report);

port.on('message', async (errand: Errand) => {
  try {
    tell(await reportOf(errand));
  } catch (reason) {
    tell({ kind: 'broke', stack: (reason instanceof Error && reason.stack) || `${reason}` });
  }
});

async function reportOf(errand: Errand): Promise<Report> {
  if (errand.kind === 'faces') {
    const answer = await searchReally(errand.question, async (face) =>
      tell({ kind: 'face', face }),
    );
    return { kind: 'searched', answer };
  }
  const tool = toolNamed(errand.request.tool);
  if (tool === undefined)
    throw new Error(`bug: a request for the unknown tool ${errand.request.tool}`);
  return { kind: 'rendered', outcome: await renderReally({ ...errand.request, tool }) };
}
