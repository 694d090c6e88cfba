// shotlist ui: serves the page of the report, which follows the runs, until it is stopped.

import type { UiFlags } from '../../terminal/flags.ts';
import { untilStopped } from '../../terminal/stop.ts';
import { caution, print, printJson } from '../../terminal/terminal.ts';
import { pipelineFor, sayState } from '../command.ts';
import { openBrowser } from './browser.ts';
import { openLivePage } from './live-page.ts';

export async function uiCommand(file: string, flags: UiFlags): Promise<number> {
  const { json = false, open = false, ...options } = flags;
  const pipeline = await pipelineFor(file, flags);
  const page = await openLivePage(pipeline, {
    ...options,
    onState: sayState(json ? () => undefined : print),
    onWarning: caution,
  });
  // Before anybody reads how to stop it.
  const stopped = untilStopped();
  if (json) printJson({ type: 'page', address: page.address });
  else print(`The page is at ${page.address}\nCtrl-C stops it.`);
  if (open) await openBrowser(page.addressForOnce());
  await stopped;
  await page.close();
  return 0;
}
