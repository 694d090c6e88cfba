// The items of a plan that have something to pay for, or to wait for.

/** Names are kept for so many. */
const most = 1000;

export class ItemsToDo {
  /** The keys of the first thousand. */
  readonly first: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(key: string): void {
    this.#count += 1;
    if (this.first.length < most) this.first.push(key);
  }
}
