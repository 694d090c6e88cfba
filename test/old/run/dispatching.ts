// A dispatcher with what it asks, in memory, and jobs of earlier runs for it.
import { unreachable } from '../../../src/base/result.ts';
import { FileFacts } from '../../../src/core/file-facts.ts';
import type { Fingerprint } from '../../../src/model/fingerprint.ts';
import { uploadFingerprint } from '../../../src/model/fingerprint.ts';
import type { NewEvent } from '../../../src/model/line.ts';
import { notTaken } from '../../../src/model/settled.ts';
import { pickedTakes } from '../../../src/plan/takes.ts';
import { Dispatcher, type DispatcherOptions } from '../../../src/run/dispatcher.ts';
import type { ItemRun } from '../../../src/run/item-run.ts';
import { ProjectUsers } from '../../../src/run/project-users.ts';
import { digestOfText, MemoryDisk } from '../../fakes/memory-disk.ts';
import { Parts, type Terms } from './parts.ts';

export const upload = uploadFingerprint(digestOfText('a photo'));

export class Scene extends Parts {
  readonly disk = new MemoryDisk();
  readonly open = new Set<ItemRun>();
  readonly users = new ProjectUsers(this.open);
  readonly dispatcher: Dispatcher;
  readonly #terms: Pick<Terms, 'pipeline'>;

  constructor(terms: Terms = {}, change: Partial<DispatcherOptions> = {}) {
    super(terms);
    this.#terms = terms.pipeline === undefined ? {} : { pipeline: terms.pipeline };
    this.disk.files.set('a.png', 'a photo');
    this.disk.files.set('b.png', 'a photo');
    this.dispatcher = new Dispatcher({
      ...this,
      base: { inputs: {}, env: {}, run: {} },
      fileFacts: new FileFacts(this.disk),
      payAgain: false,
      requireOutputs: false,
      takes: pickedTakes(this.journal.ledger),
      allows: () => true,
      unrunnable: new Map(),
      failed: new Map(),
      ...change,
    });
  }

  next(item: ItemRun, step: string) {
    return this.dispatcher.nextAction(item, this.step(step));
  }

  /** An item whose upload is done, by this run, and which is at its paid step. */
  supplied(key = 'a', change: Partial<{ live: boolean }> = {}): ItemRun {
    const item = this.item(key);
    const task = item.task(this.step('photo'));
    const result = { file_path: 'f' };
    this.journal.append([{ event: 'supplied', job: upload, task, kind: 'upload', result }]);
    const live = change.live === false ? undefined : result;
    item.setOutputs(this.step('photo'), upload, this.ledger.job(upload), live);
    item.end('photo', 'done');
    return item;
  }

  /** The fingerprint of the paid step, as the engine names it. */
  paidFor(item: ItemRun): Fingerprint {
    const action = new Scene(this.#terms).next(item, 'swap');
    if (action.action !== 'start' || action.fingerprint === undefined) throw new Error('not paid');
    return action.fingerprint;
  }
}

/** Events of a job for the paid step, in its own content. */
export const history = (
  job: string,
  ...events: readonly ('created' | 'complete' | 'doubt' | 'refused')[]
): readonly NewEvent[] => [
  ...[
    {
      event: 'intent',
      job,
      task: 'swap:a',
      kind: 'photo-colorizer',
      attempt: 1,
      name: 'n',
      reserve: 12,
    } as const,
  ],
  ...events.map((event): NewEvent => {
    switch (event) {
      case 'created':
        return { event, job, project: 'p', credits: 10 };
      case 'complete':
        return { event: 'settled', job, status: 'complete', credits: 10, result: { downloads: 1 } };
      case 'doubt':
        return { event, job, why: 'lost' };
      case 'refused':
        return notTaken(job, { code: 'outage', message: 'away' });
      default:
        return unreachable(event);
    }
  }),
];
