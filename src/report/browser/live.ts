// The connection of a live page to its server.
import { type PagePulse, withPulse } from '../page/page-message.ts';
import type { ReportData, ReportItem } from '../page/report-data.ts';

/** `lost`: the page tries to connect again. `ended`: nothing follows. */
export type Connection = 'connected' | 'lost' | 'ended';

/** What a live page shows beside the report. */
export interface Live {
  readonly connection: Connection;
  /** Why the page shows an earlier state. */
  readonly trouble: string | null;
  /** What the run says about itself; null while nobody runs. */
  readonly pulse: PagePulse | null;
}

/** Calls `show` with every new state. Undefined data: nothing has arrived yet. */
export function follow(show: (data: ReportData | undefined, live: Live) => void): void {
  let data: ReportData | undefined;
  let live: Live = { connection: 'connected', trouble: null, pulse: null };
  let shown: { of: ReportData; atWork: string; data: ReportData } | undefined;
  /** The same object while nothing in it changes. */
  const pulsed = (of: ReportData): ReportData => {
    const atWork = JSON.stringify(live.pulse?.atWork ?? []);
    if (shown?.of !== of || shown.atWork !== atWork)
      shown = { of, atWork, data: withPulse(of, live.pulse) };
    return shown.data;
  };
  const source = new EventSource('events');
  const update = (more: Partial<Live>): void => {
    live = { ...live, ...more };
    show(data === undefined ? undefined : pulsed(data), live);
  };
  source.addEventListener('report', (event: MessageEvent<string>) => {
    const whole: ReportData = JSON.parse(event.data);
    data = whole;
    update({ connection: 'connected', trouble: null });
  });
  source.addEventListener('trouble', (event: MessageEvent<string>) => {
    const trouble: string | null = JSON.parse(event.data);
    update({ trouble });
  });
  source.addEventListener('pulse', (event: MessageEvent<string>) => {
    const pulse: PagePulse | null = JSON.parse(event.data);
    update({ pulse });
  });
  source.addEventListener('ended', () => {
    source.close();
    if (data !== undefined) data = withoutFiles(data);
    update({ connection: 'ended', trouble: null, pulse: null });
  });
  source.addEventListener('error', () => update({ connection: 'lost' }));
}

/** The server has ended: the small pictures are here, the files themselves are not. */
function withoutFiles(data: ReportData): ReportData {
  const without = (item: ReportItem): ReportItem => ({
    ...item,
    outputs: item.outputs.map(({ href: _, ...file }) => file),
  });
  return { ...data, shared: without(data.shared), items: data.items.map(without) };
}
