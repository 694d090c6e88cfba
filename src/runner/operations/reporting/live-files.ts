// The saved files that a live page may ask for: each has a number, and nothing else of a request says which file is meant.
import { basename } from 'node:path';

export class LiveFiles {
  readonly #numbers = new Map<string, number>();
  readonly #paths: string[] = [];

  /** The address of a file (absolute path), relative to the page. */
  hrefOf(file: string): string {
    const number = this.#numbers.get(file) ?? this.#paths.push(file) - 1;
    this.#numbers.set(file, number);
    return `files/${number}/${encodeURIComponent(basename(file))}`;
  }

  pathOf(number: number): string | undefined {
    return this.#paths[number];
  }
}
