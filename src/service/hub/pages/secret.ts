// The page that shows a secret, once.
import { html, page } from './layout.ts';

export function secretPage(what: string, of: string, secret: string, back: string): string {
  return page(what, back, [
    html`<p>${what} of <strong>${of}</strong>. Copy it now: it is not shown again.</p>
      <code class="secret">${secret}</code>
      <p><a href=${back}>Back to the list</a></p>`,
  ]);
}
