// The tabs, with the keys of the WAI-ARIA pattern: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ReportData } from '../page/report-data.ts';
import { type Tab, tabs } from './tab-names.ts';
import { whole } from './words.ts';

const words: Readonly<Record<Tab, string>> = {
  ...{
    gallery: 'Gallery',
    tasks: 'Tasks',
    steps: 'Steps',
    timeline: 'Timeline',
    credits: 'Credits',
    problems: 'Problems',
  },
};

export interface TabsProps {
  readonly data: ReportData;
  readonly tab: Tab;
  readonly onOpen: (tab: Tab) => void;
}

export function Tabs({ data, tab, onOpen }: TabsProps): VNode {
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
        ${words[one]}${one === 'problems' && problems > 0 ? html`<span class="n alert">${whole(problems)}</span>` : null}
      </button>`,
    )}
  </div></nav>`;
}
