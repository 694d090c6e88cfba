// The address of an engine: refused with a remedy where it would leak a password or lead nowhere.
import { expect, test } from 'vitest';
import { engineAddress } from '../../../src/distributed/open-database.ts';
import { renderProblem, resultOf } from '../../../src/language/load/refusal.ts';

const refusal = (text: string): string => {
  const address = resultOf(() => engineAddress(text));
  return address.ok ? 'accepted' : renderProblem(address.error);
};

test.each([
  ['postgres://u@db.example:6543/runs', 'db.example:6543/runs'],
  ['postgresql://db.example/runs?sslmode=verify-full', 'db.example:5432/runs'],
  ['postgres:///runs?host=/run/postgresql', '/run/postgresql:5432/runs'],
])('%s is %s', (text, shown) => {
  expect(engineAddress(text)).toMatchObject({ url: text, shown });
});

test('the user and the parameters do not make it another database', () => {
  const [a, b] = ['postgres://a@h/d', 'postgres://b@h:5432/d?sslmode=require'].map(engineAddress);
  expect(a?.digest).toBe(b?.digest);
});

test.each(['postgres://u:hunter2@h/d', 'postgres://u@h/d?password=hunter2'])(
  'the password in %s is not repeated, and the message says where it belongs',
  (address) => {
    const text = refusal(address);
    expect(text).toContain('PGPASSWORD');
    expect(text).not.toContain('hunter2');
  },
);

test.each(['mysql://h/d', 'h/d', '', 'postgres://h'])('%s is refused', (text) => {
  expect(refusal(text)).toContain('such as postgres://');
});
