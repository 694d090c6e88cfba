// One job by itself: what it says, what it asks, and how it ends. Whoever drives it may act between two steps, as the
// engine does.

import { err, ok, type Result } from '../../../../src/base/result.ts';
import type { ApiFailure } from '../../../../src/contract/api/failure.ts';
import type { AcceptedCreation } from '../../../../src/contract/api/project.ts';
import type { MediaApi } from '../../../../src/core/ports.ts';
import type { NewEvent } from '../../../../src/model/line.ts';
import { LookSchedule } from '../../../../src/plan/look-schedule.ts';
import type { JobOutcome } from '../../../../src/run/jobs/job.ts';
import type { JobContext, Performance } from '../../../../src/run/jobs/job-context.ts';
import { LookBudget } from '../../../../src/run/jobs/looks.ts';
import { Outages } from '../../../../src/run/jobs/outages.ts';
import { ProjectIds } from '../../../../src/run/jobs/project-ids.ts';
import type { WebhookInbox } from '../../../../src/run/jobs/webhook-inbox.ts';
import { MemoryDisk } from '../../../fakes/memory-disk.ts';
import { MemoryService } from '../../../fakes/memory-service.ts';
import { FakeClock } from '../../../files/places.ts';

export interface Performed {
  /** Events in their order; "!" after one that must be on disk first, "?" where it asks to send again. */
  readonly said: readonly string[];
  readonly events: readonly NewEvent[];
  readonly outcome: JobOutcome;
}

/** `between`: called with each thing that a job says, before it goes on. */
export async function performed(
  performance: Performance,
  between: (said: string) => void = () => undefined,
): Promise<Performed> {
  const said: string[] = [];
  const events: NewEvent[] = [];
  for (;;) {
    const step = await performance.next();
    if (step.done === true) return { said, events, outcome: step.value };
    const { value } = step;
    if ('event' in value) events.push(value.event);
    const word = 'event' in value ? `${value.event.event}${value.durable ? '!' : ''}` : '?';
    said.push(word);
    between(word);
  }
}

export const busy: ApiFailure = { reason: 'unavailable', status: 503, message: 'busy' };
export const throttled: ApiFailure = { reason: 'throttled', message: '', retryAfterMs: 7000 };
export const unanswered: ApiFailure = { reason: 'unanswered', message: 'the connection was cut' };
export const unfit: ApiFailure = { reason: 'refused', status: 422, message: 'no face' };

/** A service and a disk in memory. Answers to creations come from a list first: a failure was not taken. */
export class Scene {
  readonly clock = new FakeClock();
  readonly disk = new MemoryDisk();
  readonly service = new MemoryService(this.disk, this.clock, () => 10);
  readonly stopper = new AbortController();
  /** How often a creation was sent. */
  sent = 0;
  readonly context: JobContext;

  constructor(
    answers: readonly (ApiFailure | AcceptedCreation)[] = [],
    change: Partial<MediaApi> = {},
    inbox?: WebhookInbox,
  ) {
    const list = [...answers];
    const { service, clock, disk } = this;
    const create = async (tool: string, body: Parameters<MediaApi['create']>[1]) => {
      this.sent += 1;
      const next = list.shift();
      if (next === undefined) return await service.create(tool, body);
      const answer: Result<AcceptedCreation, ApiFailure> = 'reason' in next ? err(next) : ok(next);
      return answer;
    };
    const api: MediaApi = {
      uploadAddresses: (items) => service.uploadAddresses(items),
      put: (target, file) => service.put(target, file),
      detectFaces: (body) => service.detectFaces(body),
      faceDetection: (id) => service.faceDetection(id),
      account: () => service.account(),
      create,
      project: (record, id) => service.project(record, id),
      deleteProject: (record, id) => service.deleteProject(record, id),
      download: (url, into) => service.download(url, into),
      ...change,
    };
    const stop = this.stopper.signal;
    const patience = { clock, stop, backoffMs: 1000 };
    const outages = new Outages({
      ...patience,
      ...{ api, address: 'memory:', limitMs: 60_000, onEvent: () => undefined },
    });
    this.context = {
      ...patience,
      api: outages.api,
      outages,
      projects: new ProjectIds(),
      disk,
      pace: async () => undefined,
      lookSchedule: new LookSchedule({ speedFactor: 1 }),
      looks: new LookBudget(clock, 1),
      inbox,
    };
  }
}
