// The frame of every hub page, and the pieces that pages share. Rendered on the server; nothing runs in the browser.
import { html } from 'htm/preact';
import { type ComponentChildren, Fragment, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { printable } from '../../../contract/base/printable.ts';

export { html };
/** A piece of a page. What stands in its holes is text, never markup. */
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

/** A whole page. `here` is the path that its entry in the navigation has. */
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
          A rehearsal: nothing here costs money. Every page is also JSON for programs that do not ask for
          text/html. <a href="/openapi.json">OpenAPI</a>
        </footer>
      </body>
    </html>
  `;
  const lines = renderToString(h(Fragment, null, whole)).split('\n');
  // Names come from anywhere: what would reorder or hide text is shown as an escape, in every page.
  return `<!doctype html>${lines.map((line) => printable(line)).join('\n')}`;
}

/** A table that says so when it is empty. */
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

/** A time as people read it, with the exact one for machines. */
export function time(iso: string | null | undefined): Html {
  if (iso === null || iso === undefined) return html`<span>–</span>`;
  return html`<time datetime=${iso}>${iso.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>`;
}

export const number = (value: number): string => value.toLocaleString('en-US');

/** A state, in words; its colour only repeats them. */
export const badge = (state: string): Html => html`<span class=${`badge ${state}`}>${state}</span>`;
