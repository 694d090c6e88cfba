// What a person and a program are told of payments that the state file does not know, and which account has paid.
import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Planned, plan } from '../../src/features/plan/plan.ts';
import { type RunOptions, runWith } from '../../src/features/run/run.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import type { RunEvent } from '../../src/run/run-event.ts';
import type { LocalService } from '../../src/service/start.ts';
import { exitCodes } from '../../src/terminal/exit-code.ts';
import { dataIn } from '../reported.ts';
import { envOf, photoRig, type Rig, service } from '../rig.ts';
import { hub } from '../service/receiver.ts';
import { git, memes, origin, state } from './clones.ts';
import { relayTo } from './relay.ts';

type Env = Readonly<Record<string, string>>;

async function planned(rig: Rig, env: Env, explain?: string): Promise<Planned> {
  return await plan(await loadPipeline(rig.file), { env, explain });
}

/** Runs the pipeline; the events and the summary of the run, and the exit code of a command. */
async function ran(rig: Rig, local: LocalService, options: RunOptions = {}, env: Env = {}) {
  const { events, summary } = await rig.run(local, options, {}, env);
  return { code: exitCodes[summary.outcome], events, summary };
}

/** Runs another pipeline of the repository. */
async function runAt(rig: Rig, file: string, options: RunOptions): Promise<void> {
  const pace = { backoffMs: 1, speedFactor: 1000 };
  const { summary } = await runWith(await loadPipeline(rig.path(file)), options, pace);
  expect(summary.outcome).toBe('done');
}

const warned = (events: readonly RunEvent[], text: string): number =>
  events.filter((event) => event.type === 'warning' && event.message.includes(text)).length;

const charges = (local: LocalService, account?: string): number =>
  local
    .ledger()
    .filter((entry) => entry.kind === 'charge' && (account ?? entry.account) === entry.account)
    .length;

const today = new Date().toISOString().slice(0, 10);
const now = { first: expect.any(String), last: expect.any(String) };

test('plan, run and --explain name who has paid for what the state file does not know', async () => {
  const local = await service();
  const env = envOf(local);
  const rig = origin();
  const two = memes.replace('memes', 'shop').replace(/, \{ key: three \}, \{ key: four \}/, '');
  rig.write('pipelines/shop.yaml', two);
  await runAt(rig, 'pipelines/shop.yaml', { env });
  await ran(rig, local, { items: { only: 'three' } });
  git(rig.folder, 'checkout', '--quiet', '-b', 'feature');
  rmSync(rig.path(state));

  const sources = [
    { by: 'pipeline', name: expect.stringMatching(/pipelines\/shop\.yaml$/), creations: 2, ...now },
    { by: 'branch', name: 'main', creations: 1, ...now },
  ];
  const { plan, explanation } = await planned(rig, env, 'picture:one');
  expect(plan.credits).toBe(10);
  expect(plan.paidAlready).toMatchObject({ creations: 3, credits: 30, sources });
  const { project = '' } = explanation?.paid ?? {};
  const shop = {
    by: 'pipeline',
    name: expect.stringMatching(/pipelines\/shop\.yaml$/),
    credits: 10,
  };
  expect(explanation?.paid).toMatchObject({ ...shop, follows: 'adopted' });
  expect(explanation?.paid?.at.slice(0, 10)).toBe(today);
  expect(local.ledger().map((entry) => entry.project)).toContain(project);

  const { code, events, summary } = await ran(rig, local);
  expect(code).toBe(0);
  const told = events.flatMap((event) => (event.type === 'planned' ? [event.plan] : []));
  expect(told[0]?.paidAlready).toMatchObject({ creations: 3, credits: 30, sources });
  expect(summary).toMatchObject({ credits: { charged: 10 } });
  expect(charges(local)).toBe(4);
  // From now on the state file knows, and --explain still says whose money it was.
  const after = await planned(rig, env, 'picture:one');
  expect(after.plan.paidAlready).toBeUndefined();
  expect(after.explanation?.paid).toMatchObject({ ...shop, project, follows: 'adopted' });

  // What a result cost is one thing, and what this state file was charged another.
  await rig.command(['report', 'pipeline.yaml', '--out', 'report.html'], env);
  const report = dataIn(rig.read('report.html'));
  expect(report.items.map(({ credits }) => credits)).toEqual([10, 10, 10, 10]);
  expect(report.credits).toMatchObject({ charged: 10, refunded: 0 });
  expect(report.spending.reduce((sum, one) => sum + one.credits, 0)).toBe(10);
  expect(report.steps.map(({ credits }) => credits)).toEqual([10, 0]);
});

