// The page: a summary, and one view at a time.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ReportData } from '../report-data.ts';
import { Credits } from './credits.ts';
import { type Filter, noFilter } from './filter.ts';
import { Gallery, titleOf } from './gallery.ts';
import type { Live } from './live.ts';
import { liveNote } from './live-status.ts';
import { countStates, Facts, Masthead } from './masthead.ts';
import { Problems } from './problems.ts';
import { Steps } from './steps-view.ts';
import { type Tab, Tabs } from './tabs.ts';
import { Timeline } from './timeline.ts';
import { longTime, shortTime } from './words.ts';

export interface AppProps {
  readonly data: ReportData;
  /** Undefined in a file. */
  readonly live: Live | undefined;
}

export function App({ data, live }: AppProps): VNode {
  const counts = useMemo(() => countStates(data), [data]);
  const [tab, open] = useState<Tab>('gallery');
  const [filter, onFilter] = useState<Filter>(noFilter);
  const onShow = (item: number): void => {
    onFilter({ ...noFilter, text: item < 0 ? '' : titleOf(data, item) });
    open('gallery');
  };
  const view = (): VNode => {
    switch (tab) {
      case 'gallery':
        return html`<${Gallery} ...${{ data, counts, filter, onFilter }} />`;
      case 'steps':
        return html`<${Steps} data=${data} />`;
      case 'timeline':
        return html`<${Timeline} data=${data} />`;
      case 'credits':
        return html`<${Credits} data=${data} />`;
      case 'problems':
        return html`<${Problems} data=${data} onShow=${onShow} />`;
    }
  };
  return html`<div class="page">
    <${Masthead} data=${data} live=${live} />
    <main>
      <${Facts} data=${data} counts=${counts} />
      <${Tabs} data=${data} tab=${tab} onOpen=${open} />
      <div class="view" role="tabpanel" id="view" aria-labelledby="tab-${tab}">${view()}</div>
    </main>
    <footer>
      <span>${live === undefined ? `Made ${shortTime(data.at)}` : `Updated ${longTime(data.at)}`} by shotlist${data.inputs ? '' : ', without the inputs'}.</span>
      <span>${live === undefined ? 'This file holds everything that it shows and asks nobody for more.' : liveNote(live)}</span>
    </footer>
  </div>`;
}
