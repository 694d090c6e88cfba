// The download job by itself, against a real server: which address it tries when, and how it ends.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../../../src/base/digest.ts';
import type { Download } from '../../../../src/contract/api/project.ts';
import { fingerprintFrom } from '../../../../src/model/fingerprint.ts';
import { LookSchedule } from '../../../../src/plan/look-schedule.ts';
import type { DownloadOrder, JobOutcome } from '../../../../src/run/jobs/job.ts';
import { LookBudget } from '../../../../src/run/jobs/looks.ts';
import { Outages } from '../../../../src/run/jobs/outages.ts';
import { ProjectIds } from '../../../../src/run/jobs/project-ids.ts';
import { download } from '../../../../src/run/jobs/save.ts';
import { FakeClock } from '../../../files/places.ts';
import { room } from '../../../files/room.ts';
import { answer, serve } from '../../../service-api/server.ts';

const now = Date.parse('2026-08-05T10:00:00Z');
const at = (minutes: number): string => new Date(now + minutes * 60_000).toISOString();

interface Scene {
  readonly outcome: JobOutcome;
  /** Paths, as they were asked for. */
  readonly asked: readonly string[];
  readonly folder: string;
  readonly recorded: readonly string[];
}

/**
 * Performs a download. `known`: the addresses in the order; `fresh`: what the details endpoint lists; both as
 * `[path, minutes until it expires]`. Storage answers 200 to `/good…`, 403 to `/old…`.
 */
async function perform(
  known: readonly (readonly [string, number])[] | undefined,
  fresh: readonly (readonly [string, number])[] | undefined,
  to = 'a.png',
  contentType = 'image/png',
): Promise<Scene> {
  const server = await serve(({ path }, response) => {
    if (path.startsWith('/v1/'))
      return fresh === undefined
        ? answer(response, 404, {})
        : answer(response, 200, { id: 'p', status: 'complete', downloads: listed(fresh) });
    if (path.startsWith('/old')) return void response.writeHead(403).end();
    response.writeHead(200, { 'content-type': contentType }).end(`bytes of ${path}`);
  });
  const listed = (addresses: readonly (readonly [string, number])[]): Download[] =>
    addresses.map(([path, minutes]) => ({
      url: `${server.address}${path}`,
      expires_at: at(minutes),
    }));
  const { disk, folder } = room();
  const order: DownloadOrder = {
    key: 'k',
    task: 'save',
    kind: 'download',
    operation: 'download',
    attempts: 3,
    fingerprint: fingerprintFrom(digestOf('p')),
    tool: 'face-swap-photo',
    project: 'p',
    to,
    ...(known === undefined ? {} : { downloads: listed(known) }),
  };
  const stop = new AbortController().signal;
  const [api, clock] = [server.client(), new FakeClock(now)];
  const patience = { clock, stop, backoffMs: 1 };
  const where = { api, address: server.address };
  const outages = new Outages({ ...patience, ...where, limitMs: 60_000, onEvent: () => undefined });
  const performance = download(order, {
    ...patience,
    api: outages.api,
    outages,
    projects: new ProjectIds(),
    disk,
    pace: async () => undefined,
    lookSchedule: new LookSchedule({ speedFactor: 1 }),
    looks: new LookBudget(clock, 1),
  });
  const recorded: string[] = [];
  for (;;) {
    const step = await performance.next();
    const asked = server.asked.map(({ path }) => path);
    if (step.done) return { outcome: step.value, asked, folder, recorded };
    if ('event' in step.value && step.value.event.event === 'output')
      recorded.push(step.value.event.path);
  }
}

const read = '/v1/image-projects/p';

describe('a download', () => {
  test.each<
    readonly [
      string,
      Parameters<typeof perform>[0],
      Parameters<typeof perform>[1],
      readonly string[],
      string,
    ]
  >([
    ['takes the address that it has', [['/good', 5]], undefined, ['/good'], 'done'],
    ['reads the addresses that it has not', undefined, [['/good', 5]], [read, '/good'], 'done'],
    [
      'does not try an address that is past its time',
      [['/good-1', -1]],
      [['/good-2', 5]],
      [read, '/good-2'],
      'done',
    ],
    [
      'tries a fresh address that is past its time: then the clock is wrong',
      [['/good-1', -1]],
      [['/good-2', -1]],
      [read, '/good-2'],
      'done',
    ],
    [
      'tries the addresses that it has just read, whatever our clock says',
      undefined,
      [['/good', -1]],
      [read, '/good'],
      'done',
    ],
    [
      'asks for another address when its own is refused',
      [['/old', 5]],
      [['/good', 5]],
      ['/old', read, '/good'],
      'done',
    ],
    [
      'gives up when the fresh address is refused too',
      [['/old-1', 5]],
      [['/old-2', 5]],
      ['/old-1', read, '/old-2'],
      'pending',
    ],
    [
      'gives up when the address in place of one past its time is refused',
      [['/good-1', -1]],
      [['/old-2', 5]],
      [read, '/old-2'],
      'pending',
    ],
    [
      'gives up when its project is gone',
      [['/old', 5]],
      undefined,
      ['/old', read, read],
      'pending',
    ],
    ['gives up when its project lists nothing', [['/old', 5]], [], ['/old', read], 'pending'],
    [
      'may ask again for the next file, once one has come',
      [
        ['/old-1', 5],
        ['/good-2', 5],
      ],
      [
        ['/good-1', 5],
        ['/old-2', 5],
      ],
      ['/old-1', read, '/good-1', '/old-2', read, '/old-2'],
      'pending',
    ],
  ])('%s', async (_, known, fresh, asked, end) => {
    const scene = await perform(known, fresh);
    expect(scene.asked).toEqual(asked);
    const { outcome } = scene;
    expect(outcome.is === 'ended' ? outcome.ending : outcome.is).toBe(end);
  });

  test('of several files puts each in its place, and nothing else is there', async () => {
    const files = [
      ['/good-1.png', 5],
      ['/good-2.png', 5],
    ] as const;
    const { outcome, recorded, folder } = await perform(files, undefined, 'x/');
    expect(outcome.is).toBe('done');
    expect(recorded).toEqual(['out/x/1.png', 'out/x/2.png']);
    expect(readdirSync(join(folder, 'out/x')).sort()).toEqual(['1.png', '2.png']);
    expect(readFileSync(join(folder, 'out/x/2.png'), 'utf8')).toBe('bytes of /good-2.png');
  });
});

describe('what the service calls its file', () => {
  test.each([
    ['/good/1.WEBP', 'webp'],
    ['/good/1.%2e%2e', 'bin'],
    ['/good/1.\u202egnp', 'bin'],
    [`/good/1.${'x'.repeat(5000)}`, 'bin'],
    ['/good', 'bin'],
  ])('(%s) names ours only where it is a plain extension', async (path, extension) => {
    const { recorded } = await perform([[path, 5]], undefined, 'out/', 'application/x-unknown');
    expect(recorded).toEqual([`out/out/1.${extension}`]);
  });
});
