// The page of a report begins here: it reads the data that the file holds, or follows the server that it is from.
import { html, render } from 'htm/preact';
import type { ReportData } from '../report-data.ts';
import { App } from './app.ts';
import { follow, type Live } from './live.ts';
import { liveTitle } from './live-status.ts';
import { picturesFromServer } from './pictures.ts';
import { readData } from './read-data.ts';
import { setTheme, themeNow } from './theme.ts';

const root = document.getElementById('app');
const held = document.getElementById('data')?.textContent;
setTheme(themeNow());
const show = (data: ReportData, live?: Live): void => {
  if (root !== null) render(html`<${App} data=${data} live=${live} />`, root);
};
if (held === undefined) {
  let redraw: () => void = () => undefined;
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
  const data = readData(held);
  show(data);
  // By then all pictures are there.
  document.addEventListener('DOMContentLoaded', () => show(data));
}