test('an adopted result takes nothing of the caps of an item, of a run and of a day', async () => {
  const local = await service();
  const pictures = (names: readonly string[], more = ''): string =>
    [
      `pipeline: memes\nitems: { values: [{ key: a }, { key: b }] }\n${more}output: out\nsteps:`,
      ...names.flatMap((name) => [
        `  ${name}: { uses: ai-meme-generator, with: { style: { template: Random, topic: "${name} \${{ item.key }}" } } }`,
        `  save-${name}: { uses: download, with: { of: ${name}, to: "${name}-\${{ item.key }}.png" } }`,
      ]),
    ].join('\n');
  const rig = origin(pictures(['one']));
  await ran(rig, local);
  expect(charges(local)).toBe(2);
  rig.write(
    'pipeline.yaml',
    pictures(['one', 'two'], 'budget: { credits: 20, per_item: 10, per_day: 20 }\n'),
  );
  // Some files are fetched again, so that some results are waited for and the others are reused.
  rmSync(rig.path(state));
  rmSync(rig.path('out/one-a.png'));
  const { code, summary } = await ran(rig, local);
  expect(summary).toMatchObject({ credits: { charged: 20 }, outcome: 'done' });
  expect(code).toBe(0);
  expect(charges(local)).toBe(4);
});

