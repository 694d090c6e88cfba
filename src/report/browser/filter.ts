// Which items and tasks a view shows, and the fields in which a person says so.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { ReportData, ReportItem, TaskState } from '../page/report-data.ts';

export interface Filter {
  readonly state: TaskState | 'all';
  /** The number of a step that did something for the item; -1: any. */
  readonly step: number;
  readonly text: string;
}

export const noFilter: Filter = { state: 'all', step: -1, text: '' };

/** The numbers of the items. A pipeline without items has one, the shared tasks: -1. */
export function filtered(data: ReportData, { state, step, text }: Filter): readonly number[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const fits = (item: ReportItem): boolean =>
    (state === 'all' || item.state === state) &&
    (step < 0 || item.tasks.some((task) => task.step === step && happened.has(task.state))) &&
    (words.length === 0 || matches(item, words));
  if (data.items.length === 0) return fits(data.shared) ? [-1] : [];
  return data.items.flatMap((item, index) => (fits(item) ? [index] : []));
}

const happened: ReadonlySet<string> = new Set(['done', 'failed', 'doubt', 'running']);

/** In the item's name, its files' names, hashes and projects, and the reasons of its tasks. */
function matches(item: ReportItem, words: readonly string[]): boolean {
  const texts = [
    item.key,
    ...[...item.inputs, ...item.outputs].flatMap(({ name, sha256 = '' }) => [name, sha256]),
    ...item.tasks.flatMap(({ why = '', project = '', fingerprint = '' }) => [
      why,
      project,
      fingerprint,
    ]),
  ];
  const all = texts.join('\n').toLowerCase();
  return words.every((word) => all.includes(word));
}

interface FilterProps {
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
}

export function SearchField({
  filter,
  onFilter,
  placeholder,
}: FilterProps & { readonly placeholder: string }): VNode {
  return html`<input class="field" type="search" aria-label="Search" placeholder=${placeholder} value=${filter.text}
    onInput=${(event: Event) => onFilter({ ...filter, text: fieldValue(event) })} />`;
}

export function StepField({
  data,
  filter,
  onFilter,
}: FilterProps & { readonly data: ReportData }): VNode {
  return html`<select class="field" aria-label="Step" onChange=${(event: Event) => onFilter({ ...filter, step: Number(fieldValue(event)) })}>
    <option value="-1" selected=${filter.step < 0}>Every step</option>
    ${data.steps.map(({ name }, index) => html`<option value=${index} selected=${filter.step === index}>${name}</option>`)}
  </select>`;
}

/** What a person wrote or chose in the field of an event. */
export const fieldValue = ({ currentTarget }: Event): string =>
  currentTarget instanceof HTMLInputElement || currentTarget instanceof HTMLSelectElement
    ? currentTarget.value
    : '';
