// The last events of a run, for the last lines of a view.

/** Something that happened, for the last lines of the view. */
export interface Happening {
  readonly what: 'done' | 'failed' | 'doubt';
  /** A task, or an item that is over. */
  readonly name: string;
  readonly why?: string;
  readonly credits?: number;
  readonly tookMs?: number;
}

/** Of each kind. */
const kept = 10;

export function keepLast(list: Happening[], happening: Happening): void {
  list.push(happening);
  if (list.length > kept) list.shift();
}