describe('without its state file, a pipeline', () => {
  interface Fresh {
    readonly rig: Rig;
    readonly local: LocalService;
  }

  /** Four results of one account; the state file and the files are gone. */
  async function forgotten(pipeline = memes): Promise<Fresh> {
    const local = await service({ credits: 1000 });
    const rig = origin(pipeline);
    await ran(rig, local);
    for (const path of [state, 'out']) rmSync(rig.path(path), { recursive: true });
    return { rig, local };
  }

  const another = 'another account of this service';

  async function keyOfAnother({ address }: LocalService): Promise<string> {
    const { id } = await hub(address, '/hub/accounts', { email: 'bo@example.com' });
    const { key } = await hub(address, '/hub/keys', { name: 'bo', account: `${id}` });
    return `${key}`;
  }

  async function deleteAll({ address, key, ledger }: LocalService): Promise<void> {
    const headers = { authorization: `Bearer ${key}` };
    for (const { project } of ledger())
      if (project !== null)
        await fetch(`${address}/v1/image-projects/${project}`, { method: 'DELETE', headers });
  }

  test('takes the results of its own account, and begins what a person has agreed to, although the service had to be asked first', async () => {
    const { rig, local } = await forgotten();
    rig.write('pipeline.yaml', memes.replace('one', 'five'));
    const asked: unknown[] = [];
    const confirm = async ({ plan }: { readonly plan: Planned['plan'] }): Promise<boolean> => {
      asked.push(plan.credits, plan.paidAlready?.sources);
      return true;
    };
    const { summary } = await rig.run(local, { confirm, confirmAbove: 0 });
    expect(asked).toMatchObject([10, [{ by: 'this-state', creations: 3 }]]);
    expect([summary.outcome, charges(local), rig.files('out').length]).toEqual(['done', 5, 4]);
  });

  test('keeps a doubt, which the next run records and no run buys', async () => {
    const lost = {
      fault: 'reset',
      on: 'POST /v1/ai-meme-generator',
      when: 'after',
      count: 1,
    } as const;
    const local = await service({ faults: { faults: [lost] } });
    const rig = origin();
    await ran(rig, local);
    rmSync(rig.path(state));
    const { plan, explanation, hasWork } = await planned(rig, envOf(local), 'picture:one');
    expect([plan.paidAlready?.creations, plan.credits, hasWork]).toEqual([3, 0, true]);
    expect(explanation?.paid).toMatchObject({ follows: 'doubt', by: 'this-state' });
    const { code } = await ran(rig, local);
    expect([code, charges(local)]).toEqual([4, 4]);
    const status = await rig.command(['status', 'pipeline.yaml', '--json'], envOf(local));
    expect(JSON.parse(status.stdout)).toMatchObject({
      ...{ credits: { charged: 0, reserved: 10 }, doubts: [{ tasks: ['picture:one'] }] },
    });
    expect((await planned(rig, envOf(local))).hasWork).toBe(false);
  });

  test('pays a fresh service at the same address, and says so', async () => {
    const { rig, local } = await forgotten();
    const { port } = new URL(local.address);
    await local.close();
    const fresh = await service({ port: Number(port), credits: 1000 });
    const { plan, warnings } = await planned(rig, envOf(fresh));
    expect(plan).toMatchObject({ credits: 40, paidByOthers: 4 });
    expect(warnings.filter((text) => text.includes(another))).toHaveLength(1);
    const { code, events } = await ran(rig, fresh);
    expect([code, charges(fresh), warned(events, another)]).toEqual([0, 4, 1]);
  });

  test('pays with another account, and each account finds its own results again', async () => {
    const { rig, local } = await forgotten();
    const own = envOf(local);
    const bo = { ...own, SHOTLIST_API_KEY: await keyOfAnother(local) };
    const { plan, explanation } = await planned(rig, bo, 'picture:one');
    expect(plan).toMatchObject({ credits: 40, paidByOthers: 4 });
    expect(explanation?.paid).toMatchObject({ follows: 'bought', by: 'this-state' });
    const first = await ran(rig, local, {}, bo);
    expect([first.code, warned(first.events, another)]).toEqual([0, 1]);
    expect(first.summary).toMatchObject({ credits: { charged: 40 } });
    for (const env of [own, bo]) {
      rmSync(rig.path(state));
      const { code, summary } = await ran(rig, local, {}, env);
      expect(code).toBe(0);
      expect(summary).toMatchObject({ credits: { charged: 0 } });
    }
  });

  test('loses what was deleted elsewhere, and pays for it only with --pay-again', async () => {
    const { rig, local } = await forgotten();
    const bo = { ...envOf(local), SHOTLIST_API_KEY: await keyOfAnother(local) };
    // A receipt of another account is newer, and changes nothing.
    await ran(rig, local, {}, bo);
    for (const path of [state, 'out']) rmSync(rig.path(path), { recursive: true });
    await deleteAll(local);
    const lost = await ran(rig, local);
    expect([lost.code, charges(local), warned(lost.events, another)]).toEqual([1, 4, 0]);
    const { plan, explanation } = await planned(rig, envOf(local), 'picture:one');
    expect(plan.rows.map(({ tasks }) => tasks)).toEqual([{ reuse: 4 }, { lost: 4 }]);
    expect(explanation?.paid).toMatchObject({ follows: 'lost' });
    const again = await ran(rig, local, { payAgain: true });
    expect([again.code, charges(local), rig.files('out').length]).toEqual([0, 8, 4]);
  });

  test('does not count what is lost, and copies what another folder has', async () => {
    const { rig, local } = await forgotten(
      `${memes}  tidy: { uses: delete, with: { of: picture } }\n`,
    );
    const { plan } = await planned(rig, envOf(local));
    expect(plan.paidAlready).toBeUndefined();
    expect(plan.rows[1]?.tasks).toEqual({ lost: 4 });
    const five = memes.replace('one', 'five');
    rig.write('other/pipeline.yaml', five);
    await runAt(rig, 'other/pipeline.yaml', { env: envOf(local), items: { only: 'five' } });
    rig.write('pipeline.yaml', five);
    await deleteAll(local);
    const { code } = await ran(rig, local, { items: { only: 'five' } });
    const told = async () => (await planned(rig, envOf(local), 'save:five')).explanation;
    expect((await told())?.paid).toMatchObject({ follows: 'adopted' });
    expect([code, charges(local), rig.files('out')]).toEqual([0, 5, ['five.png']]);
    // Whoever took it over says nothing for the one that paid: the next run looks again, and copies again.
    for (const path of [state, 'out']) rmSync(rig.path(path), { recursive: true });
    expect((await told())?.paid).toMatchObject({ by: 'pipeline', follows: 'adopted' });
    const again = await ran(rig, local, { items: { only: 'five' } });
    expect([again.code, charges(local), rig.files('out')]).toEqual([0, 5, ['five.png']]);
  });

  test('finds again what a repaired line has lost', async () => {
    const local = await service({ credits: 1000 });
    const rig = origin(`${memes}  tidy: { uses: delete, with: { of: picture } }\n`);
    await ran(rig, local);
    const lines = rig.read(state).split('\n');
    const lessOf = ({ result, outputs, ...rest }: Readonly<Record<string, unknown>>) => rest;
    const less = lines.map((line) =>
      line.includes('"result"') ? JSON.stringify(lessOf(JSON.parse(line))) : line,
    );
    expect(less).not.toEqual(lines);
    rig.write(state, less.join('\n'));
    const { code, summary } = await ran(rig, local);
    expect(summary).toMatchObject({ credits: { charged: 0 }, outcome: 'done' });
    expect([code, charges(local), rig.files('out').length]).toEqual([0, 4, 4]);
  });

  test('fetches a project again of which a repaired line no longer says what it is', async () => {
    const local = await service({ credits: 1000 });
    const rig = origin();
    await ran(rig, local);
    rig.write(state, rig.read(state).replaceAll('"kind":"ai-meme-generator"', '"kind":"unknown"'));
    rmSync(rig.path('out'), { recursive: true });
    const { code, summary } = await ran(rig, local);
    expect(summary).toMatchObject({ credits: { charged: 0 }, outcome: 'done' });
    expect([code, charges(local), rig.files('out').length]).toEqual([0, 4, 4]);
  });

  test.each([
    ['the same key', false, 0],
    ['another key, which may be of another account', true, 1],
  ])(
    'of a deployment that tells no account, with %s, pays for nothing',
    async (_, isOther, ends) => {
      const local = await service({ credits: 1000 });
      const { service: relayed } = await relayTo(local, { lacks: '/v1/account' });
      const rig = origin();
      await ran(rig, relayed);
      rmSync(rig.path(state));
      rmSync(rig.path('out'), { recursive: true });
      const key = isOther ? await keyOfAnother(local) : local.key;
      const { code, events, summary } = await ran(rig, relayed, {}, { SHOTLIST_API_KEY: key });
      expect(summary).toMatchObject({ credits: { charged: 0 } });
      expect([code, charges(local), warned(events, another)]).toEqual([ends, 4, 0]);
    },
  );
});

test('the local service has another account in each data folder, and the same one after a restart', async () => {
  const rig = await photoRig(0);
  const idOf = async (data: string): Promise<unknown> => {
    const local = await service({ data: rig.path(data) });
    const headers = { authorization: `Bearer ${local.key}` };
    const answer = await fetch(`${local.address}/v1/account`, { headers });
    const account: unknown = await answer.json();
    await local.close();
    return account;
  };
  const [one, again, two] = [await idOf('one'), await idOf('one'), await idOf('two')];
  expect(one).toEqual(again);
  expect(one).toMatchObject({ id: expect.stringMatching(/^local-[0-9a-f]{12}$/) });
  expect(two).not.toEqual(one);
});
