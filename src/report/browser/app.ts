// The page: a summary, and one view at a time.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ReportData } from '../page/report-data.ts';
import { Credits } from './credits.ts';
import { type Filter, filtered, noFilter } from './filter.ts';
import { Gallery } from './gallery.ts';
import { titleOf } from './item.ts';
import { Lightbox } from './lightbox.ts';
import type { Live } from './live.ts';
import { type Counts, countStates, Facts, liveNote, Masthead } from './masthead.ts';
import { hashOf, type Place, placeIn, type Tab, tabs } from './place.ts';
import { Problems } from './problems.ts';
import { Steps } from './steps.ts';
import { Tasks } from './tasks.ts';
import { Timeline } from './timeline.ts';
import { longTime, shortTime, whole } from './words.ts';

interface AppProps {
  readonly data: ReportData;
  /** Undefined in a file. */
  readonly live: Live | undefined;
}

export function App({ data, live }: AppProps): VNode {
  const counts = useMemo(() => countStates(data), [data]);
  return html`<div class="page">
    <${Masthead} data=${data} live=${live} />
    <main>
      <${Facts} data=${data} counts=${counts} live=${live} />
      <${Views} data=${data} counts=${counts} />
    </main>
    <footer>
      <span>${live === undefined ? `Made ${shortTime(data.at)}` : `Updated ${longTime(data.at)}`} by shotlist${data.inputs ? '' : ', without the inputs'}.</span>
      <span>${live === undefined ? 'This file holds everything that it shows and asks nobody for more.' : liveNote(live)}</span>
    </footer>
  </div>`;
}

interface ViewsProps {
  readonly data: ReportData;
  readonly counts: Counts;
}

function Views({ data, counts }: ViewsProps): VNode {
  const { place, go } = usePlace(data);
  const { tab, filter, order, run } = place;
  const numbers = useMemo(() => filtered(data, filter), [data, filter]);
  const onFilter = (next: Filter): void => go({ filter: next }, 'replace');
  const open = (to: Tab): void => go({ tab: to });
  const openItem = (key: string): void => go({ item: key });
  const onShow = (item: number): void =>
    go({ tab: 'gallery', filter: { ...noFilter, text: item < 0 ? '' : titleOf(data, item) } });
  const view = (): VNode => {
    switch (tab) {
      case 'gallery':
        return html`<${Gallery} ...${{ data, counts, filter, numbers, onFilter }} onOpen=${openItem} />`;
      case 'tasks':
        return html`<${Tasks} ...${{ data, filter, onFilter, order }} onOrder=${(next: Place['order']) => go({ order: next }, 'replace')} onOpen=${openItem} />`;
      case 'steps':
        return html`<${Steps} data=${data} />`;
      case 'timeline':
        return html`<${Timeline} data=${data} run=${run} onRun=${(next: string) => go({ run: next }, 'replace')} />`;
      case 'credits':
        return html`<${Credits} data=${data} />`;
      case 'problems':
        return html`<${Problems} data=${data} onShow=${onShow} />`;
    }
  };
  return html`
    <${Tabs} data=${data} tab=${tab} onOpen=${open} />
    <div class="view" role="tabpanel" id="view" aria-labelledby="tab-${tab}">${view()}</div>
    <${OpenItem} data=${data} place=${place} numbers=${tab === 'gallery' ? numbers : undefined} go=${go} />`;
}

interface OpenItemProps {
  readonly data: ReportData;
  readonly place: Place;
  /** The items that the gallery shows; undefined: all. */
  readonly numbers: readonly number[] | undefined;
  readonly go: Go;
}

function OpenItem({ data, place, numbers, go }: OpenItemProps): VNode | null {
  const { item } = place;
  const byKey = useMemo(
    () => new Map(data.items.map(({ key }, index) => [key, index])),
    [data.items],
  );
  if (item === undefined) return null;
  const number = item === '' ? -1 : byKey.get(item);
  if (number === undefined) return null;
  const among = numbers ?? data.items.map((_, index) => index);
  const at = among.indexOf(number);
  const onStep = (by: number): void => {
    const to = among[at + by];
    if (to !== undefined) go({ item: keyOf(data, to) }, 'replace');
  };
  return html`<${Lightbox} data=${data} number=${number} title=${titleOf(data, number)} place=${at + 1} of=${among.length}
    onStep=${onStep} onClose=${() => go({ item: undefined })} />`;
}

const keyOf = (data: ReportData, number: number): string => data.items[number]?.key ?? '';

type Go = (more: Partial<Place>, how?: 'push' | 'replace') => void;

/** Where the address says that a person is. `replace`: without a step to go back to. */
function usePlace(data: ReportData): { readonly place: Place; readonly go: Go } {
  const [hash, read] = useState(location.hash);
  useEffect(() => {
    const look = (): void => read(location.hash);
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  const names = data.steps.map(({ name }) => name).join(' ');
  const place = useMemo(() => placeIn(hash, data), [hash, names]);
  // An event may come after the next place is drawn: it changes the place of now.
  const now = useRef(place);
  now.current = place;
  const go: Go = (more, how = 'push') => {
    const next = hashOf({ ...now.current, ...more }, data);
    if (next === hashOf(now.current, data)) return;
    if (how === 'push') location.hash = next;
    else location.replace(next);
    read(next);
  };
  return { place, go };
}

// The tabs, with the keys of the WAI-ARIA pattern: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/

const tabWords: Readonly<Record<Tab, string>> = {
  gallery: 'Gallery',
  tasks: 'Tasks',
  steps: 'Steps',
  timeline: 'Timeline',
  credits: 'Credits',
  problems: 'Problems',
};

interface TabsProps {
  readonly data: ReportData;
  readonly tab: Tab;
  readonly onOpen: (tab: Tab) => void;
}

function Tabs({ data, tab, onOpen }: TabsProps): VNode {
  const problems = data.failures.reduce((sum, { items }) => sum + items.length, data.doubts.length);
  useEffect(() => {
    // On a phone, the tabs scroll.
    document.getElementById(`tab-${tab}`)?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [tab]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = {
      ArrowRight: 1,
      ArrowLeft: -1,
      Home: -tabs.indexOf(tab),
      End: -1 - tabs.indexOf(tab),
    }[event.key];
    const to = next === undefined ? undefined : tabs.at((tabs.indexOf(tab) + next) % tabs.length);
    if (to === undefined) return;
    event.preventDefault();
    onOpen(to);
    document.getElementById(`tab-${to}`)?.focus();
  };
  return html`<nav class="tabs" aria-label="Views"><div role="tablist" onKeyDown=${onKeyDown}>
    ${tabs.map(
      (
        one,
      ) => html`<button type="button" role="tab" id="tab-${one}" aria-selected=${one === tab} aria-controls="view"
        tabindex=${one === tab ? 0 : -1} onClick=${() => onOpen(one)}>
        ${tabWords[one]}${one === 'problems' && problems > 0 ? html`<span class="n alert">${whole(problems)}</span>` : null}
      </button>`,
    )}
  </div></nav>`;
}
