// The frame of every hub page, and the parts that pages share. Pages are rendered on the server and run no script.

import { html } from 'htm/preact';
import { type ComponentChildren, Fragment, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { printable } from '../../base/printable.ts';
import { grouped } from '../../base/text.ts';
import type { StoredAccount } from '../store/accounts.ts';

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

/** A table, or a sentence if there are no rows. `columns`: what each column shows of a row, by its head. */
export function table<Row>(
  rows: readonly Row[],
  empty: string,
  columns: Readonly<Record<string, (row: Row) => ComponentChildren>>,
): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const cellOf = (content: ComponentChildren): Html =>
    typeof content === 'number'
      ? html`<td class="number">${number(content)}</td>`
      : html`<td>${content}</td>`;
  return html`
    <div class="wide">
      <table>
        <thead>
          <tr>
            ${Object.keys(columns).map((head) => html`<th scope="col">${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => html`<tr>${Object.values(columns).map((show) => cellOf(show(row)))}</tr>`)}
        </tbody>
      </table>
    </div>
  `;
}

export const code = (text: string): Html => html`<code>${text}</code>`;

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

/** A box for each value of a field. */
export function ticks(
  legend: string,
  field: string,
  values: readonly string[],
  checked: boolean,
): Html {
  return html`<fieldset>
    <legend>${legend}</legend>
    ${values.map(
      (value) =>
        html`<label class="tick"><input type="checkbox" name=${field} value=${value} checked=${checked} />${value}</label>`,
    )}
  </fieldset>`;
}

/** The select element for an account in a form. */
export function accountSelect(accounts: readonly StoredAccount[]): Html {
  return html`<label>
    Account
    <select name="account">
      ${accounts.map(({ id, email }) => html`<option value=${id}>${email}</option>`)}
    </select>
  </label>`;
}

/** The page that shows a secret, once. */
export function secretPage(what: string, of: string, secret: string, back: string): string {
  return page(what, back, [
    html`<p>${what} of <strong>${of}</strong>. Copy it now: it is not shown again.</p>
      <code class="secret">${secret}</code>
      <p><a href=${back}>Back to the list</a></p>`,
  ]);
}
