// A state as a sign and a word.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { TaskState } from '../page/report-data.ts';
import { stateWords, whole } from './words.ts';

export function StateMark({ state, n }: { readonly state: TaskState; readonly n?: number }): VNode {
  const { word, glyph } = stateWords[state];
  return html`<span class="state state-${state}">
    <span class="glyph" aria-hidden="true">${glyph}</span>${n === undefined ? '' : `${whole(n)} `}${word}
  </span>`;
}

/** The parts of a whole as a bar; the words beside it say the same. */
export function StateBar({
  counts,
  thin = false,
}: {
  readonly counts: Readonly<Partial<Record<TaskState, number>>>;
  readonly thin?: boolean;
}): VNode {
  const states = ['done', 'failed', 'doubt', 'running', 'waiting', 'blocked', 'skipped'] as const;
  return html`<div class="bar ${thin ? 'thin' : ''}" aria-hidden="true">
    ${states.map((state) => {
      const n = counts[state] ?? 0;
      return n === 0 ? null : html`<i class="state-${state}" style=${{ flexGrow: String(n) }}></i>`;
    })}
  </div>`;
}
