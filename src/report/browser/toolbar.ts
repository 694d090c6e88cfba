// What the gallery shows, and how.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { ItemState, ReportData } from '../page/report-data.ts';
import type { Filter } from './filter.ts';
import type { Counts } from './masthead.ts';
import { StateMark } from './state-mark.ts';
import type { Showing } from './tile.ts';
import { count, itemStates, whole } from './words.ts';

export interface ToolbarProps {
  readonly data: ReportData;
  readonly counts: Counts;
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
  readonly showing: Showing;
  readonly show: (showing: Showing) => void;
  readonly wish: number;
  readonly resize: (wish: number) => void;
  readonly pairs: boolean;
  readonly shown: number;
}

const sizes = [
  { wish: 150, word: 'S' },
  { wish: 260, word: 'M' },
  { wish: 420, word: 'L' },
] as const;

export function Toolbar(props: ToolbarProps): VNode {
  const { data, counts, filter, onFilter, showing, show, wish, resize, pairs, shown } = props;
  const total = data.items.length;
  const states = itemStates.filter((state) => (counts[state] ?? 0) > 0);
  const chip = (state: ItemState | 'all', content: unknown): VNode => html`<label class="chip">
    <input type="radio" name="state" checked=${filter.state === state} onChange=${() => onFilter({ ...filter, state })} />${content}
  </label>`;
  return html`<div class="toolbar" role="search" aria-label="Items">
    <fieldset class="chips">
      <legend class="visually-hidden">State</legend>
      ${chip('all', html`<span>All <span class="muted">${whole(Math.max(1, total))}</span></span>`)}
      ${states.length < 2 ? null : states.map((state) => chip(state, html`<${StateMark} state=${state} n=${counts[state]} />`))}
    </fieldset>
    <${SearchField} filter=${filter} onFilter=${onFilter} placeholder="Search names, hashes, reasons" />
    <${StepField} data=${data} filter=${filter} onFilter=${onFilter} />
    <span class="small muted" role="status">${shown === total || total === 0 ? '' : `${count(shown, 'item')} of ${whole(total)}`}</span>
    <span class="push"></span>
    ${
      pairs
        ? html`<${Segments} name="showing" legend="Picture" value=${showing} onPick=${show}
          options=${[['after', 'After'], ['compare', 'Compare'], ['before', 'Before']]} />`
        : null
    }
    <${Segments} name="sizes" legend="Size" value=${wish} onPick=${resize} options=${sizes.map((one) => [one.wish, one.word])} />
  </div>`;
}

type FilterProps = Pick<ToolbarProps, 'filter' | 'onFilter'>;

export function SearchField({
  filter,
  onFilter,
  placeholder,
}: FilterProps & { readonly placeholder: string }): VNode {
  return html`<input class="field" type="search" aria-label="Search" placeholder=${placeholder} value=${filter.text}
    onInput=${(event: Event) => onFilter({ ...filter, text: textOf(event) })} />`;
}

export function StepField({
  data,
  filter,
  onFilter,
}: FilterProps & Pick<ToolbarProps, 'data'>): VNode {
  return html`<select class="field" aria-label="Step" onChange=${(event: Event) => onFilter({ ...filter, step: Number(textOf(event)) })}>
    <option value="-1" selected=${filter.step < 0}>Every step</option>
    ${data.steps.map(({ name }, index) => html`<option value=${index} selected=${filter.step === index}>${name}</option>`)}
  </select>`;
}

interface SegmentsProps<T> {
  readonly name: string;
  readonly legend: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onPick: (value: T) => void;
}

function Segments<T>({ name, legend, value, options, onPick }: SegmentsProps<T>): VNode {
  return html`<fieldset class="segments ${name}">
    <legend class="visually-hidden">${legend}</legend>
    ${options.map(
      ([option, word]) => html`<label class="chip">
        <input type="radio" name=${name} checked=${value === option} onChange=${() => onPick(option)} />${word}
      </label>`,
    )}
  </fieldset>`;
}

const textOf = ({ currentTarget }: Event): string =>
  currentTarget instanceof HTMLInputElement || currentTarget instanceof HTMLSelectElement
    ? currentTarget.value
    : '';
