// A chart in the colors of the page, as wide as the page.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

interface ChartProps {
  readonly label: string;
  readonly height: number;
  readonly data: uPlot.AlignedData;
  /** `color`: a custom property of the theme, such as `--done`. */
  readonly options: (color: (name: string) => string) => Omit<uPlot.Options, 'width' | 'height'>;
}

export function Chart({ label, height, data, options }: ChartProps): VNode {
  const box = useRef<HTMLDivElement>(null);
  const zoom = useRef<Zoom | undefined>(undefined);
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    let chart: uPlot | undefined;
    const end = (): void => {
      zoom.current = chart === undefined ? zoom.current : zoomOf(chart);
      chart?.destroy();
    };
    const draw = (): void => {
      end();
      chart = new uPlot(
        { ...options(colorIn(current)), width: current.clientWidth, height },
        data,
        current,
      );
      if (zoom.current !== undefined) chart.setScale('x', zoom.current);
    };
    const resized = new ResizeObserver(() =>
      chart?.setSize({ width: current.clientWidth, height }),
    );
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    draw();
    resized.observe(current);
    scheme.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', draw);
      end();
    };
  }, [data, options, height]);
  return html`<div class="chart" ref=${box} role="img" aria-label=${label}></div>`;
}

/** In the unit of the x axis. */
interface Zoom {
  readonly min: number;
  readonly max: number;
}

/** What a person chose to see: it stays when a live page has new data. */
function zoomOf({ data: [at], scales }: uPlot): Zoom | undefined {
  const { min, max } = scales['x'] ?? {};
  const [first, last] = [at[0], at.at(-1)];
  if (min === undefined || max === undefined || first === undefined || last === undefined)
    return undefined;
  return min > first || max < last ? { min, max } : undefined;
}

/** A canvas needs the color that `light-dark()` stands for. */
function colorIn(element: HTMLElement): (name: string) => string {
  const probe = document.createElement('span');
  return (name) => {
    probe.style.color = `var(${name})`;
    element.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}

/** 24 hours, and the day as the rest of the page writes it. Each row: from this many seconds between two ticks on. */
const times: uPlot.Axis.Values = [
  [86_400, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  [0.001, '{HH}:{mm}:{ss}.{fff}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
];

export const timeAxis = (color: (name: string) => string): uPlot.Axis => ({
  ...axis(color),
  values: times,
  space: 90,
});

export function axis(color: (name: string) => string): uPlot.Axis {
  return {
    stroke: color('--muted'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line'), width: 1, size: 4 },
  };
}
