// The same through the real command: what a terminal, a log and a script get of a hostile service.
import { describe, expect, test } from 'vitest';
import { bill, envOf, photoRig, service } from '../rig.ts';
import { sampleOf } from '../sweep.ts';
import { fields, raw, status, wild } from './behaviour.ts';
import { type FrontOptions, frontOf } from './front.ts';

const count = 8;

const cases: readonly (readonly [
  string,
  Pick<FrontOptions, 'at' | 'operation' | 'who'>,
  number,
])[] = [
  [
    'a creation that is answered with a negative content-length',
    {
      at: 'creation',
      who: 'one',
      operation: raw('HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n{}'),
    },
    4,
  ],
  [
    'a creation that is answered with binary garbage',
    { at: 'creation', who: 'one', operation: raw(Buffer.from('00ff1b5b324a0d0a', 'hex')) },
    4,
  ],
  [
    'a result at an address of a script',
    {
      ...{ at: 'project', who: 'one' },
      operation: fields(() => ({
        downloads: [{ url: `javascript:${wild}`, expires_at: '2099-01-01T00:00:00Z' }],
      })),
    },
    1,
  ],
  [
    'an account that is a page of control characters',
    { at: 'account', who: 'all', operation: status(200, wild, { 'content-type': `text/html` }) },
    2,
  ],
];

const forms = ['text', '--json'] as const;
const numbered = cases.map((one, index) => [...one, index] as const);

// In turns; EVERY=1 tries each in both forms.
describe.each(numbered)('%s', (_, options, exitCode, index) => {
  test.each(sampleOf(forms, 2, index))(
    'as %s: no stack trace, no control character, no key',
    async (form) => {
      const local = await service({ slots: count, tier: 'business' });
      const front = await frontOf(local, { ...options, withheld: false, gather: count });
      const rig = await photoRig(count);
      const flags = [...(form === '--json' ? ['--json'] : []), '--log', 'run.log'];
      const ran = await rig.command(['run', 'pipeline.yaml', ...flags], envOf(front.service));
      expect(ran.code).toBe(exitCode);
      const all = `${ran.stdout}${ran.stderr}${rig.read('run.log')}`;
      expect(all).not.toMatch(/\n\s+at .+:\d+:\d+|node:internal|a bug in shotlist/);
      expect(all.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      expect(all).not.toContain(local.key);
      const paid = exitCode === 2 ? [] : Array.from({ length: count }, () => 10);
      expect([...bill(local.ledger()).values()]).toEqual(paid);
      if (exitCode !== 2) expect(rig.files('out').length).toBeGreaterThanOrEqual(count - 1);
    },
  );
});
