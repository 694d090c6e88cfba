// The connection to the database with TLS: the server must prove who it is, and whoever it does not convince sends nothing.
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { checkEngine, migrateEngine } from '../../src/features/engine/engine.ts';
import { renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import { engineText } from '../../src/views/engine-text.ts';
import { startWorker } from '../engine-rig.ts';
import { query, sharedPostgres, startPostgres } from '../postgres.ts';
import { photoRig, Rig, service, until } from '../rig.ts';

const strong = { keyType: 'ec', algorithm: 'sha256' } as const;

const authority = async (name: string) =>
  await generate([{ name: 'commonName', value: name }], {
    ...strong,
    extensions: [{ name: 'basicConstraints', cA: true }],
  });

/** A server for 127.0.0.1 that takes no connection without TLS to its database. */
async function secured() {
  const [ours, another] = [await authority('ours'), await authority('another')];
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'database' }], {
    ...strong,
    ca: { key: ours.private, cert: ours.cert },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const postgres = await startPostgres({ tls: { cert, key } });
  onTestFinished(() => postgres.stop());
  const url = await postgres.newDatabase();
  const [shown] = await query(postgres.url, 'show hba_file');
  const rules = [
    'local all all trust',
    'hostnossl test_1 all all reject',
    'host all all all trust',
  ];
  await query(
    postgres.url,
    `copy (select unnest('{${rules.join(',')}}'::text[])) to '${String(shown?.['hba_file'])}'`,
  );
  await query(postgres.url, 'select pg_reload_conf()');
  const files = new Rig('');
  files.write('ours.pem', ours.cert);
  files.write('another.pem', another.cert);
  const full = (file: string): string =>
    `${url}?sslmode=verify-full&sslrootcert=${files.path(file)}`;
  return { url, full };
}

async function said(url: string): Promise<string> {
  const checked = await resultOf(() => checkEngine(url));
  return checked.ok ? engineText(checked.value) : renderProblem(checked.error);
}

test('a coordinator and its workers use TLS, and no server that cannot prove who it is', {
  tags: ['long', 'postgres'],
}, async () => {
  const { url, full } = await secured();
  const wantsTls = 'the server wants TLS: add ?sslmode=verify-full to the address';
  await until('the server wants TLS', async () => (await said(url)).includes(wantsTls));
  const engine = full('ours.pem');
  await migrateEngine(engine);
  const local = await service();
  const rig = await photoRig(3);
  startWorker(rig, local, engine);
  const { summary } = await rig.run(local, { engine });
  expect(summary).toMatchObject({ outcome: 'done', items: { done: 3 } });
  expect(await said(engine)).toContain('The connection is encrypted.');

  const refused = 'name its authority with sslrootcert=<file> in the address';
  expect(await said(full('another.pem'))).toContain(refused);
  expect(await said(`${url}?sslmode=verify-full`)).toContain(refused);
  expect(await said(engine.replace('127.0.0.1', 'localhost'))).toContain(
    'write the host into the address as the certificate names it',
  );
  expect(await said(full('missing.pem'))).toMatch(/sslrootcert: .*missing\.pem does not exist/);
});

test('a server without TLS is refused if the address wants it', { tags: 'postgres' }, async () => {
  const postgres = await sharedPostgres();
  expect(await said(`${postgres.url}?sslmode=verify-full`)).toContain(
    'switch TLS on at the server',
  );
});
