// Opens a live page: the page of a report on loopback, which follows the state file while runs write to it.

import pLimit from 'p-limit';
import { realClock } from '../../core/clock.ts';
import type { OutsideOptions } from '../../files/boundary.ts';
import { boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { pageAssets } from '../../report/assets.ts';
import { openLiveServer } from '../../report/live-server.ts';
import { thumbnail, thumbnailSize } from '../../report/thumbnails.ts';
import { stateFinder } from '../../state/locate-state.ts';
import type { ReadOptions } from '../open-state.ts';
import { refuse } from '../refuse.ts';
import { LiveReport } from '../report/live-report.ts';

export interface LivePageOptions extends ReadOptions, OutsideOptions {
  /** `--port`. Default: a free one. */
  readonly port?: number | undefined;
}

export interface LivePage {
  /** Where the page is. Whoever has this address can see the page, if they are on this machine. */
  readonly address: string;
  /** A new address that leads to the page once, for a program that opens browsers. */
  addressForOnce(): string;
  /** Shows the last state to the pages that are open, tells them that nothing follows, and closes the server. */
  close(): Promise<void>;
}

/**
 * Serves the page of a report on 127.0.0.1 until it is closed. The page follows the runs of any process on this machine, and sends
 * nothing anywhere.
 *
 * @example
 * ```ts
 * import { loadPipeline, openLivePage, run } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const page = await openLivePage(pipeline, { rehearse: true });
 * console.log(page.address);
 * await run(pipeline, { rehearse: true, rehearsalPictures: 'plain' });
 * await page.close();
 * ```
 */
export async function openLivePage(
  loaded: LoadedPipeline,
  options: LivePageOptions = {},
): Promise<LivePage> {
  const bound = boundPipeline(loaded);
  const { port = 0, clock = realClock, onWarning = () => undefined } = options;
  const report = new LiveReport(bound, (one) => stateFinder(one, options), options, clock);
  await report.gather(onWarning);
  // A few at once, so that a run beside it has the rest of the machine. The browser keeps them.
  const limit = pLimit(2);
  const title = bound.pipeline.name;
  const opened = await openLiveServer(
    { port, title, page: await pageAssets() },
    {
      greeting: () => report.greeting(),
      thumbnail: (number) =>
        limit(async () => {
          const { all } = report.pictures;
          const file = report.fileOf(all[number]);
          return file === undefined ? undefined : await thumbnail(file, thumbnailSize(all.length));
        }),
      file: (number) => {
        const path = report.files.pathOf(number);
        return path === undefined ? undefined : report.fileOf({ in: 'output', path });
      },
    },
  );
  if (!opened.ok) {
    const hint = 'choose another port; 0 selects a free one';
    refuse(`--port: ${opened.error}`, hint);
  }
  const server = opened.value;
  const ending = new AbortController();
  const isWatched = (): boolean => server.pages() > 0;
  const following = report.follow(ending.signal, isWatched, (message) => server.send(message));
  return {
    address: server.address,
    addressForOnce: () => server.addressForOnce(),
    async close() {
      ending.abort();
      await following;
      if (isWatched()) await report.update((message) => server.send(message));
      await server.close();
    },
  };
}
