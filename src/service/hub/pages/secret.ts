// The page that shows a secret, once.
import { html, page } from './layout.ts';

export function secretPage(what: string, of: string, secret: string, back: string): string {
  return page(what, back, [
    html`<p>${what} of <strong>${of}</strong>. It is shown now and never again: copy it.</p>
      <code class="secret">${secret}</code>
      <p><a href=${back}>Back to the list</a></p>`,
  ]);
}
