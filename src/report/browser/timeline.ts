// When each task ran: a lane for each step, a bar for each task.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import type { ReportData } from '../page/report-data.ts';
import { type Bar, barsOf, type Lane, lanesOf, spanOf, stepTimes } from './bars.ts';
import { axis, Chart, timeAxis } from './chart.ts';
import { fieldValue } from './filter.ts';
import { count, duration, longTime, whole } from './words.ts';

interface TimelineProps {
  readonly data: ReportData;
  /** A run, by when it began, or `all`; otherwise the last. */
  readonly run: string | undefined;
  readonly onRun: (run: string) => void;
}

export function Timeline({ data, run, onRun }: TimelineProps): VNode {
  const bars = useMemo(() => barsOf(data), [data]);
  const named = data.runs.find(({ at }) => at === run);
  const chosen = run === 'all' ? undefined : (named ?? data.runs.at(-1));
  const shown = useMemo(() => spanOf(bars, chosen), [bars, chosen]);
  const lanes = useMemo(() => lanesOf(shown), [shown]);
  const view = useMemo(() => drawing(data, shown, lanes), [data, shown, lanes]);
  if (bars.length === 0)
    return html`<div class="empty"><strong>Nothing has run yet.</strong></div>`;
  const first = Math.min(...shown.map(({ began }) => began));
  const last = Math.max(...shown.map(({ ended }) => ended));
  return html`<section class="section">
    <h2>When each task ran</h2>
    <p class="lede">${shown.length === 0 ? 'No task of this run is in the report any more.' : `${count(shown.length, 'task')} in ${duration(last - first)}. Drag over the chart to look closer; double-click to see everything.`}</p>
    ${
      data.runs.length < 2
        ? null
        : html`<div class="toolbar"><select class="field" aria-label="Run" onChange=${(event: Event) => onRun(fieldValue(event))}>
          <option value="all" selected=${chosen === undefined}>All runs</option>
          ${data.runs.map((one) => html`<option value=${one.at} selected=${one === chosen}>Run of ${longTime(one.at)}</option>`)}
        </select></div>`
    }
    ${shown.length === 0 ? null : html`<div class="card"><${Chart} label="Timeline of ${count(shown.length, 'task')} by step" height=${view.height} data=${view.data} options=${view.options} /></div>`}
    <${Times} data=${data} bars=${shown} />
  </section>`;
}

function Times({
  data,
  bars,
}: {
  readonly data: ReportData;
  readonly bars: readonly Bar[];
}): VNode | null {
  const times = useMemo(() => stepTimes(bars), [bars]);
  if (times.length === 0) return null;
  return html`<div class="card scroll"><h2>How long the tasks of each step took</h2><table>
    <thead><tr><th>Step</th><th class="num">Tasks</th><th class="num">Median</th><th class="num">95 %</th><th class="num">Longest</th></tr></thead>
    <tbody>${times.map(
      ({ step, tasks, median, most, longest }) => html`<tr>
        <td>${data.steps[step]?.name}</td><td class="num">${whole(tasks)}</td>
        <td class="num">${duration(median)}</td><td class="num">${duration(most)}</td><td class="num">${duration(longest)}</td>
      </tr>`,
    )}</tbody>
  </table></div>`;
}

interface Drawing {
  readonly height: number;
  readonly data: uPlot.AlignedData;
  readonly options: (color: (name: string) => string) => Omit<uPlot.Options, 'width' | 'height'>;
}

/** In pixels. */
const laneHeight = { least: 40, most: 220, each: 9 };

function drawing(data: ReportData, bars: readonly Bar[], lanes: readonly Lane[]): Drawing {
  const heights = lanes.map(({ depth }) =>
    Math.min(laneHeight.most, Math.max(laneHeight.least, depth * laneHeight.each + 16)),
  );
  const tops = heights.map((_, index) =>
    heights.slice(0, index).reduce((sum, one) => sum + one, 0),
  );
  const total = heights.reduce((sum, one) => sum + one, 0);
  const begin = Math.min(...bars.map(({ began }) => began)) / 1000;
  const end = Math.max(...bars.map(({ ended }) => ended)) / 1000;
  const margin = Math.max(0.5, (end - begin) * 0.01);
  return {
    height: total + 48,
    data: [
      [begin - margin, end + margin],
      [0, total],
    ],
    options: (color) => ({
      legend: { show: false },
      cursor: { y: false, points: { show: false } },
      scales: { y: { range: [0, total], dir: -1 }, x: { time: true } },
      axes: [
        timeAxis(color),
        {
          ...axis(color),
          grid: { show: false },
          ticks: { show: false },
          size: 90,
          splits: () => tops.map((top, index) => top + (heights[index] ?? 0) / 2),
          values: () => lanes.map(({ step }) => shortened(data.steps[step]?.name ?? '')),
        },
      ],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: { draw: [(chart) => drawBars(chart, lanes, { heights, tops }, color)] },
    }),
  };
}

const shortened = (name: string): string => (name.length > 12 ? `${name.slice(0, 11)}…` : name);

function drawBars(
  chart: uPlot,
  lanes: readonly Lane[],
  { heights, tops }: { readonly heights: readonly number[]; readonly tops: readonly number[] },
  color: (name: string) => string,
): void {
  const { ctx, bbox } = chart;
  const colors = new Map<string, string>();
  const colorOf = (state: string): string => {
    const known = colors.get(state) ?? color(`--${state}`);
    colors.set(state, known);
    return known;
  };
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  lanes.forEach(({ rows, depth }, lane) => {
    const [top = 0, height = 0] = [tops[lane], heights[lane]];
    if (lane > 0) {
      ctx.fillStyle = color('--line');
      ctx.fillRect(
        bbox.left,
        Math.round(chart.valToPos(top, 'y', true)),
        bbox.width,
        devicePixelRatio,
      );
    }
    const each = (height - 16) / depth;
    for (const { bar, row } of rows) {
      const from = chart.valToPos(bar.began / 1000, 'x', true);
      const to = chart.valToPos(bar.ended / 1000, 'x', true);
      const at = chart.valToPos(top + 8 + row * each, 'y', true);
      const below = chart.valToPos(top + 8 + (row + 1) * each, 'y', true);
      ctx.fillStyle = colorOf(bar.state);
      ctx.fillRect(
        from,
        at,
        Math.max(2 * devicePixelRatio, to - from),
        Math.max(1, (below - at) * 0.78),
      );
    }
  });
  ctx.restore();
}
