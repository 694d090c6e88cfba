// shotlist ui: serves the page of the report, which follows the runs, until it is stopped.

import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { UiFlags } from '../../terminal/flags.ts';
import { untilStopped } from '../../terminal/stop.ts';
import { caution, print, printJson } from '../../terminal/terminal.ts';
import { pipelineFor, sayState } from '../command.ts';
import { openBrowser } from './browser.ts';
import { type LivePage, openLivePage } from './live-page.ts';

export async function uiCommand(file: string, flags: UiFlags): Promise<number> {
  const { json = false, forRun = false, open = false, ...options } = flags;
  const pipeline = await pipelineFor(file, flags);
  const page = await openLivePage(pipeline, {
    ...options,
    onState: sayState(json || forRun ? () => undefined : print),
    onWarning: caution,
  });
  if (forRun) return await untilRunEnds(page);
  // Before anybody reads how to stop it.
  const stopped = untilStopped();
  if (json) printJson({ type: 'page', address: page.address });
  else print(`The page is at ${page.address}\nCtrl-C stops it.`);
  if (open) await openBrowser(page.addressForOnce());
  await stopped;
  await page.close();
  return 0;
}

const browserStartMs = 8_000;

/** The run says only that a browser opens the page. It disconnects when it is over, however it ends. */
async function untilRunEnds(page: LivePage): Promise<number> {
  let isExpected = false;
  process.on('message', () => {
    isExpected = true;
  });
  process.send?.({ address: page.address, once: page.addressForOnce() });
  if (process.connected) await once(process, 'disconnect');
  // A short run may be over before the browser has loaded anything.
  if (isExpected)
    await Promise.race([page.visited, wait(browserStartMs, undefined, { ref: false })]);
  await page.close('run');
  return 0;
}
