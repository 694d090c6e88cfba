// Server-sent events to every page that is open: https://html.spec.whatwg.org/multipage/server-sent-events.html
import type { ServerResponse } from 'node:http';
import type { PageMessage } from '../../report/page/page-message.ts';

/** In milliseconds: how often a page is sent something, so that one that is gone is noticed. */
const aliveMs = 20_000;
/** In bytes: a page that reads so slowly is disconnected; it connects again and gets everything. */
const mostUnread = 1 << 27;

export class EventStream {
  readonly #pages = new Set<ServerResponse>();
  readonly #alive = setInterval(() => this.#write(': here\n\n'), aliveMs).unref();

  readonly #first = Promise.withResolvers<void>();

  get pages(): number {
    return this.#pages.size;
  }

  /** Resolves when a page has connected for the first time. */
  get visited(): Promise<void> {
    return this.#first.promise;
  }

  /** Adds a page, whose answer has its headers. */
  add(page: ServerResponse, first: readonly PageMessage[]): void {
    this.#pages.add(page);
    this.#first.resolve();
    page.once('close', () => this.#pages.delete(page));
    page.write(`retry: 1000\n\n${first.map(frame).join('')}`);
  }

  send(message: PageMessage): void {
    this.#write(frame(message));
  }

  /** Resolves when the pages have the last message, or are gone. */
  async end(last: PageMessage): Promise<void> {
    clearInterval(this.#alive);
    await Promise.all(
      [...this.#pages].map((page) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        page.once('close', () => resolve()).end(frame(last), () => resolve());
        return promise;
      }),
    );
  }

  #write(text: string): void {
    for (const page of this.#pages) {
      page.write(text);
      if (page.writableLength > mostUnread) page.destroy();
    }
  }
}

/** The data is JSON, which has no line feed. */
const frame = ({ type, data }: PageMessage): string => `event: ${type}\ndata: ${data}\n\n`;
