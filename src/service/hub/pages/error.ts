// The page that says why something was refused.
import { asJson, isObject } from '../../../contract/base/json.ts';
import { html, page } from './layout.ts';

/** `answer` is what a program gets: `{"message": …}`. */
export function errorPage(status: number, answer: string): string {
  const said = asJson(JSON.parse(answer));
  const message = isObject(said) ? said['message'] : undefined;
  const title = status === 404 ? 'Not Found' : 'That did not work';
  return page(title, '', [
    html`<p>${typeof message === 'string' ? message : ''}</p>
      <p class="dim">Status ${status}. Nothing was changed: go back to mend it.</p>`,
  ]);
}
