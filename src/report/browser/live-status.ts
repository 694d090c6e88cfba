// Whether a live page still follows its runs, in words.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { ReportData } from '../page/report-data.ts';
import type { Connection, Live } from './live.ts';
import { whole } from './words.ts';

export function LiveStatus({
  data,
  live,
}: {
  readonly data: ReportData;
  readonly live: Live;
}): VNode {
  const { connection, trouble } = live;
  return html`<span class="live live-${trouble === null ? connection : 'lost'}" role="status">
    <span class="dot" aria-hidden="true"></span>${trouble === null ? words(connection, data.running) : `Shows an earlier state: ${trouble}`}
  </span>`;
}

function words(connection: Connection, running: boolean): string {
  switch (connection) {
    case 'connected':
      return running ? 'Live: a run is active' : 'Live: no run is active';
    case 'lost':
      return 'Connection lost: trying again';
    case 'run':
      return 'The run has ended';
    case 'stopped':
      return 'No longer live';
  }
}

/** What the foot of a live page says. */
export function liveNote({ connection }: Live): string {
  switch (connection) {
    case 'connected':
      return 'This page is live. It is available only on this machine.';
    case 'lost':
      return 'shotlist does not answer. This page shows what it knew last.';
    case 'run':
    case 'stopped':
      return 'This page stays as it is until you close it. For more, use shotlist ui or shotlist report.';
  }
}

/** For the tab of the browser, which a person sees from elsewhere. */
export function liveTitle(data: ReportData): string {
  const items = data.items.length === 0 ? [data.shared] : data.items;
  const over = items.filter(({ state }) => state !== 'waiting' && state !== 'running').length;
  return `${whole(over)} of ${whole(items.length)} · ${data.pipeline}`;
}
