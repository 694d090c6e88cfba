// All tasks as a table: sorted by any column, filtered, and as CSV. Only the rows on the screen are in the document.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { ReportData } from '../page/report-data.ts';
import { type Filter, fieldValue, noFilter, SearchField, StepField } from './filter.ts';
import { StateMark } from './state-mark.ts';
import {
  csvOf,
  filteredRows,
  sortedRows,
  type TaskColumn,
  type TaskOrder,
  type TaskRow,
  taskRows,
} from './task-rows.ts';

import { useBox, useRows } from './virtual-grid.ts';
import { count, decimals, duration, longTime, stateWords, taskStates, whole } from './words.ts';

interface TasksProps {
  readonly data: ReportData;
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
  readonly order: TaskOrder | undefined;
  readonly onOrder: (order: TaskOrder) => void;
  readonly onOpen: (item: string) => void;
}

const heads: readonly (readonly [TaskColumn, string])[] = [
  ['item', 'Item'],
  ['step', 'Step'],
  ['state', 'State'],
  ['credits', 'Credits'],
  ['time', 'Time'],
  ['project', 'Project'],
];

/** In pixels, as in views.css. */
const rowHeight = 40;

export function Tasks({ data, filter, onFilter, order, onOrder, onOpen }: TasksProps): VNode {
  const all = useMemo(() => taskRows(data), [data]);
  const rows = useMemo(
    () => sortedRows(filteredRows(all, filter), order),
    [all, filter, order?.column, order?.down],
  );
  const body = useRef<HTMLTableSectionElement>(null);
  const { top, width } = useBox(body);
  const { rows: seen, height } = useRows(width === 0 ? 0 : rows.length, rowHeight, top);
  const states = useMemo(() => {
    const there = new Set(all.map(({ state }) => state));
    return taskStates.filter((state) => there.has(state));
  }, [all]);
  const before = seen[0]?.start ?? 0;
  const after = Math.max(0, height - before - seen.length * rowHeight);
  const credits = rows.reduce((sum, row) => sum + row.credits, 0);
  return html`<div>
    <div class="toolbar" role="search" aria-label="Tasks">
      <${SearchField} filter=${filter} onFilter=${onFilter} placeholder="Search items, projects, reasons" />
      <${StepField} data=${data} filter=${filter} onFilter=${onFilter} />
      <select class="field" aria-label="State" onChange=${(event: Event) => onFilter({ ...filter, state: stateIn(event) })}>
        <option value="all" selected=${filter.state === 'all'}>Every state</option>
        ${states.map((state) => html`<option value=${state} selected=${filter.state === state}>${stateWords[state].word}</option>`)}
      </select>
      <span class="small muted" role="status">${count(rows.length, 'task')}${rows.length === all.length ? '' : ` of ${whole(all.length)}`}, ${count(credits, 'credit')}</span>
      <span class="push"></span>
      <button type="button" class="icon-button" onClick=${() => save(`${data.pipeline}-tasks.csv`, csvOf(rows))}>Save as CSV</button>
    </div>
    <div class="card scroll tasks-table" tabindex="0" role="region" aria-label="Tasks">
      <table aria-rowcount=${rows.length + 1}>
        <thead><tr>${heads.map(([column, word]) => html`<${Head} column=${column} word=${word} order=${order} onOrder=${onOrder} />`)}</tr></thead>
        <tbody ref=${body}>
          ${before > 0 ? html`<tr class="gap" style=${{ height: `${before}px` }}><td colspan="6"></td></tr>` : null}
          ${seen.map(({ index }) => {
            const row = rows[index];
            return row === undefined
              ? null
              : html`<${Row} key=${index} index=${index} row=${row} onOpen=${onOpen} />`;
          })}
          ${after > 0 ? html`<tr class="gap" style=${{ height: `${after}px` }}><td colspan="6"></td></tr>` : null}
        </tbody>
      </table>
      ${
        rows.length > 0
          ? null
          : html`<div class="empty"><strong>No task fits.</strong>
          <button type="button" class="icon-button" onClick=${() => onFilter(noFilter)}>Show all tasks</button></div>`
      }
    </div>
  </div>`;
}

interface HeadProps {
  readonly column: TaskColumn;
  readonly word: string;
  readonly order: TaskOrder | undefined;
  readonly onOrder: (order: TaskOrder) => void;
}

function Head({ column, word, order, onOrder }: HeadProps): VNode {
  const isOrder = order?.column === column;
  const down = isOrder && order.down;
  const isNumber = column === 'credits' || column === 'time';
  // Of numbers, the largest are what one looks for.
  const next = { column, down: isOrder ? !down : isNumber };
  const sign = isOrder ? (down ? '↓' : '↑') : '';
  return html`<th class=${isNumber ? 'num' : ''} aria-sort=${isOrder ? (down ? 'descending' : 'ascending') : 'none'}>
    <button type="button" onClick=${() => onOrder(next)}>${word}<span class="sign" aria-hidden="true">${sign}</span></button>
  </th>`;
}

interface RowProps {
  readonly index: number;
  readonly row: TaskRow;
  readonly onOpen: (item: string) => void;
}

function Row({ index, row, onOpen }: RowProps): VNode {
  const { name, item, state, credits, began, took, project, why } = row;
  return html`<tr aria-rowindex=${index + 2}>
    <td class="cut">${item === '' ? html`<span class="muted">shared</span>` : html`<button type="button" class="link" title=${item} onClick=${() => onOpen(item)}>${item}</button>`}</td>
    <td class="cut">${name}</td>
    <td class="cut" title=${why}><${StateMark} state=${state} />${why === '' ? '' : html` <span class="muted">${why}</span>`}</td>
    <td class="num">${credits === 0 ? '' : decimals(credits)}</td>
    <td class="num" title=${began === undefined ? '' : `began ${longTime(began)}`}>${took === undefined ? '' : duration(took)}</td>
    <td class="cut mono" title=${project}>${project}</td>
  </tr>`;
}

const stateIn = (event: Event): Filter['state'] =>
  taskStates.find((state) => state === fieldValue(event)) ?? 'all';

/** The browser saves the text as a file: nothing is sent. */
function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads it after this turn.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
