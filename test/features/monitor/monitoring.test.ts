// /healthz, /readyz and /metrics: what a monitor says of real runs, and to whom.
import { request } from 'node:http';
import parse from 'parse-prometheus-text-format';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Monitor, openMonitor } from '../../../src/features/monitor/monitoring.ts';
import type { RunInternals } from '../../../src/features/run/run.ts';
import { renderProblem, resultOf } from '../../../src/language/load/refusal.ts';
import { realClock } from '../../../src/run/clock.ts';
import { isOwnHost } from '../../../src/service-api/web-server.ts';
import { ended, envOf, photoPipeline, photoRig, service, until } from '../../rig.ts';

async function monitoring(signal?: AbortSignal): Promise<Monitor> {
  const opened = await openMonitor({ listen: { host: '127.0.0.1', port: 0 }, signal });
  onTestFinished(() => opened.close());
  return opened;
}

interface Got {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** `fetch` does not let a test choose the Host header. */
function get(
  url: string,
  { host, method = 'GET' }: { readonly host?: string; readonly method?: string } = {},
): Promise<Got> {
  const { promise, resolve, reject } = Promise.withResolvers<Got>();
  const headers = host === undefined ? {} : { host };
  const asked = request(url, { method, headers, agent: false }, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      text += piece;
    });
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        type: response.headers['content-type'] ?? '',
        text,
      }),
    );
  });
  asked.on('error', reject);
  asked.end();
  return promise;
}

/** Every sample as `name{label="value"} number`, without histograms. */
async function samples(monitor: Monitor): Promise<readonly string[]> {
  const { status, type, text } = await get(`${monitor.address}/metrics`);
  expect(status).toBe(200);
  expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
  return parse(text).flatMap(({ name, help, metrics }) => {
    expect(help).not.toBe('');
    return metrics.flatMap(({ value, labels = {} }) => {
      const inside = Object.entries(labels).map(([label, text]) => `${label}=${text}`);
      return value === undefined ? [] : [`${name} ${inside.join(' ')} ${value}`.replace('  ', ' ')];
    });
  });
}

const ready = async (monitor: Monitor): Promise<string> => {
  const { status, text } = await get(`${monitor.address}/readyz`);
  return `${status} ${text.trim()}`;
};

describe('the metrics', () => {
  test('count tasks, credits, requests and runs, and name no file or item', async () => {
    const local = await service();
    const rig = await photoRig(2, photoPipeline);
    const monitor = await monitoring();
    await rig.run(local, { monitor });
    const told = await samples(monitor);
    expect(told).toEqual(
      expect.arrayContaining([
        'shotlist_runs_total pipeline=photos outcome=done 1',
        'shotlist_runs_in_progress pipeline=photos 0',
        'shotlist_tasks_total pipeline=photos kind=face-swap-photo ending=done 2',
        'shotlist_tasks_total pipeline=photos kind=download ending=done 2',
        'shotlist_credits_charged_total pipeline=photos 20',
        'shotlist_credits_refunded_total pipeline=photos 0',
        'shotlist_credits_reserved pipeline=photos 0',
        'shotlist_items_queued pipeline=photos 0',
        'shotlist_tasks_in_doubt pipeline=photos 0',
        'shotlist_requests_total route=create status=2xx 2',
        'shotlist_requests_total route=download status=2xx 2',
      ]),
    );
    const { text } = await get(`${monitor.address}/metrics`);
    const waits = parse(text).find(({ name }) => name === 'shotlist_project_queue_seconds');
    expect(waits).toMatchObject({ type: 'HISTOGRAM' });
    for (const word of ['.png', 'p1', rig.folder, local.key]) expect(text).not.toContain(word);
    await rig.run(local, { monitor });
    expect(await samples(monitor)).toEqual(
      expect.arrayContaining([
        'shotlist_runs_total pipeline=photos outcome=done 2',
        'shotlist_credits_charged_total pipeline=photos 20',
      ]),
    );
  });

  test('show credits, queued items and doubts while a run is in progress', async () => {
    const lost = {
      fault: 'reset',
      on: 'POST /v1/face-swap-photo',
      when: 'before',
      count: 1,
    } as const;
    const local = await service({ faults: { faults: [lost] } });
    const oneByOne = photoPipeline.replace('output: out', 'output: out\nlimits: { items: 1 }');
    const rig = await photoRig(3, oneByOne);
    const monitor = await monitoring();
    const during: (readonly string[])[] = [];
    const api: RunInternals['api'] = (real) => ({
      ...real,
      async download(url, into) {
        during.push(await samples(monitor));
        return await real.download(url, into);
      },
    });
    await rig.run(local, { monitor }, { api });
    // The first photo is in doubt, and the second is being fetched.
    expect(during[0]).toEqual(
      expect.arrayContaining([
        'shotlist_runs_in_progress pipeline=photos 1',
        'shotlist_items_queued pipeline=photos 2',
        'shotlist_tasks_in_doubt pipeline=photos 1',
        'shotlist_credits_charged_total pipeline=photos 10',
        'shotlist_credits_reserved pipeline=photos 10',
        'shotlist_requests_total route=create status=unanswered 1',
      ]),
    );
    expect(await samples(monitor)).toEqual(
      expect.arrayContaining([
        'shotlist_runs_total pipeline=photos outcome=doubt 1',
        'shotlist_tasks_in_doubt pipeline=photos 1',
        'shotlist_credits_charged_total pipeline=photos 20',
      ]),
    );
  });

  test('have the time of the next due run, and what a run was refused for', async () => {
    const rig = await photoRig(1);
    const local = await service();
    const monitor = await monitoring();
    monitor.setNextDue('photos', Date.UTC(2026, 0, 1));
    expect(await samples(monitor)).toContain(
      `shotlist_next_due_timestamp_seconds pipeline=photos ${Date.UTC(2026, 0, 1) / 1000}`,
    );
    monitor.setNextDue('photos', undefined);
    expect((await samples(monitor)).join('\n')).not.toContain('next_due');
    await local.close();
    await expect(rig.run(local, { monitor })).rejects.toThrow();
    expect(await samples(monitor)).toContain(
      'shotlist_runs_total pipeline=photos outcome=refused 1',
    );
    expect(await ready(monitor)).toBe('503 the service cannot be reached');
  });

  test('have a bounded number of labels', async () => {
    const monitor = await monitoring();
    for (let n = 0; n < 300; n += 1) monitor.setNextDue(`p${n}`, 1000);
    const told = await samples(monitor);
    expect(told).toHaveLength(201);
    expect(told).toContain('shotlist_next_due_timestamp_seconds pipeline=other 1');
  });
});

