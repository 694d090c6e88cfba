// The page of an error.
import { asJson, isObject } from '../../../contract/base/json.ts';
import { html, page } from './layout.ts';

/** `answer`: the JSON that a program gets, `{"message": …}`. */
export function errorPage(status: number, answer: string): string {
  const said = asJson(JSON.parse(answer));
  const message = isObject(said) ? said['message'] : undefined;
  const title = status === 404 ? 'Not Found' : 'Something went wrong';
  return page(title, '', [
    html`<p>${typeof message === 'string' ? message : ''}</p>
      <p class="dim">Status ${status}. Nothing was changed. Go back to correct the request.</p>`,
  ]);
}
