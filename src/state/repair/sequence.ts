// The events of a damaged journal in the order of their numbers, each once, with the unreadable lines in their places.

import { eventSchemas } from '../../model/event-schemas.ts';
import type { EventLine } from '../../model/line.ts';
import { type Damage, damage, isSame, type ReadableLine, type UnreadableLine } from './damage.ts';
import type { Fields } from './fragments.ts';

/** One history: the whole file, or one side of a merge. */
export interface History {
  readonly name: 'the file' | 'ours' | 'theirs' | 'base';
  readonly reads: readonly ReadableLine[];
  readonly unread: readonly UnreadableLine[];
}

export type SequenceEntry =
  | { readonly is: 'event'; readonly number: number; readonly event: EventLine }
  | { readonly is: 'lost'; readonly number: number; readonly fields: Fields };

export interface Sequence {
  readonly entries: readonly SequenceEntry[];
  readonly damages: readonly Damage[];
  /** Unreadable lines that are not events. */
  readonly others: readonly UnreadableLine[];
  /** The line of the first event. */
  readonly first: number;
}

type Placed = SequenceEntry & { readonly seq: number };

export function sequenceOf({ reads, unread }: History): Sequence {
  const first =
    reads.find(({ state }) => state.type === 'event')?.number ?? Number.POSITIVE_INFINITY;
  const isEvent = ({ number, fields, atEnd = false }: UnreadableLine): boolean =>
    atEnd ||
    fields.event !== undefined ||
    fields.seq !== undefined ||
    (fields.state === undefined && fields.tasks === undefined && number > first);
  const lost = unread.filter(isEvent);
  const placed: Placed[] = [];
  const damages: Damage[] = [];
  const seen = new Map<number, EventLine[]>();
  let [highest, next] = [0, 0];
  // A line without a readable number is placed after the previous event.
  const placeLost = (before: number): void => {
    for (let line = lost[next]; line !== undefined && line.number <= before; line = lost[next]) {
      const { number, fields } = line;
      placed.push({ is: 'lost', seq: fields.seq ?? highest + 0.5, number, fields });
      next += 1;
    }
  };
  for (const { number, state } of reads) {
    if (state.type !== 'event') continue;
    placeLost(number);
    const event = state.line;
    const twins = seen.get(event.seq) ?? [];
    const again = twins.some((twin) => isSame(twin, event));
    if (again) damages.push(damage(number, 'doubled', `event ${event.seq} is here twice`));
    else if (twins.length > 0)
      damages.push(damage(number, 'doubled', `another event with the number ${event.seq}`));
    else if (event.seq < highest)
      damages.push(damage(number, 'order', `event ${event.seq} follows event ${highest}`));
    highest = Math.max(highest, event.seq);
    if (again) continue;
    seen.set(event.seq, [...twins, event]);
    placed.push({ is: 'event', seq: event.seq, number, event });
  }
  placeLost(Number.POSITIVE_INFINITY);
  const entries = placed.sort((a, b) => a.seq - b.seq || a.number - b.number);
  return { entries, damages, others: unread.filter((line) => !isEvent(line)), first };
}

/** An event that is not about a job cannot hide a payment, even if only its name can be read. */
export function isAboutNoJob({ event }: Fields): boolean {
  const schema = Object.entries(eventSchemas).find(([name]) => name === event)?.[1];
  return schema !== undefined && !Object.hasOwn(schema.properties, 'job');
}
