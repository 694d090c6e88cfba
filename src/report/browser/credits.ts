// What was spent: over time, by step, and by run.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import uPlot from 'uplot';
import type { ReportData } from '../page/report-data.ts';
import { axis, Chart, timeAxis } from './chart.ts';
import { count, duration, longTime, whole } from './words.ts';

export function Credits({ data }: { readonly data: ReportData }): VNode {
  const { spending, steps, credits } = data;
  const total = spending.reduce((sum, one) => sum + one.credits, 0);
  const priced = steps.filter((step) => step.credits > 0);
  const gone = total - priced.reduce((sum, step) => sum + step.credits, 0);
  return html`<div>
    <section class="section">
      <h2>Over time</h2>
      <p class="lede">${total === 0 ? 'Nothing was charged.' : `${count(credits.charged, 'credit')} charged, refunds taken off; ${whole(credits.reserved)} set aside.`}</p>
      ${total === 0 ? null : html`<div class="card"><${OverTime} data=${data} total=${total} /></div>`}
    </section>
    ${total === 0 ? null : html`<section class="section"><h2>By step</h2><div class="card scroll"><${BySteps} data=${data} total=${total} gone=${gone} /></div></section>`}
    <section class="section"><h2>Runs</h2><div class="card scroll"><${Runs} data=${data} /></div></section>
  </div>`;
}

function OverTime({ data, total }: { readonly data: ReportData; readonly total: number }): VNode {
  const series = useMemo((): uPlot.AlignedData => {
    let sum = 0;
    const points = data.spending.map(({ at, credits }) => {
      sum += credits;
      return [at / 1000, sum] as const;
    });
    const begin = (points[0]?.[0] ?? 0) - 1;
    return [
      [begin, ...points.map(([at]) => at)],
      [0, ...points.map(([, credits]) => credits)],
    ];
  }, [data]);
  return html`<${Chart} label="Credits over time, up to ${whole(total)}" height=${260} data=${series} options=${lineOptions} />`;
}

const lineOptions = (color: (name: string) => string): Omit<uPlot.Options, 'width' | 'height'> => ({
  legend: { show: false },
  cursor: { points: { size: 7 } },
  axes: [timeAxis(color), { ...axis(color), size: 56 }],
  scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.08)] } },
  series: [
    {},
    {
      label: 'credits',
      stroke: color('--accent'),
      width: 2,
      fill: `color-mix(in srgb, ${color('--accent')} 12%, transparent)`,
      points: { show: false },
      ...(uPlot.paths.stepped === undefined ? {} : { paths: uPlot.paths.stepped({ align: 1 }) }),
    },
  ],
});

function BySteps({
  data,
  total,
  gone,
}: {
  readonly data: ReportData;
  readonly total: number;
  readonly gone: number;
}): VNode {
  const rows = data.steps
    .filter((step) => step.credits > 0)
    .map((step) => ({
      name: step.name,
      kind: step.kind,
      credits: step.credits,
      tasks: step.tasks.done ?? 0,
    }))
    .sort((one, other) => other.credits - one.credits);
  const all =
    gone > 0
      ? [
          ...rows,
          { name: 'earlier steps', kind: 'no longer in the pipeline', credits: gone, tasks: 0 },
        ]
      : rows;
  const most = Math.max(...all.map(({ credits }) => credits));
  return html`<table>
    <thead><tr><th>Step</th><th><span class="visually-hidden">Share</span></th><th class="num">Credits</th><th class="num">Share</th><th class="num">Each</th></tr></thead>
    <tbody>${all.map(
      ({ name, kind, credits, tasks }) => html`<tr>
        <td>${name}<br /><span class="small muted">${kind === name ? '' : kind}</span></td>
        <td style=${{ width: '45%', verticalAlign: 'middle' }}><span class="meter" style=${{ width: `${(100 * credits) / most}%` }}></span></td>
        <td class="num">${whole(credits)}</td>
        <td class="num">${Math.round((100 * credits) / total)}%</td>
        <td class="num">${tasks === 0 ? '' : (credits / tasks).toLocaleString('en-US', { maximumFractionDigits: 1 })}</td>
      </tr>`,
    )}</tbody>
  </table>`;
}

function Runs({ data: { runs } }: { readonly data: ReportData }): VNode {
  return html`<table>
    <thead><tr><th>Began</th><th>Took</th><th class="num">Charged</th></tr></thead>
    <tbody>${runs
      .slice(-200)
      .reverse()
      .map(
        ({ at, ended, charged }) => html`<tr>
          <td>${longTime(at)}</td>
          <td>${ended === undefined ? 'not finished' : duration(Date.parse(ended) - Date.parse(at))}</td>
          <td class="num">${whole(charged)}</td>
        </tr>`,
      )}</tbody>
  </table>`;
}
