// Numbers for the files that a report shows as pictures: one content has one number, in every report that shares them.

/** A file of the report on disk: its path, relative to the pipeline file. */
export interface PictureSource {
  readonly in: 'input' | 'output';
  readonly path: string;
  /** Of the content, if it is known. */
  readonly sha256?: string;
}

export class PictureNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #sources: PictureSource[] = [];

  /** The number of a file; the next one if it is new. */
  numberOf(source: PictureSource): number {
    const key = source.sha256 ?? `${source.in} ${source.path}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) {
      // The same content may be at another place now.
      this.#sources[known] = source;
      return known;
    }
    this.#numbers.set(key, this.#sources.length);
    return this.#sources.push(source) - 1;
  }

  /** In the order of their numbers. */
  get all(): readonly PictureSource[] {
    return this.#sources;
  }
}
