// What a plan and a run say about money: by the account's plan, or by the user's own price of a credit.
import { expect, test } from 'vitest';
import { envOf, photoRig, service } from '../rig.ts';

test('a plan and a run at an account tell money by its plan, or by the price that the user has set', async () => {
  const local = await service({ tier: 'creator' });
  const rig = await photoRig(2);
  const env = envOf(local);
  const planned = await rig.command(['plan', 'pipeline.yaml'], env);
  expect(planned.stdout).toContain('Money: at most $0.02, at $0.0012 a credit.');
  const own = await rig.command(['plan', 'pipeline.yaml'], {
    ...env,
    SHOTLIST_CREDIT_PRICE: '1.5',
  });
  expect(own.stdout).toContain('Money: at most $30.00, at $1.5 a credit.');
  const ran = await rig.command(['run', 'pipeline.yaml'], { ...env, SHOTLIST_CREDIT_PRICE: '1.5' });
  expect(ran.stdout).toMatch(/^ +money +\$30\.00, \$15\.00 an item$/m);
});

test('a rehearsal tells no money', async () => {
  const rig = await photoRig(1);
  const env = { SHOTLIST_CREDIT_PRICE: '1.5' };
  const planned = await rig.command(['plan', 'pipeline.yaml', '--rehearse'], env);
  expect(planned.stdout).toContain('At most 10 credits.');
  const ran = await rig.command(['run', 'pipeline.yaml', '--rehearse'], env);
  expect(planned.stdout + ran.stdout).not.toMatch(/money|\$/i);
});

test.each([['plan'], ['run']])(
  '%s refuses a price that is none before anything is sent',
  async (command) => {
    const rig = await photoRig(1);
    const { code, stderr } = await rig.command([command, 'pipeline.yaml', '--rehearse'], {
      SHOTLIST_CREDIT_PRICE: 'cheap',
    });
    expect(stderr).toContain('SHOTLIST_CREDIT_PRICE');
    expect(code).toBe(2);
  },
);
