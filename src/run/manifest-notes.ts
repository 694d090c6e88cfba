// Keeps what each decided task's fingerprint is made of, once for each job.
import type { Redactor } from '../base/redactor.ts';
import type { Clock } from '../core/ports.ts';
import type { Fingerprint } from '../model/fingerprint.ts';
import type { KeptManifest } from '../model/manifest.ts';
import type { TaskAnswer } from '../plan/ask.ts';

/** Where manifests are kept; `state/manifests.ts`. */
interface Manifests {
  has(job: Fingerprint): boolean;
  add(manifest: KeptManifest): void;
}

export class ManifestNotes {
  readonly #manifests: Manifests;
  readonly #redactor: Redactor;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(manifests: Manifests, redactor: Redactor, clock: Pick<Clock, 'now'>) {
    this.#manifests = manifests;
    this.#redactor = redactor;
    this.#clock = clock;
  }

  note({ wanted, fingerprint: job, content }: Extract<TaskAnswer, { is: 'decided' }>): void {
    if (wanted.operation === 'download' || wanted.operation === 'delete') return;
    if (this.#manifests.has(job)) return;
    const at = new Date(this.#clock.now()).toISOString();
    if (wanted.operation === 'upload') {
      if (content === undefined) return;
      const file = this.#redactor.text(wanted.file);
      this.#manifests.add({ job, kind: 'upload', content, file, at });
      return;
    }
    this.#manifests.add({ job, ...this.#redactor.value(wanted.manifest), at });
  }
}
