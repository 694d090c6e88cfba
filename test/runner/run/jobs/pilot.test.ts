// The first project of a kind that nobody has seen end is looked at early, because it shows how long the others take.
import { describe, expect, test } from 'vitest';
import type { Project } from '../../../../src/contract/api/project.ts';
import { ok } from '../../../../src/contract/base/result.ts';
import { Durations } from '../../../../src/runner/plan/durations.ts';
import { create } from '../../../../src/runner/run/jobs/create.ts';
import type { JobContext } from '../../../../src/runner/run/jobs/job-context.ts';
import { WebhookInbox } from '../../../../src/runner/run/jobs/webhook-inbox.ts';
import { createOrder } from '../parts.ts';
import { performed, Scene } from './performing.ts';

const kind = 'animation';
const order = { ...createOrder('a'), kind, timeoutMs: 86_400_000 };

const failed: Project = { id: 'p', status: 'error', downloads: [] };

const unseen = (): Durations => new Durations({ speedFactor: 1 });

/** In milliseconds; half of the animations take ten minutes. */
const [early, usual] = [1000, 100_000];

/**
 * Creates a project that fails, which says nothing about how long others take. Returns its age at the first look; undefined
 * if there was none. `onLook`: called then.
 */
async function firstLook(
  change: Partial<JobContext>,
  onLook: () => void = () => undefined,
): Promise<number | undefined> {
  let first: number | undefined;
  const project = async () => {
    first ??= scene.clock.elapsed();
    onLook();
    return ok(failed);
  };
  const scene = new Scene([], { project });
  await performed(create(order, { ...scene.context, ...change }));
  return first;
}

describe('a new project of a kind that nobody has seen end', () => {
  test('is looked at early, and so is the next one if the first one failed', async () => {
    const durations = unseen();
    expect(await firstLook({ durations })).toBeLessThan(early);
    expect(await firstLook({ durations })).toBeLessThan(early);
  });

  test('is not looked at early while another one is', async () => {
    const durations = unseen();
    using _ = durations.pilot(kind);
    expect(await firstLook({ durations })).toBeGreaterThan(usual);
  });

  test('is not looked at early where the order is parked', async () => {
    const attention = { kind: 'park', longestPauseMs: early, seenMs: 0 } as const;
    expect(await firstLook({ durations: unseen(), attention })).toBeUndefined();
  });

  test('is not looked at early where events tell of its end, and leaves that to one without', async () => {
    const durations = unseen();
    const inbox = new WebhookInbox({ patienceMs: 60_000, since: 0 });
    let other: Disposable | undefined;
    const at = await firstLook({ durations, inbox }, () => {
      other = durations.pilot(kind);
    });
    expect(at).toBeGreaterThan(usual);
    expect(other).toBeDefined();
  });
});

test('a new project of a kind with a history is not looked at early', async () => {
  const known = () => new Map([[kind, [600_000, 600_000, 600_000]]]);
  const durations = new Durations({ speedFactor: 1, known });
  expect(await firstLook({ durations })).toBeGreaterThan(usual);
});
