// The thumbnails of a live page: each is made when it is first asked for, a few at once, so that a run beside it has the rest
// of the machine.
import pLimit from 'p-limit';
import { type ThumbnailSize, thumbnail } from './thumbnails.ts';

const atOnce = 2;
/** In bytes: beyond this, the oldest are made again when they are asked for. */
const mostBytes = 1 << 26;

export class ThumbnailCache {
  readonly #made = new Map<number, Promise<Buffer | undefined>>();
  readonly #limit = pLimit(atOnce);
  #bytes = 0;

  /** `number`: of the content. Undefined if there is no picture of the file now. */
  of(
    number: number,
    file: () => string | undefined,
    size: ThumbnailSize,
  ): Promise<Buffer | undefined> {
    const known = this.#made.get(number);
    if (known !== undefined) return known;
    const making = this.#limit(async () => {
      const place = file();
      return place === undefined ? undefined : await thumbnail(place, size);
    });
    this.#made.set(number, making);
    return this.#kept(number, making);
  }

  async #kept(number: number, making: Promise<Buffer | undefined>): Promise<Buffer | undefined> {
    const made = await making;
    // The file may come later.
    if (made === undefined) this.#made.delete(number);
    this.#bytes += made?.length ?? 0;
    for (const [oldest, old] of this.#made) {
      if (this.#bytes <= mostBytes || oldest === number) break;
      this.#made.delete(oldest);
      this.#bytes -= (await old)?.length ?? 0;
    }
    return made;
  }
}
