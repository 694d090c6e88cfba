// The page of a report begins here: it reads the data that the file holds, and shows it.
import { html, render } from 'htm/preact';
import { App } from './app.ts';
import { readData } from './read-data.ts';
import { setTheme, themeNow } from './theme.ts';

const root = document.getElementById('app');
const data = readData(document.getElementById('data')?.textContent);
setTheme(themeNow());
const show = (): void => {
  if (root !== null) render(html`<${App} data=${data} />`, root);
};
show();
// By then all pictures are there.
document.addEventListener('DOMContentLoaded', show);