describe('a monitor', () => {
  test('is ready while the key is accepted and the process is not asked to stop', async () => {
    const local = await service();
    const rig = await photoRig(1);
    const stop = new AbortController();
    const monitor = await monitoring(stop.signal);
    expect(await get(`${monitor.address}/healthz`)).toMatchObject({ status: 200, text: 'ok\n' });
    expect(await ready(monitor)).toBe('503 no run has been prepared yet');
    await rig.run(local, { monitor });
    expect(await ready(monitor)).toBe('200 ok');
    rig.write('photos/p2.png', rig.read('actor.png'));
    const wrong = { ...local, key: 'sk-another-key' };
    const { summary } = await rig.run(wrong, { monitor });
    expect(summary.outcome).toBe('unauthorized');
    expect(await ready(monitor)).toBe('503 the service refused the API key');
    await rig.run(local, { monitor });
    expect(await ready(monitor)).toBe('200 ok');
    stop.abort();
    expect(await ready(monitor)).toBe('503 the process is stopping');
    expect(await get(`${monitor.address}/healthz`)).toMatchObject({ status: 200 });
  });

  test('is not ready if a state file cannot be written', async () => {
    const rig = await photoRig(1);
    const monitor = await monitoring();
    monitor.opened([rig.path('actor.png/photos.state.jsonl')]);
    expect(await ready(monitor)).toBe('503 a state file cannot be written');
  });

  test('waits for work without a run', async () => {
    const rig = await photoRig(1);
    const monitor = await monitoring();
    monitor.opened([rig.path('photos.state.jsonl')]);
    expect(await ready(monitor)).toBe('200 ok');
  });

  test('has no other pages, and only reads', async () => {
    const { address } = await monitoring();
    expect(await get(`${address}/`)).toMatchObject({ status: 404 });
    expect(await get(`${address}/metrics`, { method: 'POST' })).toMatchObject({ status: 405 });
    expect(await get(`${address}/metrics`, { method: 'HEAD' })).toMatchObject({
      ...{ status: 200, text: '' },
    });
  });

  test('says why it cannot listen', async () => {
    const { address } = await monitoring();
    const port = Number(new URL(address).port);
    const second = await resultOf(() =>
      openMonitor({ listen: { host: '127.0.0.1', port }, clock: realClock }),
    );
    expect(second.ok ? '' : renderProblem(second.error)).toContain(`port ${port} is in use`);
  });
});

describe('the name in the Host header', () => {
  test.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', '10.0.0.1', 'a b'])(
    '%j is refused',
    async (host) => {
      const { address } = await monitoring();
      for (const path of ['/healthz', '/readyz', '/metrics']) {
        const got = await get(address + path, { host });
        expect([400, 403]).toContain(got.status);
        expect(got.text).not.toContain('shotlist_');
      }
    },
  );

  test.each(['localhost', '127.0.0.1:1', '[::1]:65535'])('%j is answered', async (host) => {
    const { address } = await monitoring();
    expect(await get(`${address}/healthz`, { host })).toMatchObject({ status: 200 });
  });

  test('may be any IP address, or the name that the user chose, when others may connect', () => {
    expect(isOwnHost(['10.0.0.1:9464'], '0.0.0.0')).toBe(true);
    expect(isOwnHost(['[fe80::1]'], '0.0.0.0')).toBe(true);
    expect(isOwnHost(['shotlist:9464'], 'shotlist')).toBe(true);
    expect(isOwnHost(['localhost'], 'shotlist')).toBe(true);
    expect(isOwnHost(['evil.example'], '0.0.0.0')).toBe(false);
    expect(isOwnHost(['localhost', 'evil.example'], '0.0.0.0')).toBe(false);
    expect(isOwnHost(['localhost:65536'], '0.0.0.0')).toBe(false);
    expect(isOwnHost([], '0.0.0.0')).toBe(false);
  });
});

test('a run with --monitor answers while it works, and SIGTERM ends both', async () => {
  const local = await service({ speed: 'realtime' });
  const rig = await photoRig(1);
  const args = ['run', 'pipeline.yaml', '--monitor', '0', '--json'];
  const child = rig.start(args, envOf(local));
  let text = '';
  child.stdout?.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  const over = ended(child);
  const address = (): string | undefined =>
    /"type":"monitoring","address":"([^"]+)"/.exec(text)?.[1];
  await until('the monitor listens', () => address() !== undefined);
  const at = address() ?? '';
  await until('the run is ready', async () => (await get(`${at}/readyz`)).status === 200);
  expect((await get(`${at}/metrics`)).text).toContain(
    'shotlist_runs_in_progress{pipeline="photos"} 1',
  );
  child.kill('SIGTERM');
  expect((await over).code).toBe(130);
  await expect(get(`${at}/healthz`)).rejects.toThrow('ECONNREFUSED');
});
