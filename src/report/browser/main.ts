// The page of a report begins here: it reads the data that the file holds, or follows the server that it is from.
import { html, render } from 'htm/preact';
import type { ReportData } from '../page/report-data.ts';
import { App } from './app.ts';
import { follow, type Live } from './live.ts';
import { liveTitle } from './masthead.ts';
import { noteAbsentFiles, picturesFromServer } from './pictures.ts';

const root = document.getElementById('app');
const held = document.getElementById('data')?.textContent;
const show = (data: ReportData, live?: Live): void => {
  if (root !== null) render(html`<${App} ...${{ data, live }} />`, root);
};
let redraw: () => void = () => undefined;
if (held === undefined) {
  picturesFromServer(() => redraw());
  follow((data, live) => {
    redraw = () => {
      if (data === undefined) return;
      document.title = liveTitle(data);
      show(data, live);
    };
    redraw();
  });
} else {
  // The same version of shotlist wrote it.
  const data: ReportData = JSON.parse(held);
  redraw = () => show(data);
  noteAbsentFiles(() => redraw());
  redraw();
  // By then all pictures are there.
  document.addEventListener('DOMContentLoaded', redraw);
}
