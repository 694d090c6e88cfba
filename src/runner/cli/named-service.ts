// Names the hosted service before something is sent there: as the first line, or as a field of the JSON that comes later.
import { serviceLine } from '../report/service-text.ts';
import { print } from './terminal.ts';

export class NamedService {
  readonly #json: boolean;
  #address: string | undefined;

  constructor(json: boolean) {
    this.#json = json;
  }

  readonly name = (address: string): void => {
    this.#address = address;
    if (!this.#json) print(serviceLine(address));
  };

  /** For `--json`; empty if nothing was sent. */
  get fact(): { readonly service?: string } {
    return this.#address === undefined ? {} : { service: this.#address };
  }
}
