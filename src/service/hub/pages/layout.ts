// The frame of every hub page, and the parts that pages share. Pages are rendered on the server and run no script.

import { html } from 'htm/preact';
import { type ComponentChildren, Fragment, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { grouped } from '../../../contract/base/grouped.ts';
import { printable } from '../../../contract/base/printable.ts';

export { html };
/** A part of a page. Interpolated values are text, never markup. */
export type Html = ReturnType<typeof html>;

const places = [
  ['/hub', 'Overview'],
  ['/hub/projects', 'Projects'],
  ['/hub/ledger', 'Credits'],
  ['/hub/accounts', 'Accounts'],
  ['/hub/keys', 'Keys'],
  ['/hub/webhooks', 'Webhooks'],
  ['/hub/deliveries', 'Deliveries'],
  ['/hub/faults', 'Faults'],
] as const;

/** A whole page. `here`: the path of the page's entry in the navigation. */
export function page(title: string, here: string, content: ComponentChildren): string {
  const whole = html`
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · shotlist local service</title>
        <link rel="icon" href="/hub/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/hub/style.css" />
      </head>
      <body>
        <header>
          <p class="mark">shotlist <span>local service</span></p>
          <nav aria-label="Hub">
            ${places.map(
              ([path, name]) =>
                html`<a href=${path} aria-current=${path === here ? 'page' : undefined}>${name}</a>`,
            )}
          </nav>
        </header>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
        <footer>
          This is a rehearsal: nothing here costs money. A program that does not ask for text/html gets each page as
          JSON. <a href="/openapi.json">OpenAPI</a>
        </footer>
      </body>
    </html>
  `;
  const lines = renderToString(h(Fragment, null, whole)).split('\n');
  // Names can contain anything: characters that reorder or hide text are escaped.
  return `<!doctype html>${lines.map((line) => printable(line)).join('\n')}`;
}

/** A table, or a sentence if the table is empty. */
export function table(
  heads: readonly string[],
  rows: readonly ComponentChildren[],
  empty: string,
): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`
    <div class="wide">
      <table>
        <thead>
          <tr>
            ${heads.map((head) => html`<th scope="col">${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
  `;
}

/** A button that sends a form. */
export function button(action: string, label: string): Html {
  return html`<form method="post" action=${action} class="inline"><button>${label}</button></form>`;
}

/** A readable time, with the exact time for machines. */
export function time(iso: string | null | undefined): Html {
  if (iso === null || iso === undefined) return html`<span>–</span>`;
  return html`<time datetime=${iso}>${iso.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>`;
}

export const number = (value: number): string => grouped(value);

/** A state in words; the colour only repeats them. */
export const badge = (state: string): Html => html`<span class=${`badge ${state}`}>${state}</span>`;
